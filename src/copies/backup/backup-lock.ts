// One backup or restore at a time in a home, also between the hub and the command line. The holder of the lock may remove
// what an interrupted backup or restore has left behind.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeIfPossible } from "../../kit/files/atomic-file.ts";
import { isHeldError, lockFile } from "../../kit/files/os-lock.ts";
import { HubError, messageOf, RESTART_THE_HUB, systemCode } from "../../kit/schema/errors.ts";
import type { Home } from "../../server/home/paths.ts";
import { placesIn } from "./places.ts";
import { partsIn } from "./scheduled-backups.ts";

/** Throws HubError `in_use`, `conflict` while a swap is unfinished, or `storage` where the home cannot be written. */
export function lockBackups(home: Home): Disposable {
  let lock: Disposable | undefined;
  try {
    lock = lockFile(placesIn(home).lock);
    removeRemains(home);
    return lock;
  } catch (error) {
    lock?.[Symbol.dispose]();
    throw explain(error, home);
  }
}

/**
 * Removes what killed backups and restores have left behind, in the home and in the folder of the scheduled ones, unless one is
 * running. An unfinished swap is kept.
 */
export function removeOrphans(home: Home, directory: string): void {
  const places = placesIn(home);
  const parts = partsIn(directory);
  if (parts.length === 0 && !existsSync(places.backupWork) && !existsSync(places.restoreWork)) return;
  try {
    using _lock = lockBackups(home);
    parts.forEach(removeIfPossible);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
  }
}

function removeRemains(home: Home): void {
  const { backupWork, restoreWork, journal } = placesIn(home);
  // With a journal, the working folder holds the home's new state.
  if (existsSync(journal))
    throw new HubError("conflict", `a restore of ${home.root} was interrupted: ${RESTART_THE_HUB}, which finishes it`);
  for (const work of [backupWork, restoreWork]) removeIfPossible(work);
  // Journals whose writer was killed while writing: their swaps never began.
  for (const name of readdirSync(home.data))
    if (/^restore\.journal\.\d+\.tmp$/.test(name)) rmSync(join(home.data, name), { force: true });
}

function explain(error: unknown, home: Home): HubError {
  const { data, root } = home;
  const { lock } = placesIn(home);
  if (error instanceof HubError) return error;
  const code = systemCode(error) ?? "";
  const cannotOpen = code.startsWith("SQLITE_CANTOPEN") && existsSync(lock);
  if (code.startsWith("SQLITE_READONLY") || cannotOpen)
    return new HubError(
      "storage",
      `cannot write ${lock}: give it to the user who owns this home, or mount its disk for writing`,
      { cause: error },
    );
  if (isHeldError(error))
    return new HubError("in_use", `a backup or a restore of ${root} is under way: wait until it has finished`);
  return new HubError(
    "storage",
    `cannot work in ${data}: ${messageOf(error)}; give its owner the right to write there`,
    { cause: error },
  );
}
