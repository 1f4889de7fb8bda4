// Exponential backoff: growing pauses, with jitter, between retries.
import type { RandomBytes } from "../schema/ids.ts";

export interface BackoffOptions {
  firstMs: number;
  maxMs: number;
  /** Random share of the pause: 0.25 gives ±25 %. */
  jitter?: number;
}

export interface Backoff {
  /** The pause before the next retry; grows with each call. */
  next(): number;
  reset(): void;
}

export function createBackoff({ firstMs, maxMs, jitter = 0.25 }: BackoffOptions, random: RandomBytes): Backoff {
  let tries = 0;
  return {
    next() {
      const base = Math.min(maxMs, firstMs * 2 ** Math.min(tries++, 30));
      const unit = (random(1)[0] ?? 0) / 255;
      return Math.round(base * (1 + jitter * (2 * unit - 1)));
    },
    reset() {
      tries = 0;
    },
  };
}
