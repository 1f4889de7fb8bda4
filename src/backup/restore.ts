// Restores an archive, undoes a restore, and finishes an interrupted one. Works on the files of a home whose hub is stopped.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../core/atomic-file.ts";
import { isoSeconds } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import { borrowHome } from "../home/lock.ts";
import { actAsOwner } from "../home/owner.ts";
import { type Home, homeAt } from "../home/paths.ts";
import { lockBackups } from "./backup-lock.ts";
import type { Schemas } from "./database-copies.ts";
import { countHome } from "./home-contents.ts";
import { Counts } from "./manifest.ts";
import { newestOldState } from "./old-states.ts";
import { placesIn } from "./places.ts";
import { openArchiveFile, type Staged, stage, stagedHome } from "./stage.ts";
import { hasJournal, type OnPlaced, refuseUnmovable, resumeSwap, swap } from "./swap.ts";

/** How the last restore ended; in `data/last-restore.json`, so that it outlives the restart. */
export const LastRestore = Type.Object({
  at: Type.String({ description: "UTC" }),
  ok: Type.Union([Type.Boolean(), Type.Null()], { description: "null until the hub has started with it" }),
  counts: Type.Union([Counts, Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
});
export type LastRestore = Static<typeof LastRestore>;

export interface RestoreOptions {
  home: Home;
  file: string;
  passphrase: string | undefined;
  schemas: Schemas;
  /** Epoch ms. */
  now: number;
}

export interface Restored {
  staged: Staged;
  /** Counted in the home after the swap. */
  counts: Counts;
  /** The folder with the old state. */
  kept: string;
}

/** Verifies the archive and swaps it in. Throws HubError with nothing changed; `in_use` while a hub runs there. */
export async function restoreHome({ file, ...options }: RestoreOptions): Promise<Restored> {
  const { home, now } = options;
  using archive = openArchiveFile(file);
  using _owner = actAsOwner(home);
  return await inLockedHome(home, async () => {
    const staged = await stage({ ...options, archive });
    return { staged, ...swapInStaged(home, staged, { now }) };
  });
}

/** Only verifies the archive. A home that did not exist before does not exist afterwards either. */
export async function checkArchive({ home, file, ...options }: Omit<RestoreOptions, "now">): Promise<Staged> {
  using archive = openArchiveFile(file);
  using _owner = actAsOwner(home);
  const created = makeDataFolder(home);
  try {
    recoverRestore(home);
    using _lock = lockBackups(home);
    const staged = await stage({ home, archive, ...options });
    rmSync(placesIn(home).restoreWork, { recursive: true, force: true });
    refuseUnmovable(home, staged.units);
    return staged;
  } finally {
    if (created) rmSync(created, { recursive: true, force: true });
  }
}

/** Swaps in what `stage` has unpacked. The caller holds the home's lock and the backup lock. */
export function swapInStaged(
  home: Home,
  { units }: Pick<Staged, "units">,
  { now, onTrial = false }: { now: number; onTrial?: boolean },
): Omit<Restored, "staged"> {
  const { restoreWork } = placesIn(home);
  const source = stagedHome(home);
  try {
    const kept = swap({ home, source, spent: restoreWork, units, now, onTrial, onPlaced: recordPlaced(home) });
    return { counts: countHome(home), kept };
  } catch (error) {
    // With a journal, the working folder holds the home's new state.
    if (!hasJournal(home)) rmSync(restoreWork, { recursive: true, force: true });
    recordFailure(home, error, now);
    throw error;
  }
}

/** Brings back what the last restore replaced, and keeps the present state as an old one. Throws HubError `not_found`. */
export async function undoRestore(home: Home, now: number): Promise<Omit<Restored, "staged"> & { at: string }> {
  return inLockedHome(home, async () => {
    const before = newestOldState(home);
    if (!before) throw new HubError("not_found", `nothing was restored in ${home.root}, so there is nothing to undo`);
    const { folder, units, at } = before;
    const onPlaced = recordPlaced(home);
    const kept = swap({ home, source: homeAt(folder), spent: folder, units, now, onPlaced });
    return { counts: countHome(home), kept, at };
  });
}

/**
 * Finishes an interrupted restore. Every command calls it before it reads anything of the home. Returns whether there was one.
 * `act` provides the rights to do so. Throws HubError `in_use` while a restore is running.
 */
export function recoverRestore(home: Home, act: (home: Home) => Disposable = actAsOwner): boolean {
  if (!hasJournal(home)) return false;
  using _owner = act(home);
  using _lock = borrowHome(home);
  return finishRestore(home);
}

/** As `recoverRestore`, for a caller that holds the home's lock. */
export function finishRestore(home: Home): boolean {
  return resumeSwap(home, recordPlaced(home));
}

export function readLastRestore(home: Home): LastRestore | null {
  try {
    const read: unknown = JSON.parse(readFileSync(placesIn(home).lastRestore, "utf8"));
    return Value.Check(LastRestore, read) ? read : null;
  } catch {
    return null;
  }
}

export function recordFailure(home: Home, error: unknown, now: number): void {
  record(home, { at: isoSeconds(now), ok: false, counts: null, error: messageOf(error) });
}

/** The hub runs with what was restored. */
export function recordStarted(home: Home): void {
  const last = readLastRestore(home);
  if (last) record(home, { ...last, ok: true });
}

/** Runs after a power cut, too, so it must not throw. */
function recordPlaced(home: Home): OnPlaced {
  return ({ at, onTrial }) => record(home, { at, ok: onTrial ? null : true, counts: countsOf(home), error: null });
}

function countsOf(home: Home): Counts | null {
  try {
    return countHome(home);
  } catch {
    return null;
  }
}

function record(home: Home, last: LastRestore): void {
  try {
    writeFileAtomic(placesIn(home).lastRestore, `${JSON.stringify(last)}\n`, 0o600);
  } catch {
    // The restore itself is done, or has reported its own failure.
  }
}

/** Returns the uppermost folder that was created. */
function makeDataFolder({ root, data }: Home): string | undefined {
  try {
    const created = mkdirSync(root, { recursive: true });
    return mkdirSync(data, { recursive: true, mode: 0o700 }) === undefined ? undefined : (created ?? data);
  } catch (error) {
    throw new HubError(
      "storage",
      `cannot create ${data}: ${messageOf(error)}; name a folder that can be written with --home`,
      { cause: error },
    );
  }
}

/** With the home locked, and any interrupted restore finished. Throws HubError `in_use` while a hub runs there. */
export async function inLockedHome<T>(home: Home, work: () => Promise<T>): Promise<T> {
  const created = makeDataFolder(home);
  try {
    using _home = borrowHome(home);
    finishRestore(home);
    using _lock = lockBackups(home);
    return await work();
  } catch (error) {
    if (created && !hasJournal(home)) rmSync(created, { recursive: true, force: true });
    throw error;
  }
}
