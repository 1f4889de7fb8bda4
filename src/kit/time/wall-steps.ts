// How long ago a wall-clock time was, even if the clock was set since. It records how far the wall clock was ahead of the
// monotonic clock, and from when to when, because stored times are by the wall clock of their moment.
import type { Clock } from "./clock.ts";

export interface WallSteps extends Disposable {
  /** Milliseconds since the clock showed this time, which is in epoch ms. Never below 0. */
  msSince(wall: number): number;
}

/** A stretch of time between two steps, in monotonic ms. It begins when the one before was last seen, so that there are no gaps. */
interface Stretch {
  readonly from: number;
  /** When the step was noticed: the stretch before was over by then. */
  readonly noticed: number;
  seen: number;
  aheadMs: number;
}

const CHECK_EVERY_MS = 10_000;
// A smaller difference is a clock being slewed.
const STEP_MS = 1000;
const MAX_STRETCHES = 50;

export function followWallSteps(clock: Clock): WallSteps {
  const begun = { mono: clock.mono(), wall: clock.now() };
  let stretches: Stretch[] = [
    { from: begun.mono, noticed: begun.mono, seen: begun.mono, aheadMs: begun.wall - begun.mono },
  ];

  function check(): void {
    const mono = clock.mono();
    const aheadMs = clock.now() - mono;
    const last = stretches.at(-1);
    if (last && Math.abs(aheadMs - last.aheadMs) < STEP_MS) Object.assign(last, { seen: mono, aheadMs });
    else
      stretches = [...stretches, { from: last?.seen ?? mono, noticed: mono, seen: mono, aheadMs }].slice(
        -MAX_STRETCHES,
      );
  }

  /** When the clock showed it, in monotonic ms; the later one if it showed it twice. */
  function monoOf(wall: number): number | undefined {
    return stretches
      .map((stretch, index) => ({
        at: wall - stretch.aheadMs,
        from: stretch.from,
        until: stretches[index + 1]?.noticed,
      }))
      .findLast(({ at, from, until = clock.mono() }) => at >= from && at <= until)?.at;
  }

  const timer = clock.every("watch the clock", CHECK_EVERY_MS, check);
  return {
    msSince(wall) {
      check();
      const mono = clock.mono();
      const at = monoOf(wall);
      if (at !== undefined) return mono - at;
      // A time of an earlier run. A step forward in this run is time that passed while the machine was off; a time in the
      // future counts from the start.
      return Math.max(0, mono - begun.mono, clock.now() - wall);
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
