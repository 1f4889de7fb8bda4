// The one rule for times that must survive a restart (timers, holds, cooldowns, pauses): while the hub runs, the monotonic
// clock counts; over a restart, the stored wall time does. So setting the clock neither shortens nor stretches a wait.
import type { Clock } from "./clock.ts";

export interface DurableMoment {
  /** Epoch ms, as the clock showed it. This is what is stored. */
  readonly wall: number;
  readonly mono: number;
  /** Whether it was read from disk. */
  readonly restored: boolean;
}

export function momentNow(clock: Clock): DurableMoment {
  return { wall: clock.now(), mono: clock.mono(), restored: false };
}

// A smaller difference is a clock being slewed.
const STEP_MS = 1000;

/** What to store: the moment as the clock shows it now, which may have been set since. */
export function wallOf(clock: Clock, moment: DurableMoment): number {
  if (moment.restored) return moment.wall;
  const wall = clock.now() - msSince(clock, moment);
  return Math.abs(wall - moment.wall) < STEP_MS ? moment.wall : Math.round(wall);
}

/** A stored moment in the future (the clock was set back since) counts from now. */
export function restoreMoment(clock: Clock, wall: number): DurableMoment {
  return { wall, mono: clock.mono() - Math.max(0, clock.now() - wall), restored: true };
}

/**
 * Ms since the moment, never below 0. A Raspberry Pi has no clock while it is off: it starts in the past and learns the
 * time later. So for a restored moment, a forward step of the clock is time that really passed.
 */
export function msSince(clock: Clock, { wall, mono, restored }: DurableMoment): number {
  const elapsed = clock.mono() - mono;
  return restored ? Math.max(elapsed, clock.now() - wall) : elapsed;
}
