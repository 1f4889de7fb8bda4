// When a channel may be tried again: after a pause that grows with each failure, not before the service allows it, and never
// faster than the service's limits.
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import { createBackoff } from "../../../kit/time/backoff.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Limits } from "../channel.ts";

export interface RetrySchedule {
  /** Milliseconds until the next try; `urgent` is not held up by the service's limit for a minute. */
  waitMs(urgent?: boolean): number;
  /** The same without our own pause: only what the service demands. */
  serviceWaitMs(urgent?: boolean): number;
  /** Counts messages that were sent, whatever the result. */
  sent(messages: number): void;
  /** A try failed: the pause grows. */
  failed(): void;
  /** Shortens the current pause to at most this. */
  limitPause(ms: number): void;
  /** The service allows no other try for so long. */
  retryAfter(ms: number): void;
  /** Ends the pause for an emergency, also one that the service asked for, but only now and then. */
  hurry(): void;
  /** Ends the pause and forgets the failures. */
  reset(): void;
  /** As `reset`, and ignores what the service asked for, as a person wants to try now. */
  retryNow(): void;
}

export interface RetryScheduleOptions {
  limits: Limits;
  clock: Clock;
  random: RandomBytes;
  /** Set when an earlier run left messages: what is left of the service's `retryAfter`, and whether a message was tried in vain. */
  earlier?: { retryAfterMs: number; failed: boolean } | undefined;
}

const PAUSES = { firstMs: 5000, maxMs: 10 * 60_000 };
// The first pause after a start, however long the pauses were before: people restart to see whether it works now. The network
// may come up a little later than the hub.
const AFTER_START_MS = 3000;
// Emergencies may come in a storm. Pushover wants five seconds between tries.
const HURRY_EVERY_MS = 5000;
const INSIST_EVERY_MS = 60_000;

export function createRetrySchedule({ limits, clock, random, earlier }: RetryScheduleOptions): RetrySchedule {
  const begun = clock.mono();
  // The earlier run may have used up the limits just before its end. One message that waited in a pause may go nevertheless.
  const pace = createPace(limits, earlier && { now: begun, free: earlier.failed ? 1 : 0 });
  const backoff = createBackoff(PAUSES, random);
  let pausedUntil = earlier ? begun + AFTER_START_MS : begun;
  let forbiddenUntil = begun + (earlier?.retryAfterMs ?? 0);
  let hurriedAt = Number.NEGATIVE_INFINITY;

  /** What is urgent insists, now and then, also where the service asked for silence. */
  function serviceWaitMs(urgent = false): number {
    const now = clock.mono();
    const until = urgent ? Math.min(forbiddenUntil, hurriedAt + INSIST_EVERY_MS) : forbiddenUntil;
    return Math.max(until - now, pace.waitMs(now, urgent));
  }

  function reset(): void {
    backoff.reset();
    pausedUntil = clock.mono();
  }

  return {
    waitMs: (urgent) => Math.max(pausedUntil - clock.mono(), serviceWaitMs(urgent)),
    serviceWaitMs,
    sent: (messages) => pace.sent(messages, clock.mono()),
    failed() {
      pausedUntil = clock.mono() + backoff.next();
    },
    limitPause(ms) {
      pausedUntil = Math.min(pausedUntil, clock.mono() + ms);
    },
    retryAfter(ms) {
      forbiddenUntil = clock.mono() + ms;
    },
    hurry() {
      const now = clock.mono();
      if (now - hurriedAt < (forbiddenUntil > now ? INSIST_EVERY_MS : HURRY_EVERY_MS)) return;
      hurriedAt = now;
      pausedUntil = Math.min(pausedUntil, now);
      forbiddenUntil = Math.min(forbiddenUntil, now);
    },
    reset,
    retryNow() {
      reset();
      forbiddenUntil = clock.mono();
    },
  };
}

interface Pace {
  /** Milliseconds until one more may be sent, by a clock that shows `now`; for `urgent`, by the limit for a second alone. */
  waitMs(now: number, urgent: boolean): number;
  /** `messages` were sent, the last of them no later than `now`. */
  sent(messages: number, now: number): void;
}

/** `full`: assumes that the limits were used up just now, except for `free` messages a minute. */
function createPace({ perSecond, perMinute }: Limits, full?: { now: number; free: number }): Pace {
  const second = createWindow(perSecond, 1000);
  const minute = createWindow(perMinute, 60_000);
  const windows = [second, minute].filter((window) => !!window);
  if (full) second?.sent(second.limit, full.now);
  if (full) minute?.sent(minute.limit - full.free, full.now);
  return {
    waitMs: (now, urgent) => {
      const binding = windows.filter((window) => !urgent || window === second);
      return Math.max(0, ...binding.map((window) => window.waitMs(now)));
    },
    sent(messages, now) {
      for (const window of windows) window.sent(messages, now);
    },
  };
}

// A token bucket would let up to twice the limit through within one window, so the time of every message is remembered.
function createWindow(limit: number | undefined, spanMs: number) {
  if (limit === undefined) return undefined;
  const times: number[] = [];
  return {
    limit,
    waitMs: (now: number): number => (times.length < limit ? 0 : (times[0] ?? 0) + spanMs - now),
    sent(messages: number, now: number): void {
      for (let left = Math.min(messages, limit); left > 0; left--) times.push(now);
      times.splice(0, times.length - limit);
    },
  };
}
