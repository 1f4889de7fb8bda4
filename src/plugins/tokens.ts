// A bucket that fills at a steady rate: how much may pass now, and how long to wait for more.
import type { Clock } from "../core/clock.ts";

export interface TokenBucket {
  /** What is there now; negative after more was spent than there was. */
  level(): number;
  /** Takes it, also into debt. Returns the milliseconds until the debt is paid, 0 without one. */
  spend(amount: number): number;
}

export function createTokenBucket(clock: Clock, capacity: number, perSecond: number): TokenBucket {
  let tokens = capacity;
  let at = clock.mono();

  function level(): number {
    const now = clock.mono();
    tokens = Math.min(capacity, tokens + ((now - at) / 1000) * perSecond);
    at = now;
    return tokens;
  }

  return {
    level,
    spend(amount) {
      tokens = level() - amount;
      return tokens < 0 ? (-tokens / perSecond) * 1000 : 0;
    },
  };
}
