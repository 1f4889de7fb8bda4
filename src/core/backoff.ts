// Growing pauses with jitter between tries that keep failing.
import type { RandomBytes } from "./ids.ts";

export interface BackoffOptions {
  firstMs: number;
  longestMs: number;
  /** Share of the pause that is random: 0.25 gives ±25 %. */
  jitter?: number;
}

export interface Backoff {
  /** The pause before the next try; grows with each call. */
  next(): number;
  reset(): void;
}

export function createBackoff({ firstMs, longestMs, jitter = 0.25 }: BackoffOptions, random: RandomBytes): Backoff {
  let tries = 0;
  return {
    next() {
      const base = Math.min(longestMs, firstMs * 2 ** Math.min(tries++, 30));
      const unit = (random(1)[0] ?? 0) / 255;
      return Math.round(base * (1 + jitter * (2 * unit - 1)));
    },
    reset() {
      tries = 0;
    },
  };
}
