// Lets the rest of the hub run during long work: after some milliseconds of it, everything else that waits comes first.
import type { Clock } from "../../core/clock.ts";

const SLICE_MS = 8;

/** To be awaited after each small step; true where others had their turn meanwhile. */
export function createSlices(clock: Pick<Clock, "mono">): () => Promise<boolean> {
  let began = clock.mono();
  return async () => {
    if (clock.mono() - began < SLICE_MS) return false;
    await new Promise((resolve) => setImmediate(resolve));
    began = clock.mono();
    return true;
  };
}
