// Where backup and restore keep their files within a home.
import { join } from "node:path";
import { type Home, homeAt } from "../../server/home/paths.ts";

export interface Places {
  /** Held by the one backup or restore that runs, in whatever process. */
  readonly lock: string;
  /** Snapshots of a running backup. The holder of the lock may remove what an earlier one left there. */
  readonly backupWork: string;
  /** An archive on its way into the home. Must not be removed while there is a journal. */
  readonly restoreWork: string;
  /** The swap that has begun and must be finished. */
  readonly journal: string;
  /** Copies on their way back from a target, which are only looked at. */
  readonly remoteWork: string;
  /** What is known of the targets elsewhere. */
  readonly targets: string;
  readonly lastBackup: string;
  readonly lastRestore: string;
  /** The folder of one old state: `data/before-restore-0001-<UTC>/`, numbered because a clock may go back. */
  oldState(name: string): string;
}

export const OLD_STATE_NAME = /^before-restore-(\d{4,})-/;

export function placesIn({ data }: Home): Places {
  return {
    lock: join(data, "backup.lock"),
    backupWork: join(data, "backup.tmp"),
    restoreWork: join(data, "restore.tmp"),
    journal: join(data, "restore.journal"),
    remoteWork: join(data, "backup-copy.tmp"),
    targets: join(data, "backup-targets.json"),
    lastBackup: join(data, "last-backup.json"),
    lastRestore: join(data, "last-restore.json"),
    oldState: (name) => join(data, name),
  };
}

/** `2026-11-21T03-00-00Z`: UTC as part of a file's name. */
export function timeInName(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

/** The home as it will be, in the working folder. */
export function stagedHome(home: Home): Home {
  return homeAt(join(placesIn(home).restoreWork, "new"));
}
