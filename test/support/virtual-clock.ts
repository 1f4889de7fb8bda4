// A clock that moves only when a test says so.
import type { Clock, Timer } from "../../src/kit/time/clock.ts";

interface Pending {
  at: number;
  every?: number;
  name: string;
  fn: () => void;
}

export interface VirtualClock extends Clock {
  /** Moves time on, running what falls due in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Steps the wall clock without letting (monotonic) time pass. */
  step(ms: number): void;
  /** Names of the timers that are running. */
  pending(): string[];
}

export function createVirtualClock(start = Date.UTC(2026, 0, 15, 12, 0, 0)): VirtualClock {
  let wall = start;
  let mono = 0;
  const timers = new Set<Pending>();

  function add(timer: Pending): Timer {
    timers.add(timer);
    return { name: timer.name, [Symbol.dispose]: () => void timers.delete(timer) };
  }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  return {
    now: () => wall,
    mono: () => mono,
    after: (name, ms, fn) => add({ name, at: mono + Math.max(0, ms), fn }),
    every: (name, ms, fn) => add({ name, at: mono + ms, every: ms, fn }),
    step(ms) {
      wall += ms;
    },
    pending: () => [...timers].map(({ name }) => name),
    async advance(ms) {
      const end = mono + ms;
      await settle();
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        wall += due.at - mono;
        mono = due.at;
        if (due.every === undefined) timers.delete(due);
        else due.at += due.every;
        due.fn();
        await settle();
      }
      wall += end - mono;
      mono = end;
      await settle();
    },
  };
}
