// Keeps what is looked at again and again to a hundredth of a core, however large it is.
import type { Clock } from "../../../../kit/time/clock.ts";

export interface Pace {
  /** Whether it is time again. */
  isDue(): boolean;
  /** Does it; how long that takes decides when it is time again. */
  measure<T>(work: () => T): T;
}

const PAUSE_PER_WORK = 100;
/** What people change is at most ten seconds behind, with the time between two requests. */
const MAX_PAUSE_MS = 8000;

export function createPace(clock: Pick<Clock, "mono">, shortestMs: number): Pace {
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    isDue: () => clock.mono() >= dueAt,
    measure(work) {
      const begun = clock.mono();
      const result = work();
      const pause = (clock.mono() - begun) * PAUSE_PER_WORK;
      dueAt = begun + Math.min(MAX_PAUSE_MS, Math.max(shortestMs, pause));
      return result;
    },
  };
}
