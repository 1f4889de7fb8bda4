// Backups: none for too long, or none that are made by themselves.
import type { Clock } from "../../core/clock.ts";
import type { Watch } from "../alert.ts";

export interface BackupWatchOptions {
  /** UTC, of whatever kind. */
  last: () => string | null;
  scheduled: boolean;
  /** Why the last scheduled one failed. */
  problem: () => string | undefined;
  days: number;
  clock: Clock;
  /** Epoch ms of the house's first day. */
  houseSince: number;
}

const DAY_MS = 86_400_000;

export function backupWatch({ last, scheduled, problem, days, clock, houseSince }: BackupWatchOptions): Watch {
  return {
    name: "backups",
    look() {
      const failed = problem();
      if (failed !== undefined)
        return [{ kind: "backup_overdue", severity: "warning", message: `No new backup: ${failed}`, mend: MEND }];
      const at = last();
      const since = at === null ? houseSince : Date.parse(at);
      const age = Math.floor((clock.now() - since) / DAY_MS);
      if (age < days) return [];
      const message = at === null ? "This house was never backed up" : `The last backup is ${age} days old`;
      return [{ kind: "backup_overdue", severity: "warning", message, mend: scheduled ? MEND : NONE }];
    },
  };
}

const MEND = "The log says why; a backup by hand is `hub backup`.";
const NONE = 'No backups are scheduled: set [backup] schedule, such as "0 30 3 * * *", or run `hub backup`.';
