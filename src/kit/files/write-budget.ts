// A daily allowance of bytes written: once it is used up, what can wait is written less often. An SD card wears with every
// byte written, and the hub cannot control how much its devices report. Writes are delayed, never refused. The budget also
// knows everything that has unwritten changes, and can flush it.
import type { Clock } from "../time/clock.ts";

export interface WriteBudget extends Disposable {
  /** Whether a batch that has waited for `waitedMs` may be written now. */
  allows(waitedMs: number): boolean;
  /**
   * For what is no record of what devices report, and would be missed: delayed only once an hour's allowance is owed, so that neither
   * what a start writes nor a large message keeps it waiting.
   */
  readonly essential: Pick<WriteBudget, "allows" | "enlist">;
  /** `flushAll` calls `flush` until the result is disposed. */
  enlist(flush: () => void): Disposable;
  /** Writes everything that waits, before a copy of the files is made. */
  flushAll(): void;
  /** Bytes this process has written to block devices since its start; undefined if the system does not count them. */
  written(): number | undefined;
  /** The same over the last 24 hours (to the full hour), or since the start if that is later. */
  writtenLastDay(): number | undefined;
  /** What may be written evenly, in a millisecond; undefined for no limit. */
  readonly bytesPerMs: number | undefined;
  /** What was written beyond the allowance and is not made up for yet. */
  debt(): number;
  /** Whether the allowance is used up, so that writes are delayed. */
  readonly sparing: boolean;
}

export interface WriteBudgetOptions {
  clock: Clock;
  /** Undefined: no limit. */
  bytesPerDay: number | undefined;
  /** The system's count for this process, which only grows. */
  bytesWritten: () => number | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// Nothing waits longer, however much was written: this limits what a power cut can lose.
const MAX_WAIT_MS = 10 * 60_000;
// What may be written at once, as a share of an hour's allowance; the rest of the hour's comes evenly, so that no hour has more than its own.
const AT_ONCE = 0.1;

export function createWriteBudget({ clock, bytesPerDay, bytesWritten }: WriteBudgetOptions): WriteBudget {
  const perHour = ((bytesPerDay ?? 0) / DAY_MS) * HOUR_MS;
  const most = perHour * AT_ONCE;
  const perMs = (perHour - most) / HOUR_MS;
  let counted = bytesWritten() ?? 0;
  const hourly: number[] = [counted];
  let left = most;
  let asOf = clock.mono();
  const waiting = new Set<() => void>();

  function settle(): void {
    const now = clock.mono();
    const total = bytesWritten() ?? counted;
    // A debt of more than a day would delay writes long after the cause is gone.
    left = Math.max(Math.min(most, left + (now - asOf) * perMs - (total - counted)), -DAY_MS * perMs);
    asOf = now;
    counted = total;
  }

  const timer = clock.every("write-budget", HOUR_MS, () => {
    hourly.push(bytesWritten() ?? 0);
    if (hourly.length > 25) hourly.shift();
  });

  const allowsOwing =
    (most: number) =>
    (waitedMs: number): boolean => {
      if (bytesPerDay === undefined || waitedMs >= MAX_WAIT_MS) return true;
      settle();
      return left > -most;
    };
  const enlist: WriteBudget["enlist"] = (flush) => {
    waiting.add(flush);
    return { [Symbol.dispose]: () => void waiting.delete(flush) };
  };

  return {
    allows: allowsOwing(0),
    enlist,
    essential: { allows: allowsOwing(perHour), enlist },
    flushAll() {
      for (const flush of waiting) flush();
    },
    written: bytesWritten,
    writtenLastDay() {
      const total = bytesWritten();
      return total === undefined ? undefined : total - (hourly[0] ?? 0);
    },
    bytesPerMs: bytesPerDay === undefined ? undefined : perMs,
    debt() {
      settle();
      return Math.max(0, -left);
    },
    get sparing() {
      if (bytesPerDay === undefined) return false;
      settle();
      return left <= 0;
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
