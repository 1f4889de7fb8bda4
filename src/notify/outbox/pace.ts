// Keeps to a service's limits: never more than so many messages within any second and any minute.
import type { Limits } from "../channel.ts";

export interface Pace {
  /** Milliseconds until one more may be sent, by a clock that says `now`. */
  waitMs(now: number): number;
  /** `messages` were sent, the last of them at `now` at the latest. */
  took(messages: number, now: number): void;
}

/** `full`: somebody else, such as the run before, may have used it up just now, but for `free` messages a minute. */
export function createPace({ perSecond, perMinute }: Limits, full?: { now: number; free: number }): Pace {
  const second = createWindow(perSecond, 1000);
  const minute = createWindow(perMinute, 60_000);
  const windows = [second, minute].filter((window) => !!window);
  if (full) second?.took(second.most, full.now);
  if (full) minute?.took(minute.most - full.free, full.now);
  return {
    waitMs: (now) => Math.max(0, ...windows.map((window) => window.waitMs(now))),
    took(messages, now) {
      for (const window of windows) window.took(messages, now);
    },
  };
}

// A bucket that fills up again would let twice as many through within a window: hence every moment is remembered.
function createWindow(most: number | undefined, spanMs: number) {
  if (most === undefined) return undefined;
  const moments: number[] = [];
  return {
    most,
    waitMs: (now: number): number => (moments.length < most ? 0 : (moments[0] ?? 0) + spanMs - now),
    took(messages: number, now: number): void {
      for (let left = Math.min(messages, most); left > 0; left--) moments.push(now);
      moments.splice(0, moments.length - most);
    },
  };
}
