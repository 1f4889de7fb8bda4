// Work in the background that nobody awaits, callbacks that may throw, and waiting for a bounded time.
import { messageOf } from "../schema/errors.ts";
import { type Clock, sleep } from "../time/clock.ts";
import type { Log } from "./log.ts";

/** Runs a promise without awaiting it; a rejection is logged under `name`. */
export function background(log: Log, name: string, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => log.error("background work failed", { work: name, error: messageOf(error) }));
}

/** Wraps a callback of a timer or library: an error is logged under `name` and not thrown. */
export function guarded<A extends unknown[]>(log: Log, name: string, fn: (...args: A) => void): (...args: A) => void {
  return function guardedCallback(...args) {
    try {
      fn(...args);
    } catch (error) {
      log.error("a callback failed", { callback: name, error: messageOf(error) });
    }
  };
}

/** Awaits `work` for at most `ms`; false if that was too short. The work itself continues. */
export async function within(clock: Clock, ms: number, name: string, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const finished = work.then(() => true).finally(() => done.abort());
  return Promise.race([finished, sleep(clock, name, ms, done.signal).then((whole) => (whole ? false : finished))]);
}
