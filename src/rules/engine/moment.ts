// A moment that outlives restarts: while the hub runs, the monotonic clock counts from it; over a restart the wall clock
// does. Setting the clock therefore neither shortens nor stretches what is counted in this run of the hub.
import type { Clock } from "../../core/clock.ts";

export interface Moment {
  /** Epoch ms as the clock showed then; what is written down. */
  readonly wall: number;
  readonly mono: number;
  /** Read from disk. */
  readonly restored: boolean;
}

export function momentNow(clock: Clock): Moment {
  return { wall: clock.now(), mono: clock.mono(), restored: false };
}

/** One that lies in the future, because the clock has stepped back since, counts from now. */
export function restoreMoment(clock: Clock, wall: number): Moment {
  return { wall, mono: clock.mono() - Math.max(0, clock.now() - wall), restored: true };
}

/**
 * Ms since then, never below 0. A Pi wakes up in the past and learns the time later: for a restored moment a step forward
 * is time that really went by.
 */
export function msSince(clock: Clock, { wall, mono, restored }: Moment): number {
  const elapsed = clock.mono() - mono;
  return restored ? Math.max(elapsed, clock.now() - wall) : elapsed;
}
