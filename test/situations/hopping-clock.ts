// A clock for years: it jumps from one timer to the next, and lets promises settle only once a day. For parts that do their
// work inside their timers; others need the virtual clock.
import type { Clock, Timer } from "../../src/kit/time/clock.ts";

export interface HoppingClock extends Clock {
  /** Runs all timers that are due until then, in order. */
  hopTo(wall: number): Promise<void>;
  /** Lets time pass while the hub is off. */
  skip(ms: number): void;
  /** Drops all timers, as when a process is killed. */
  dropTimers(): void;
}

interface Pending {
  at: number;
  every: number | undefined;
  fn: () => void;
}

const BREATH_MS = 86_400_000;

/** `without`: names of timers that never fire. */
export function createHoppingClock(start: number, { without }: { without: (name: string) => boolean }): HoppingClock {
  let now = start;
  const timers = new Set<Pending>();

  function add(name: string, timer: Pending): Timer {
    if (!without(name)) timers.add(timer);
    return { name, [Symbol.dispose]: () => void timers.delete(timer) };
  }

  function first(): Pending | undefined {
    let found: Pending | undefined;
    for (const timer of timers) if (!found || timer.at < found.at) found = timer;
    return found;
  }

  function hop(until: number): void {
    for (let due = first(); due && due.at <= until; due = first()) {
      now = Math.max(now, due.at);
      if (due.every === undefined) timers.delete(due);
      else due.at += due.every;
      due.fn();
    }
    now = until;
  }

  return {
    now: () => now,
    mono: () => now - start,
    after: (name, ms, fn) => add(name, { at: now + Math.max(0, ms), every: undefined, fn }),
    every: (name, ms, fn) => add(name, { at: now + ms, every: ms, fn }),
    async hopTo(wall) {
      while (now < wall) {
        hop(Math.min(wall, now + BREATH_MS));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    skip(ms) {
      now += ms;
    },
    dropTimers: () => timers.clear(),
  };
}
