// When a channel may be tried again: after a pause that grows while it fails, after the silence it asked for, and no sooner
// than its limits allow.
import { createBackoff } from "../../core/backoff.ts";
import type { Clock } from "../../core/clock.ts";
import type { RandomBytes } from "../../core/ids.ts";
import type { Limits } from "../channel.ts";
import { createPace } from "./pace.ts";

export interface Turns {
  /** Milliseconds until the next try. */
  waitMs(): number;
  /** The same without the pause: what the service itself asks for. */
  soonestMs(): number;
  /** Messages that went out, whatever came of them. */
  sent(messages: number): void;
  /** A try failed: the pauses grow. */
  failed(): void;
  /** The pause ends in so long at the latest. */
  within(ms: number): void;
  /** The service wants no other try for so long. */
  silent(ms: number): void;
  /** What comes next has not failed yet. */
  fresh(): void;
  /** A person does not want to wait. */
  now(): void;
}

export interface TurnsOptions {
  limits: Limits;
  clock: Clock;
  random: RandomBytes;
  /** An earlier run left something, and this much of the silence it was asked for. `failed`: it was tried in vain. */
  earlier?: { silenceMs: number; failed: boolean } | undefined;
}

const PAUSES = { firstMs: 5000, longestMs: 10 * 60_000 };
// However long the pauses had become before: a restart is what people do to see whether it works now. The network may come
// up a little later than the hub.
const AFTER_START_MS = 3000;

export function createTurns({ limits, clock, random, earlier }: TurnsOptions): Turns {
  const begun = clock.mono();
  // The earlier run may have sent all that was allowed a moment ago. One that waited in a pause may go all the same.
  const pace = createPace(limits, earlier && { now: begun, free: earlier.failed ? 1 : 0 });
  const backoff = createBackoff(PAUSES, random);
  let pausedUntil = earlier ? begun + AFTER_START_MS : begun;
  let silentUntil = begun + (earlier?.silenceMs ?? 0);

  function soonestMs(): number {
    const now = clock.mono();
    return Math.max(silentUntil - now, pace.waitMs(now));
  }

  return {
    waitMs: () => Math.max(pausedUntil - clock.mono(), soonestMs()),
    soonestMs,
    sent: (messages) => pace.took(messages, clock.mono()),
    failed() {
      pausedUntil = clock.mono() + backoff.next();
    },
    within(ms) {
      pausedUntil = Math.min(pausedUntil, clock.mono() + ms);
    },
    silent(ms) {
      silentUntil = clock.mono() + ms;
    },
    fresh() {
      backoff.reset();
      pausedUntil = clock.mono();
    },
    now() {
      backoff.reset();
      pausedUntil = clock.mono();
      silentUntil = clock.mono();
    },
  };
}
