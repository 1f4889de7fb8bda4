// Limits on guests that are reached: each is reported by one warning, one event and one entry in the status, however often it
// happens.
import type { Clock } from "../time/clock.ts";
import type { Log } from "./log.ts";

/** Reported by a part that refuses or drops something because of a limit. Cheap enough to report every time. */
export interface LimitReached {
  /** The configuration key, such as `[mqtt] max_connections`; what is limited, where none says how much. */
  limit: string;
  /** The account or address that reached it; `all` for the limit of all accounts together. */
  account: string;
  /** What was refused or dropped, and what to do; without secrets of the account. */
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

/** Reported again only after this time without it. */
const QUIET_MS = 600_000;
// Guests could make up any number of account names: beyond this, they share one entry for each limit.
const MAX_ENTRIES = 200;

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
      const report = entries.size < MAX_ENTRIES ? limit : { ...limit, account: "others" };
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
