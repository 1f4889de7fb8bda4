// Restoring, undoing a restore, and ending one that was cut short. Works on the files of a home nobody has open.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../core/atomic-file.ts";
import { isoSeconds } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import { borrowHome } from "../home/lock.ts";
import { actAsOwner } from "../home/owner.ts";
import { type Home, homeAt } from "../home/paths.ts";
import { openArchiveFile } from "./archive-file.ts";
import { countHome } from "./counts.ts";
import { newestKept } from "./kept.ts";
import { Counts } from "./manifest.ts";
import { refuseWhatCannotMove } from "./movable.ts";
import { placesIn } from "./places.ts";
import { type Staged, stage, stagedHome } from "./stage.ts";
import type { Schemas } from "./staged-databases.ts";
import { hasJournal, type Placed, resumeSwap, swap } from "./swap.ts";
import { takeTurn } from "./turn.ts";

/** What became of the last restore; in `data/last-restore.json`, so that it outlives the restart. */
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
  /** Counted in the home after the exchange. */
  counts: Counts;
  /** The folder with what was there before. */
  kept: string;
}

/** Verifies and exchanges. Throws HubError with nothing changed; `in_use` while a hub runs there. */
export async function restoreHome({ file, ...options }: RestoreOptions): Promise<Restored> {
  const { home, now } = options;
  using archive = openArchiveFile(file);
  using _owner = actAsOwner(home);
  return await inHome(home, async () => {
    const staged = await stage({ ...options, archive });
    return { staged, ...placeStaged(home, staged, { now }) };
  });
}

/** Verifies alone. A home that is not there yet is not there afterwards either. */
export async function checkArchive({ home, file, ...options }: Omit<RestoreOptions, "now">): Promise<Staged> {
  using archive = openArchiveFile(file);
  using _owner = actAsOwner(home);
  const made = makeData(home);
  try {
    recoverRestore(home);
    using _turn = takeTurn(home);
    const staged = await stage({ home, archive, ...options });
    rmSync(placesIn(home).restoreWork, { recursive: true, force: true });
    refuseWhatCannotMove(home, staged.units);
    return staged;
  } finally {
    if (made) rmSync(made, { recursive: true, force: true });
  }
}

/** Exchanges what `stage` has unpacked. Whoever calls has the home's lock and the turn. */
export function placeStaged(
  home: Home,
  { units }: Pick<Staged, "units">,
  { now, onTrial = false }: { now: number; onTrial?: boolean },
): Omit<Restored, "staged"> {
  const { restoreWork } = placesIn(home);
  const source = stagedHome(home);
  try {
    const kept = swap({ home, source, spent: restoreWork, units, now, onTrial, placed: remembering(home) });
    return { counts: countHome(home), kept };
  } catch (error) {
    // With a journal, what lies there is the home's new state.
    if (!hasJournal(home)) rmSync(restoreWork, { recursive: true, force: true });
    rememberFailure(home, error, now);
    throw error;
  }
}

/** Brings back what the last restore replaced; what it brings back that from is kept in turn. Throws HubError `not_found`. */
export async function undoRestore(home: Home, now: number): Promise<Omit<Restored, "staged"> & { at: string }> {
  return inHome(home, async () => {
    const before = newestKept(home);
    if (!before) throw new HubError("not_found", `nothing was restored in ${home.root}, so there is nothing to undo`);
    const source = homeAt(before.home);
    const { units } = before;
    const kept = swap({ home, source, spent: before.home, units, now, placed: remembering(home) });
    return { counts: countHome(home), kept, at: before.at };
  });
}

/**
 * Ends a restore that was cut short. To be called by every command before it reads anything of the home; answers whether
 * there was one. `act` gives the rights to do it with. Throws HubError `in_use` while somebody is at it.
 */
export function recoverRestore(home: Home, act: (home: Home) => Disposable = actAsOwner): boolean {
  if (!hasJournal(home)) return false;
  using _owner = act(home);
  using _lock = borrowHome(home);
  return resumeSwap(home, remembering(home));
}

export function readLastRestore(home: Home): LastRestore | null {
  try {
    const read: unknown = JSON.parse(readFileSync(placesIn(home).lastRestore, "utf8"));
    return Value.Check(LastRestore, read) ? read : null;
  } catch {
    return null;
  }
}

export function rememberFailure(home: Home, error: unknown, now: number): void {
  remember(home, { at: isoSeconds(now), ok: false, counts: null, error: messageOf(error) });
}

/** The hub runs with what was restored. */
export function rememberStarted(home: Home): void {
  const last = readLastRestore(home);
  if (last) remember(home, { ...last, ok: true });
}

/** Works also in what follows a power cut, so it may fail at nothing. */
export function remembering(home: Home): Placed {
  return ({ at, onTrial }) => remember(home, { at, ok: onTrial ? null : true, counts: countsOf(home), error: null });
}

function countsOf(home: Home): Counts | null {
  try {
    return countHome(home);
  } catch {
    return null;
  }
}

/** Answers the uppermost folder it had to make. */
function makeData({ root, data }: Home): string | undefined {
  try {
    const made = mkdirSync(root, { recursive: true });
    return mkdirSync(data, { recursive: true, mode: 0o700 }) === undefined ? undefined : (made ?? data);
  } catch (error) {
    throw new HubError(
      "storage",
      `cannot make ${data}: ${messageOf(error)}; name a folder that can be written with --home`,
      { cause: error },
    );
  }
}

async function inHome<T>(home: Home, work: () => Promise<T>): Promise<T> {
  const made = makeData(home);
  try {
    using _lock = borrowHome(home);
    resumeSwap(home, remembering(home));
    using _turn = takeTurn(home);
    return await work();
  } catch (error) {
    if (made && !hasJournal(home)) rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

function remember(home: Home, last: LastRestore): void {
  try {
    writeFileAtomic(placesIn(home).lastRestore, `${JSON.stringify(last)}\n`, 0o600);
  } catch {
    // The restore itself is done, or has told why not.
  }
}
