// How long ago a time on the wall was, where the clock was set in between: what the house has written down is by the clock
// of that moment. Remembers from when to when the wall clock was how far ahead of the monotonic one.
import type { Clock } from "./clock.ts";

export interface WallSteps extends Disposable {
  /** Ms since the clock showed this, epoch ms. Never below 0. */
  msSince(wall: number): number;
}

/** A stretch between two steps, in monotonic ms; it begins when the one before was seen last, so that none is missed. */
interface Stretch {
  readonly from: number;
  /** Here the one before was over at the latest. */
  readonly noticed: number;
  seen: number;
  aheadMs: number;
}

const LOOK_EVERY_MS = 10_000;
// Less is a clock that is being steered.
const STEP_MS = 1000;
const MOST_STRETCHES = 50;

export function followWallSteps(clock: Clock): WallSteps {
  const begun = { mono: clock.mono(), wall: clock.now() };
  let stretches: Stretch[] = [
    { from: begun.mono, noticed: begun.mono, seen: begun.mono, aheadMs: begun.wall - begun.mono },
  ];

  function look(): void {
    const mono = clock.mono();
    const aheadMs = clock.now() - mono;
    const last = stretches.at(-1);
    if (last && Math.abs(aheadMs - last.aheadMs) < STEP_MS) Object.assign(last, { seen: mono, aheadMs });
    else
      stretches = [...stretches, { from: last?.seen ?? mono, noticed: mono, seen: mono, aheadMs }].slice(
        -MOST_STRETCHES,
      );
  }

  /** When it was, in monotonic ms; of two times that the clock showed it, the later. */
  function monoOf(wall: number): number | undefined {
    return stretches
      .map((stretch, index) => ({
        at: wall - stretch.aheadMs,
        from: stretch.from,
        until: stretches[index + 1]?.noticed,
      }))
      .findLast(({ at, from, until = clock.mono() }) => at >= from && at <= until)?.at;
  }

  const timer = clock.every("watch the clock", LOOK_EVERY_MS, look);
  return {
    msSince(wall) {
      look();
      const mono = clock.mono();
      const at = monoOf(wall);
      if (at !== undefined) return mono - at;
      // Of an earlier run: a step forward in this one is time that went by while the machine was off, and what lies in the
      // future counts from the start.
      return Math.max(0, mono - begun.mono, clock.now() - wall);
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
