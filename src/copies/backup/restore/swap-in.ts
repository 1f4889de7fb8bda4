// Puts another state in the place of the home's: what an archive held, or what the last restore replaced. Finishes what was
// interrupted. Works on the files of a home whose hub is stopped.
import { mkdirSync, rmSync } from "node:fs";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import { actAsOwner } from "../../../server/home/owner.ts";
import { type Home, homeAt } from "../../../server/home/paths.ts";
import type { Unit } from "../archive/archive-plan.ts";
import { countHome } from "../archive/home-contents.ts";
import type { Counts } from "../archive/manifest.ts";
import { lockBackups } from "../backup-lock.ts";
import { placesIn, stagedHome } from "../places.ts";
import { recordFailure, recordPlaced } from "./last-restore.ts";
import { newestOldState } from "./old-states.ts";
import { hasJournal, resumeSwap, swap } from "./swap.ts";

export interface SwappedIn {
  /** Counted in the home after the swap. */
  counts: Counts;
  /** The folder with the old state. */
  kept: string;
}

/** Swaps in what `stage` has unpacked. The caller holds the home's lock and the backup lock. */
export function swapInStaged(
  home: Home,
  { units }: { units: readonly Unit[] },
  { now, onTrial = false }: { now: number; onTrial?: boolean },
): SwappedIn {
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
export async function undoRestore(home: Home, now: number): Promise<SwappedIn & { at: string }> {
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
  using _lock = borrowHome(home, { waits: true });
  return finishRestore(home);
}

/** As `recoverRestore`, for a caller that holds the home's lock. */
export function finishRestore(home: Home): boolean {
  return resumeSwap(home, recordPlaced(home));
}

/** Returns the uppermost folder that was created. */
export function makeDataFolder({ root, data }: Home): string | undefined {
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
    using _home = borrowHome(home, { waits: true });
    finishRestore(home);
    using _lock = lockBackups(home);
    return await work();
  } catch (error) {
    if (created && !hasJournal(home)) rmSync(created, { recursive: true, force: true });
    throw error;
  }
}
