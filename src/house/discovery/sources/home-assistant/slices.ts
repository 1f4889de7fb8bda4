// Work done bit by bit, so that a house of thousands of entities keeps nothing else waiting while it is read.
import { edenGC } from "bun:jsc";
import type { Clock } from "../../../../kit/time/clock.ts";

const SLICE_MS = 10;
const PAUSE_MS = 5;
// What stays of an announcement lies where garbage was, not between it: the engine waits for much more, and never moves what stays.
const SLICES_A_COLLECTION = 2;

export interface Slices {
  /** Begins after `ms`, unless it is to begin already. */
  soon(ms: number): void;
}

/** `step` does one bit; false once nothing is left. */
export function createSlices(clock: Clock, name: string, step: () => boolean): Slices {
  let isWaiting = false;
  let slices = 0;

  function soon(ms: number): void {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(name, ms, run);
  }

  function run(): void {
    isWaiting = false;
    const end = clock.mono() + SLICE_MS;
    while (step()) {
      if (clock.mono() < end) continue;
      if (++slices % SLICES_A_COLLECTION === 0) edenGC();
      soon(PAUSE_MS);
      return;
    }
  }

  return { soon };
}
