// Where backup and restore keep what is theirs within a home.
import { join } from "node:path";
import type { Home } from "../home/paths.ts";

export interface Places {
  /** Held by whoever makes a backup or a restore: one at a time, in whatever process. */
  readonly turn: string;
  /** Snapshots of a backup that is being made; whoever has the turn may remove what is left of an earlier one. */
  readonly backupWork: string;
  /** An archive on its way into the home. Not to be removed while there is a journal. */
  readonly restoreWork: string;
  /** The swap that has begun and has to be ended. */
  readonly journal: string;
  readonly lastBackup: string;
  readonly lastRestore: string;
  /** Of scheduled backups, unless the configuration names another. */
  readonly backups: string;
  /** What a restore replaced: `data/before-restore-0001-<UTC>/`, counted because a clock may go back. */
  kept(name: string): string;
}

export const KEPT_NAME = /^before-restore-(\d{4,})-/;

export function placesIn({ root, data }: Home): Places {
  return {
    turn: join(data, "backup.lock"),
    backupWork: join(data, "backup.tmp"),
    restoreWork: join(data, "restore.tmp"),
    journal: join(data, "restore.journal"),
    lastBackup: join(data, "last-backup.json"),
    lastRestore: join(data, "last-restore.json"),
    backups: join(root, "backups"),
    kept: (name) => join(data, name),
  };
}

/** `2026-11-21T03-00-00Z`: UTC as part of a file's name. */
export function timeInName(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}
