// Spares the disk: what may wait is written less often once the day's allowance runs out. An SD card wears by bytes written,
// and the hub has no say in how much its devices talk. It holds back, it never refuses. It also knows who has something waiting.
import type { Clock } from "./clock.ts";

export interface WriteBudget extends Disposable {
  /** Whether what has waited so long may be written now. */
  allows(waitedMs: number): boolean;
  /** Has `flush` called by `flushAll`, until it is disposed. */
  enlist(flush: () => void): Disposable;
  /** Everything that waits is written now: before a copy of the files is taken. */
  flushAll(): void;
  /** Bytes this process gave to block devices since its start; undefined where the system does not count them. */
  written(): number | undefined;
  /** The same over the last 24 hours (to the full hour), or since the start where that is later. */
  writtenLastDay(): number | undefined;
  /** Whether the allowance is used up, and writing waits. */
  readonly sparing: boolean;
}

export interface WriteBudgetOptions {
  clock: Clock;
  /** Undefined: no limit. */
  bytesPerDay: number | undefined;
  /** A count that only grows: the process's own, as the system keeps it. */
  bytesWritten: () => number | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// However much was written, nothing waits longer: what a power cut takes stays bounded.
const LONGEST_WAIT_MS = 10 * 60_000;

export function createWriteBudget({ clock, bytesPerDay, bytesWritten }: WriteBudgetOptions): WriteBudget {
  const bytesPerMs = (bytesPerDay ?? 0) / DAY_MS;
  // An hour's allowance may be used at once: a house is quiet at night and busy in the morning.
  const most = bytesPerMs * HOUR_MS;
  let counted = bytesWritten() ?? 0;
  const hourly: number[] = [counted];
  let left = most;
  let asOf = clock.mono();
  const waiting = new Set<() => void>();

  function settle(): void {
    const now = clock.mono();
    const total = bytesWritten() ?? counted;
    // A debt of more than a day would hold the hub back long after the cause is gone.
    left = Math.max(Math.min(most, left + (now - asOf) * bytesPerMs) - (total - counted), -24 * most);
    asOf = now;
    counted = total;
  }

  const timer = clock.every("write-budget", HOUR_MS, () => {
    hourly.push(bytesWritten() ?? 0);
    if (hourly.length > 25) hourly.shift();
  });

  return {
    allows(waitedMs) {
      if (bytesPerDay === undefined || waitedMs >= LONGEST_WAIT_MS) return true;
      settle();
      return left > 0;
    },
    enlist(flush) {
      waiting.add(flush);
      return { [Symbol.dispose]: () => void waiting.delete(flush) };
    },
    flushAll() {
      for (const flush of waiting) flush();
    },
    written: bytesWritten,
    writtenLastDay() {
      const total = bytesWritten();
      return total === undefined ? undefined : total - (hourly[0] ?? 0);
    },
    get sparing() {
      return bytesPerDay !== undefined && left <= 0;
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
