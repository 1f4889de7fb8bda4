// How late timers fire, which is the time in which one piece of work kept the event loop from all others.
import type { Clock } from "../../kit/time/clock.ts";

export interface LoopLag extends Disposable {
  /** The longest delay in the last one to two minutes, in seconds. */
  longest(): number;
}

const EVERY_MS = 1000;
const WINDOW_MS = 60_000;

export function watchLoopLag(clock: Clock): LoopLag {
  let last = clock.mono();
  let windowEnd = last + WINDOW_MS;
  let [current, previous] = [0, 0];
  const timer = clock.every("loop lag", EVERY_MS, () => {
    const now = clock.mono();
    if (now >= windowEnd) [previous, current, windowEnd] = [current, 0, now + WINDOW_MS];
    current = Math.max(current, now - last - EVERY_MS);
    last = now;
  });
  return {
    longest: () => Math.max(current, previous) / 1000,
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
