// Whether a home's files can be renamed away: asked before the first of them is.
import { lstatSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { HubError, messageOf } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import type { Unit } from "./understand.ts";

/** Throws HubError `storage` with what is in the way, and the mend. */
export function refuseWhatCannotMove(home: Home, wanted: readonly Unit[]): void {
  const { dev } = statSync(home.data);
  const there = wanted.flatMap((unit) => pathsOf(home, unit)).filter(isThere);
  for (const path of there) refuseElsewhere(path, dev, home);
  const folders = there.filter((path) => lstatSync(path).isDirectory());
  // Its folder loses the name, and a folder itself is written to when it gets another one above.
  const above = wanted.flatMap((unit) => pathsOf(home, unit)).map(dirname);
  for (const folder of new Set([home.data, ...above, ...folders])) refuseUnwritable(folder);
}

/** A database goes with its logs: one that stayed would be taken for the new file's. */
export function pathsOf({ stateDb, historyDb, config, rules }: Home, unit: Unit): string[] {
  if (unit === "config") return [config];
  if (unit === "rules") return [rules];
  const database = unit === "state" ? stateDb : historyDb;
  return ["", "-wal", "-shm", "-journal"].map((suffix) => database + suffix);
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Renames stay within one file system, and a link that moved would lead elsewhere. */
function refuseElsewhere(path: string, dev: number, { data }: Home): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink())
    throw new HubError("storage", `${path} is a link: put the real one in its place, then restore again`);
  if (stat.dev !== dev || statSync(dirname(path)).dev !== dev)
    throw new HubError(
      "storage",
      `${path} lies on another disk than ${data}, and a restore exchanges them by renaming: bring them onto one`,
    );
}

// Tried, because rights are only half of it: file systems are mounted read-only, or turn so when they are damaged.
function refuseUnwritable(folder: string): void {
  try {
    rmdirSync(mkdtempSync(join(folder, ".restore-")));
  } catch (error) {
    throw new HubError(
      "storage",
      `${folder} cannot be written (${messageOf(error)}), so nothing was restored: it has to be the user's whose home this is`,
      { cause: error },
    );
  }
}
