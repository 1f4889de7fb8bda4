// A home whose state database is gone while other things of it are there: not a new house, but a loss.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home/paths.ts";
import { NO_MARK } from "./marks.ts";
import { notedFor } from "./settle-databases.ts";
import { newestBackup } from "./shelf.ts";

export interface Traces {
  /** A hub with users ran here: its history, or the mark of its database. */
  ofHub: boolean;
  /** Rules beside the examples; they may as well have been copied into a new home. */
  ofRules: boolean;
  /** A backup lies here. */
  ofBackup: boolean;
  /** A history was kept here, and its file is missing or empty. */
  historyGone: boolean;
}

/** Call before anything is opened or marked. */
export function tracesOf(home: Home, backupFolder: string): Traces {
  const had = (path: string): boolean => (notedFor(path) ?? NO_MARK) !== NO_MARK;
  return {
    historyGone: had(home.historyDb) && (statSync(home.historyDb, { throwIfNoEntry: false })?.size ?? 0) === 0,
    ofHub: existsSync(home.historyDb) || had(home.stateDb),
    ofBackup: newestBackup(home.resolve(backupFolder)) !== undefined,
    ofRules: filesIn(home.rules).some((name) => /\.(ron|toml)$/.test(name)),
  };
}

/** What to do, with the newest backup by its name. */
export function mendOfLoss(home: Home, backupFolder: string): string {
  const folder = home.resolve(backupFolder);
  const newest = newestBackup(folder);
  const restore =
    newest === undefined
      ? "There is no backup in this home; if you have one elsewhere, stop the hub and restore it: hub restore FILE"
      : `Stop the hub and restore the newest backup: hub restore ${join(folder, newest)}`;
  return `${restore}. To begin anew instead, make an administrator: hub passwd admin.`;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
