// Brings pictures to the card: at most one a second over all devices, of each the newest, the longest waiting device first, and less
// often where the day's allowance of writes is used up. An SD card wears with each of them.
import type { WriteBudget } from "../../kit/files/write-budget.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";

export interface CardWriterOptions<T> {
  clock: Clock;
  log: Log;
  budget: Pick<WriteBudget, "allows">;
  /** Rejects where the disk does not take it; it is tried again with what is the newest then. */
  save: (key: string, shot: T) => Promise<void>;
}

export interface CardWriter<T> extends Disposable {
  /** In place of what waits under the same key. */
  put(key: string, shot: T): void;
  /** Those that begin so. */
  forget(isGone: (key: string) => boolean): void;
}

const EVERY_MS = 1000;
const RETRY_AFTER_FAULT_MS = 60_000;

export function createCardWriter<T>({ clock, log, budget, save }: CardWriterOptions<T>): CardWriter<T> {
  const waiting = new Map<string, { shot: T; since: number }>();
  let timer: Timer | undefined;
  let last = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let isWriting = false;

  function schedule(ms: number): void {
    if (timer || isWriting || waiting.size === 0) return;
    timer = clock.after("pictures to the card", ms, () => {
      timer = undefined;
      void next();
    });
  }

  const untilNext = (): number => Math.max(0, last + EVERY_MS - clock.mono());

  async function next(): Promise<void> {
    const [key, one] = waiting.entries().next().value ?? [];
    if (key === undefined || !one) return;
    if (!budget.allows(clock.mono() - one.since)) {
      schedule(EVERY_MS);
      return;
    }
    last = clock.mono();
    isWriting = true;
    let again = EVERY_MS;
    try {
      await save(key, one.shot);
      isFailing = false;
      const now = waiting.get(key);
      waiting.delete(key);
      // A newer one has come meanwhile: it waits behind the others.
      if (now && now.shot !== one.shot) waiting.set(key, now);
    } catch (error) {
      if (!isFailing)
        log.warn("a picture of a camera cannot be kept on disk; the newest is in memory", { error: messageOf(error) });
      isFailing = true;
      again = RETRY_AFTER_FAULT_MS;
    } finally {
      isWriting = false;
    }
    schedule(Math.max(untilNext(), again === EVERY_MS ? 0 : again));
  }

  return {
    put(key, shot) {
      waiting.set(key, { shot, since: waiting.get(key)?.since ?? clock.mono() });
      schedule(untilNext());
    },
    forget(isGone) {
      for (const key of waiting.keys()) if (isGone(key)) waiting.delete(key);
    },
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}
