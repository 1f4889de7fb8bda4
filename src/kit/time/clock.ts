// Time is injected: a wall clock, a monotonic clock and named timers. Tests use a virtual clock.

export interface Timer extends Disposable {
  readonly name: string;
}

export interface Clock {
  /** Milliseconds since the epoch. May step: a Raspberry Pi without a real-time clock boots with a time in the past. */
  now(): number;
  /** Monotonic milliseconds, for measuring durations. */
  mono(): number;
  /** Runs `fn` once, after `ms` monotonic milliseconds. */
  after(name: string, ms: number, fn: () => void): Timer;
  /** Runs `fn` every `ms` monotonic milliseconds; for the first time up to a second later. */
  every(name: string, ms: number, fn: () => void): Timer;
}

// setTimeout takes a signed 32-bit integer: with a longer time it would fire at once.
const MAX_WAIT_MS = 2 ** 31 - 1;

// What is done every second or less often is done at whole seconds: an idle hub wakes up once for all of it.
const TOGETHER_MS = 1000;

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  after(name, ms, fn) {
    let handle: ReturnType<typeof setTimeout>;
    const wait = (left: number): void => {
      const step = Math.min(left, MAX_WAIT_MS);
      handle = setTimeout(() => (left > step ? wait(left - step) : fn()), step);
    };
    wait(Math.max(0, ms));
    return { name, [Symbol.dispose]: () => clearTimeout(handle) };
  },
  every(name, ms, fn) {
    if (ms < TOGETHER_MS) {
      const handle = setInterval(fn, ms);
      return { name, [Symbol.dispose]: () => clearInterval(handle) };
    }
    let timer: Timer | undefined;
    let due = Math.ceil((performance.now() + ms) / TOGETHER_MS) * TOGETHER_MS;
    const wait = (): void => {
      timer = systemClock.after(name, due - performance.now(), run);
    };
    const run = (): void => {
      // What was missed while something kept it waiting is not made up for.
      due += ms * Math.max(1, Math.ceil((performance.now() - due) / ms));
      wait();
      fn();
    };
    wait();
    return { name, [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
  },
};

/** The clock of a part that ends before others do: its timers end with it, and it begins none afterwards. */
export function createPartClock(clock: Clock): Clock & Disposable {
  const running = new Set<Timer>();
  let isOver = false;

  function keep(name: string, begin: (end: () => void) => Timer): Timer {
    let timer: Timer | undefined;
    const kept: Timer = {
      name,
      [Symbol.dispose]() {
        running.delete(kept);
        timer?.[Symbol.dispose]();
      },
    };
    if (isOver) return kept;
    running.add(kept);
    timer = begin(() => running.delete(kept));
    return kept;
  }

  return {
    now: () => clock.now(),
    mono: () => clock.mono(),
    after: (name, ms, fn) =>
      keep(name, (end) =>
        clock.after(name, ms, () => {
          end();
          fn();
        }),
      ),
    every: (name, ms, fn) => keep(name, () => clock.every(name, ms, fn)),
    [Symbol.dispose]() {
      isOver = true;
      for (const timer of [...running]) timer[Symbol.dispose]();
    },
  };
}

/** Resolves to true after `ms`, or to false as soon as the signal aborts. */
export function sleep(clock: Clock, name: string, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = clock.after(name, ms, () => finish(true));
    const onAbort = () => finish(false);
    const finish = (whole: boolean) => {
      timer[Symbol.dispose]();
      signal?.removeEventListener("abort", onAbort);
      resolve(whole);
    };
    signal?.addEventListener("abort", onAbort);
  });
}

/** ISO 8601 UTC with seconds: `2026-01-31T23:59:59Z`. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Makes an `isoSeconds` that caches the text of the last second, for many calls in a row. */
export function secondsAsText(): (ms: number) => string {
  let second = Number.NaN;
  let text = "";
  return function iso(ms) {
    if (Math.floor(ms / 1000) !== second) {
      second = Math.floor(ms / 1000);
      text = isoSeconds(ms);
    }
    return text;
  };
}
