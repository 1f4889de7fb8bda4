// The clock of a simulation: it stands still, and moves only from one event of its time to the next.
import type { Clock, Timer } from "../../kit/time/clock.ts";

export interface SimulatedClock extends Clock {
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

// What is repeated for a day need not be repeated every few seconds: a simulation of a year would not come to an end.
const SLOWER_WITH_AGE = 1 / 1000;

export function createSimulatedClock(start: number): SimulatedClock {
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
    // Nobody sets the clock of a simulation.
    mono: () => now,
    after,
    every(name, ms, fn) {
      const began = now;
      let timer = after(name, ms, again);
      function again(): void {
        timer = after(name, Math.max(ms, (now - began) * SLOWER_WITH_AGE), again);
        fn();
      }
      return { name, [Symbol.dispose]: () => timer[Symbol.dispose]() };
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
