// Round robin over connections: one batch of one connection in each turn of the event loop, and all other work of the process
// between two turns. However much clients send, each waits no longer than one batch of every other.
import type { Clock } from "../core/clock.ts";

export interface FairScheduler {
  /** Calls `work` once, after everything that was scheduled before. */
  schedule(work: () => void): void;
  /** The size of one batch. It shrinks where packets are expensive, to one packet at least. */
  readonly batch: { packets: number; bytes: number };
}

export const MAX_BATCH_PACKETS = 32;
export const MAX_BATCH_BYTES = 65_536;
// A turn that took longer halves the batches; one that took less doubles them again.
const LONG_TURN_MS = 20;
const SHORT_TURN_MS = 5;
// Deliveries of one batch. A few bytes may go to thousands of subscriptions, and how long that takes is known too late.
const MAX_BATCH_DELIVERIES = 1024;
// A client with more data schedules its next batch at once. After this time it had none.
const IDLE_MS = 1;

/** `maxDeliveries`: of one packet, at present. */
export function createFairScheduler(clock: Clock, maxDeliveries: () => number = () => 1): FairScheduler {
  let packets = MAX_BATCH_PACKETS;
  let waiting: (() => void)[] = [];
  let round: (() => void)[] = [];
  let at = 0;
  let running = false;
  /** When the last batch started; undefined where the next did not follow at once, as the time between is not its cost. */
  let startedAt: number | undefined;
  let returnedAt = 0;

  function measure(): void {
    const now = clock.mono();
    const tookMs = startedAt === undefined ? SHORT_TURN_MS : now - startedAt;
    if (tookMs > LONG_TURN_MS) packets = Math.max(1, packets >> 1);
    else if (tookMs < SHORT_TURN_MS) packets = Math.min(MAX_BATCH_PACKETS, packets * 2);
    startedAt = now;
  }

  function next(): void {
    measure();
    if (at === round.length) {
      round = waiting;
      waiting = [];
      at = 0;
    }
    const work = round[at++];
    running = at < round.length || waiting.length > 0;
    // Before the work, so that an error in it does not stop the others.
    if (running) setImmediate(next);
    work?.();
    returnedAt = clock.mono();
  }

  return {
    get batch() {
      const affordable = Math.max(1, Math.floor(MAX_BATCH_DELIVERIES / Math.max(1, maxDeliveries())));
      return { packets: Math.min(packets, affordable), bytes: MAX_BATCH_BYTES };
    },
    schedule(work) {
      waiting.push(work);
      if (running) return;
      running = true;
      if (clock.mono() - returnedAt > IDLE_MS) startedAt = undefined;
      setImmediate(next);
    },
  };
}
