// Work in the background that nobody awaits, and stopping that ends in bounded time.
import { type Clock, sleep } from "./clock.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";

/** Lets a promise run by itself; its failure is logged under `name` instead of being lost. */
export function background(log: Log, name: string, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => log.error("background work failed", { work: name, error: messageOf(error) }));
}

/** Wraps a callback of a timer or library: a throw is logged under `name` and goes no further. */
export function guarded<A extends unknown[]>(log: Log, name: string, fn: (...args: A) => void): (...args: A) => void {
  return function guardedCallback(...args) {
    try {
      fn(...args);
    } catch (error) {
      log.error("a callback failed", { callback: name, error: messageOf(error) });
    }
  };
}

/** Awaits `work` for at most `ms`; false when the time ran out first. The work itself goes on. */
export async function within(clock: Clock, ms: number, name: string, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const finished = work.then(() => true).finally(() => done.abort());
  return Promise.race([finished, sleep(clock, name, ms, done.signal).then((whole) => (whole ? false : finished))]);
}
