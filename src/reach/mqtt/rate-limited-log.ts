// Log lines that clients can cause: so many per key and period, then one with the number of dropped lines.
import type { Fields, Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";

const PERIOD_MS = 10_000;
// Above this many keys in one period all further ones share one, so that made-up names do not fill the memory.
const MAX_KEYS = 500;

export interface RateLimitedLog extends Disposable {
  /** Calls `write` unless the key has no lines left in this period. */
  line(key: string, write: () => void): void;
  warn(key: string, message: string, fields: Fields): void;
}

export interface RateLimitedLogOptions {
  clock: Clock;
  log: Log;
  /** Lines per key in ten seconds. */
  lines: number;
  /** Logs the number of dropped lines; by default a warning with the key. */
  report?: (key: string, dropped: number) => void;
}

export function createRateLimitedLog({ clock, log, lines, report }: RateLimitedLogOptions): RateLimitedLog {
  const used = new Map<string, { written: number; dropped: number }>();
  const logDropped = report ?? ((key, dropped) => log.warn(`${dropped} lines dropped`, { about: key }));

  const timer = clock.every("mqtt log period", PERIOD_MS, () => {
    const period = [...used];
    used.clear();
    for (const [key, { dropped }] of period) if (dropped > 0) logDropped(key, dropped);
  });

  function line(wanted: string, write: () => void): void {
    const key = used.has(wanted) || used.size < MAX_KEYS ? wanted : "others";
    const count = used.get(key) ?? { written: 0, dropped: 0 };
    used.set(key, count);
    if (count.written >= lines) {
      count.dropped++;
      return;
    }
    count.written++;
    write();
  }

  return {
    line,
    warn: (key, message, fields) => line(key, () => log.warn(message, fields)),
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
