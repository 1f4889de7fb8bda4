// Limits on guests that were reached: one warning, one event and one entry in the status for each, however often it happens.
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

/** What a part reports when it refuses or drops something because a limit is reached. Costs nothing worth saving. */
export interface LimitReached {
  /** The configuration key, such as `[mqtt] max_connections`. */
  limit: string;
  /** The account or address that reached it; `all` where everybody's share together did. */
  account: string;
  /** What was refused or dropped, and what to do; without the account's secrets. */
  message: string;
}

export interface Limits {
  reached(limit: LimitReached): void;
}

export interface LimitReports extends Limits {
  /** Those reached in the last ten minutes. */
  problems(): LimitReached[];
}

export interface LimitReportsOptions {
  clock: Clock;
  log: Log;
  emit(event: { type: "limit_reached" } & LimitReached): void;
}

/** Reported again only after so long without it. */
const QUIET_MS = 600_000;
// Accounts are named by guests: those beyond share one entry a limit.
const MOST_ENTRIES = 200;

export function createLimitReports({ clock, log, emit }: LimitReportsOptions): LimitReports {
  const entries = new Map<string, { last: number; report: LimitReached }>();

  function dropQuiet(now: number): void {
    for (const [key, { last }] of entries) if (now - last >= QUIET_MS) entries.delete(key);
  }

  return {
    reached(limit) {
      const now = clock.mono();
      const known = entries.get(keyOf(limit));
      if (known && now - known.last < QUIET_MS) {
        known.last = now;
        return;
      }
      dropQuiet(now);
      const report = entries.size < MOST_ENTRIES ? limit : { ...limit, account: "others" };
      const key = keyOf(report);
      const shared = entries.get(key);
      entries.set(key, { last: now, report });
      if (shared) return;
      log.warn("a limit is reached", { ...report });
      emit({ type: "limit_reached", ...report });
    },
    problems() {
      dropQuiet(clock.mono());
      return [...entries.values()].map(({ report }) => report);
    },
  };
}

function keyOf({ limit, account }: LimitReached): string {
  return `${limit} ${account}`;
}
