// A home whose state database is gone while other files of it are left: this is not a new house, but a loss.
import { existsSync, statSync } from "node:fs";
import type { Home } from "../../server/home/paths.ts";
import { hadDatabase } from "./restore/stale-wal.ts";
import { newestScheduledBackup } from "./scheduled-backups.ts";

export interface Traces {
  /** A hub with users ran here: there is its history, or the mark of its database. */
  ofHub: boolean;
  /** The path of the newest backup here. */
  newestBackup: string | undefined;
  /** A history was recorded here, and its file is missing or empty. */
  historyGone: boolean;
}

/** Must be called before any database is opened or marked. */
export function tracesOf(home: Home, backupFolder: string): Traces {
  const { historyDb, stateDb } = home;
  return {
    historyGone: hadDatabase(historyDb) && (statSync(historyDb, { throwIfNoEntry: false })?.size ?? 0) === 0,
    ofHub: existsSync(historyDb) || hadDatabase(stateDb),
    newestBackup: newestScheduledBackup(home.resolve(backupFolder)),
  };
}

/** What a person can do about the loss. */
export function mendOfLoss({ newestBackup }: Pick<Traces, "newestBackup">): string {
  const restore =
    newestBackup === undefined
      ? "There is no backup in this home; if you have one elsewhere, stop the hub and restore it: hub restore FILE"
      : `Stop the hub and restore the newest backup: hub restore ${newestBackup}`;
  return `${restore}. To start with an empty house instead, make an administrator: hub passwd admin.`;
}
