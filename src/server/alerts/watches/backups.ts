// Backups: none for too long, or the scheduled one failed.
import type { Clock } from "../../../kit/time/clock.ts";
import type { Finding, Watch } from "../alert.ts";

/** A place elsewhere that gets a copy of each backup. Times are UTC. */
export interface WatchedTarget {
  name: string;
  since: string;
  lastSuccess: string | null;
  failingSince: string | null;
  problem: string | null;
  /** What was wrong with a copy that was fetched as a whole. */
  checkProblem: string | null;
}

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
  targets?: () => readonly WatchedTarget[];
}

const HOUR_MS = 3600_000;
const DAY_MS = 86_400_000;
/** It is tried again for so long before somebody is notified. */
const OUTAGE_MS = 6 * HOUR_MS;

export function backupWatch(options: BackupWatchOptions): Watch {
  const begun = options.clock.mono();
  return {
    name: "backups",
    check: () => [
      ...here(options, begun),
      ...(options.targets?.() ?? []).flatMap((target) => elsewhere(target, options)),
    ],
  };
}

function here({ last, scheduled, problem, days, clock, houseSince }: BackupWatchOptions, begun: number): Finding[] {
  const failed = problem();
  if (failed !== undefined)
    return [
      {
        kind: "backup_overdue",
        severity: "warning",
        message: `No new backup: ${failed}`,
        mend: MEND,
        variant: "failed",
        values: { reason: failed },
      },
    ];
  const at = last();
  const since = at === null ? houseSince() : Date.parse(at);
  if (since === undefined) return [];
  // A time in the future, from a clock that was ahead: its real age is unknown, but at least the time since the start.
  const ahead = since > clock.now() + DAY_MS;
  const age = Math.floor((ahead ? clock.mono() - begun : clock.now() - since) / DAY_MS);
  if (age < days) return [];
  const message = at === null ? "This house was never backed up" : `The last backup is ${age} days old`;
  const said = at === null ? { variant: "never" } : { variant: "old", values: { days: age } };
  return [{ kind: "backup_overdue", severity: "warning", message, mend: scheduled ? MEND : NONE, ...said }];
}

function elsewhere(
  { name, since, lastSuccess, failingSince, problem, checkProblem }: WatchedTarget,
  { days, clock }: BackupWatchOptions,
): Finding[] {
  const found = { kind: "backup_overdue" as const, about: name, severity: "warning" as const };
  if (checkProblem !== null)
    return [
      {
        ...found,
        severity: "critical",
        message: `The copy of the backups at ${name} is not good: ${checkProblem}`,
        mend: BAD_COPY,
        variant: "bad_copy",
        values: { target: name, reason: checkProblem },
      },
    ];
  const ageOf = (at: string): number => clock.now() - Date.parse(at);
  const isFailing = failingSince !== null && ageOf(failingSince) >= OUTAGE_MS;
  const isOld = ageOf(lastSuccess ?? since) >= days * DAY_MS;
  if (!isFailing && !isOld) return [];
  const from = failingSince ?? lastSuccess ?? since;
  const reason = problem ?? "it was not tried";
  return [
    {
      ...found,
      message: `No backup has got to ${name} since ${from}: ${reason}`,
      mend: ELSEWHERE,
      variant: "elsewhere",
      values: { target: name, since: from, reason },
    },
  ];
}

const MEND = "The log says why; a backup by hand is `hub backup`.";
const NONE = 'No backups are scheduled: set [backup] schedule, such as "0 30 3 * * *", or run `hub backup`.';
const ELSEWHERE =
  "It is tried again every hour. Mend what the reason names, and press Test at the place under System, Backups.";
const BAD_COPY =
  "Make a new backup, and press Test at the place. If it stays so, the storage damages files, or [backup] passphrase is another one now.";
