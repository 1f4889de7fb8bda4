// A copy of a home's files in its working folder, to be changed there and then swapped in as a whole, as a restore is: a power
// cut at any moment leaves either the old home or the new one. The caller holds the home's lock and the backup lock.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Unit } from "../../copies/backup/archive/archive-plan.ts";
import { placesIn, stagedHome } from "../../copies/backup/places.ts";
import { hasJournal } from "../../copies/backup/restore/swap.ts";
import { syncFolder, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { RESERVE_BYTES, requireSpace } from "../../kit/files/free-space.ts";
import { isStorageFault } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { readingsFolder } from "../../server/db/readings.ts";
import type { Home } from "../../server/home/paths.ts";

export interface StagedCopy extends Disposable {
  /** Where the copy is. */
  readonly home: Home;
  /** Where the import may unpack what it needs. */
  readonly work: string;
}

export interface CopyOptions {
  /** For the history; 0: without it. */
  readonly historyBytes: number;
}

/** What the copy holds. */
export const STAGED_UNITS: readonly Unit[] = ["state", "history", "config", "rules"];

/** Disposing it removes what was not swapped in. Throws HubError `storage`. */
export function copyHome(home: Home, { historyBytes }: CopyOptions): StagedCopy {
  const work = placesIn(home).restoreWork;
  const copy = stagedHome(home);
  const databases = [home.stateDb, ...(historyBytes > 0 ? [home.historyDb] : [])];
  // The old history is unpacked, sorted and written: three times its size.
  const bytes = databases.reduce((sum, path) => sum + bytesOf(path), 0) + historyBytes * 3;
  requireSpace(work, bytes + RESERVE_BYTES, "the import");
  const remove = (): void => {
    // With a journal, the working folder holds the home's new state.
    if (!hasJournal(home)) rmSync(work, { recursive: true, force: true });
  };
  try {
    mkdirSync(copy.data, { recursive: true, mode: 0o700 });
    for (const path of databases) copyDatabase(path, copy.data);
    // What a killed hub had not put into its databases: the next start does, as it would have without the import.
    const readings = readingsFolder(home.stateDb);
    if (existsSync(readings)) copyFolder(readings, readingsFolder(copy.stateDb));
    for (const folder of ["config", "rules"] as const) copyFolder(home[folder], copy[folder]);
    return { home: copy, work, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw explain(error);
  }
}

/** A file that the import writes; on the disk when it returns. */
export function writeStaged(path: string, text: string, mode: number): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileAtomic(path, text, mode);
}

/** All of the copy is on the disk when it returns. */
export function syncStaged({ data, config, rules }: Home): void {
  for (const folder of [data, config, rules]) if (existsSync(folder)) syncFolder(folder);
}

/** As the API explains a disk that is full, for what SQLite and the file system throw while the copy is changed. */
export function explain(error: unknown): unknown {
  if (error instanceof HubError || !isStorageFault(error)) return error;
  return new HubError(
    "storage",
    `the disk filled up, or cannot be written (${messageOf(error)}); nothing was changed`,
    {
      cause: error,
    },
  );
}

/** With its log, which is merged when the copy is opened. */
function copyDatabase(path: string, folder: string): void {
  for (const suffix of ["", "-wal"])
    if (existsSync(path + suffix)) copyFileSync(path + suffix, join(folder, nameOf(path) + suffix));
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: modeOf(from) });
  if (!existsSync(from)) return;
  // Links stay links, and lead where they led: both folders are as deep below the home once they are swapped in.
  for (const name of readdirSync(from))
    cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

function modeOf(folder: string): number {
  return existsSync(folder) ? statSync(folder).mode & 0o777 : 0o755;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function bytesOf(path: string): number {
  return ["", "-wal"].reduce((sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** The text of a file; undefined where there is none. */
export function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
