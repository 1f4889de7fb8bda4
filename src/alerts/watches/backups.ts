// Backups: none for too long, or the scheduled one failed.
import type { Clock } from "../../core/clock.ts";
import type { Watch } from "../alert.ts";

export interface BackupWatchOptions {
  /** UTC time of the last backup of any kind. */
  last: () => string | null;
  scheduled: boolean;
  /** Why the last scheduled one failed. */
  problem: () => string | undefined;
  days: number;
  clock: Clock;
  /** Epoch ms of the first start of this house; undefined while the clock is certainly wrong. */
  houseSince: () => number | undefined;
}

const DAY_MS = 86_400_000;

export function backupWatch({ last, scheduled, problem, days, clock, houseSince }: BackupWatchOptions): Watch {
  const begun = clock.mono();
  return {
    name: "backups",
    check() {
      const failed = problem();
      if (failed !== undefined)
        return [{ kind: "backup_overdue", severity: "warning", message: `No new backup: ${failed}`, mend: MEND }];
      const at = last();
      const since = at === null ? houseSince() : Date.parse(at);
      if (since === undefined) return [];
      // A time in the future, from a clock that was ahead: its real age is unknown, but at least the time since the start.
      const ahead = since > clock.now() + DAY_MS;
      const age = Math.floor((ahead ? clock.mono() - begun : clock.now() - since) / DAY_MS);
      if (age < days) return [];
      const message = at === null ? "This house was never backed up" : `The last backup is ${age} days old`;
      return [{ kind: "backup_overdue", severity: "warning", message, mend: scheduled ? MEND : NONE }];
    },
  };
}

const MEND = "The log says why; a backup by hand is `hub backup`.";
const NONE = 'No backups are scheduled: set [backup] schedule, such as "0 30 3 * * *", or run `hub backup`.';
