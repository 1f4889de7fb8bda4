// The clock of a replay: it stands at a moment of the past, and moves only from one event of that time to the next.
import type { Clock, Timer } from "../../core/clock.ts";

export interface PastClock extends Clock {
  moveTo(at: number): void;
  /** When its first timer is due, in epoch ms. */
  due(): number | undefined;
  /** Runs the first timer that is due by now; does nothing where none is. */
  runDue(): void;
}

interface Pending extends Timer {
  readonly at: number;
  readonly fn: () => void;
}

export function createPastClock(start: number): PastClock {
  const timers = new Set<Pending>();
  let now = start;

  function first(): Pending | undefined {
    let found: Pending | undefined;
    for (const timer of timers) if (!found || timer.at < found.at) found = timer;
    return found;
  }

  function after(name: string, ms: number, fn: () => void): Timer {
    const timer: Pending = { name, at: now + Math.max(0, ms), fn, [Symbol.dispose]: () => void timers.delete(timer) };
    timers.add(timer);
    return timer;
  }

  return {
    now: () => now,
    // Nobody set the clock of a past that is read from a file.
    mono: () => now,
    after,
    every() {
      throw new Error("nothing in a replay happens again and again");
    },
    moveTo(at) {
      now = Math.max(now, at);
    },
    due: () => first()?.at,
    runDue() {
      const timer = first();
      if (!timer || timer.at > now) return;
      timers.delete(timer);
      timer.fn();
    },
  };
}
