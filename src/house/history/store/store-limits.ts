// How much the history keeps in memory, and when it compacts.
import type { BufferLimits } from "./sample-buffer.ts";

export interface StoreLimits extends BufferLimits {
  /** Samples in memory at which they are compacted. */
  compactAt: number;
}

export const storeLimits: StoreLimits = {
  compactAt: 50_000,
  maxWaiting: 200_000,
  maxTextBytes: 16 * 1_048_576,
  maxSeries: 100_000,
};
