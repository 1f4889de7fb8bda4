// The clock of a process that can be stopped (SIGSTOP, a machine that sleeps): time passes, its timers wait.
import type { Clock } from "../../../../src/kit/time/clock.ts";

export interface StoppableClock extends Clock {
  stop(): void;
  goOn(): void;
}

export function createStoppableClock(clock: Clock): StoppableClock {
  let waiting: Set<() => void> | undefined;

  function whenRunning(fn: () => void): Disposable & { fn: () => void } {
    let isOver = false;
    const run = () => {
      if (!isOver) fn();
    };
    return {
      fn: () => (waiting ? waiting.add(run) : run()),
      [Symbol.dispose]: () => {
        isOver = true;
      },
    };
  }

  return {
    now: () => clock.now(),
    mono: () => clock.mono(),
    after(name, ms, fn) {
      const own = whenRunning(fn);
      const timer = clock.after(name, ms, own.fn);
      const dispose = () => {
        timer[Symbol.dispose]();
        own[Symbol.dispose]();
      };
      return { name, [Symbol.dispose]: dispose };
    },
    every(name, ms, fn) {
      const own = whenRunning(fn);
      const timer = clock.every(name, ms, own.fn);
      const dispose = () => {
        timer[Symbol.dispose]();
        own[Symbol.dispose]();
      };
      return { name, [Symbol.dispose]: dispose };
    },
    stop() {
      waiting ??= new Set();
    },
    goOn() {
      const due = waiting;
      waiting = undefined;
      for (const run of due ?? []) run();
    },
  };
}
