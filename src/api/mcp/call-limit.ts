// How often a key may call: so many times within a sliding minute.
import type { Clock } from "../../kit/time/clock.ts";

export interface CallLimit {
  /** Counts a call. Returns undefined if it may be done, or in how many seconds to try again. */
  take(key: string): number | undefined;
}

const MINUTE_MS = 60_000;

export function createCallLimit(clock: Pick<Clock, "mono">, maxAMinute: number): CallLimit {
  /** Key → when its calls of the last minute were, oldest first. */
  const calls = new Map<string, number[]>();

  function forgetOld(now: number): void {
    for (const [key, times] of calls) if ((times.at(-1) ?? 0) <= now - MINUTE_MS) calls.delete(key);
  }

  return {
    take(key) {
      const now = clock.mono();
      const recent = (calls.get(key) ?? []).filter((at) => at > now - MINUTE_MS);
      if (recent.length === 0) forgetOld(now);
      calls.set(key, recent);
      const [oldest] = recent;
      if (recent.length >= maxAMinute && oldest !== undefined) return Math.ceil((oldest + MINUTE_MS - now) / 1000);
      recent.push(now);
      return undefined;
    },
  };
}
