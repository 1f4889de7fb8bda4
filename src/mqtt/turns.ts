// Takes connections in turn: one piece of one connection in one round of the event loop, and between two rounds everything
// else the process has to do. However much guests send, nobody waits longer than for one piece.
import type { Clock } from "../core/clock.ts";

export interface Turns {
  /** Calls `work` once, behind all that were here before. */
  take(work: () => void): void;
  /** What one piece is at most: fewer packets where they turn out to be costly, though always one. */
  readonly piece: { packets: number; bytes: number };
}

export const MOST_PACKETS = 32;
export const MOST_BYTES = 65_536;
// A round that took longer makes the pieces smaller; one that took less makes them larger again.
const LONG_ROUND_MS = 20;
const SHORT_ROUND_MS = 5;
// What the packets of one piece may be delivered to. A guest's few bytes may go to thousands of its own subscriptions, and how
// long that takes is known too late.
const MOST_DELIVERIES = 1024;
// Who reads a piece asks for the next at once; after this there was nothing to read.
const IDLE_MS = 1;

/** `mostDeliveries`: of one packet, as things are now. */
export function createTurns(clock: Clock, mostDeliveries: () => number = () => 1): Turns {
  let packets = MOST_PACKETS;
  let waiting: (() => void)[] = [];
  let round: (() => void)[] = [];
  let at = 0;
  let running = false;
  /** When the last piece was handed out, where the next follows on its heels: then what came of it lies in between. */
  let began: number | undefined;
  let handedOut = 0;

  function measure(): void {
    const now = clock.mono();
    const tookMs = began === undefined ? SHORT_ROUND_MS : now - began;
    if (tookMs > LONG_ROUND_MS) packets = Math.max(1, packets >> 1);
    else if (tookMs < SHORT_ROUND_MS) packets = Math.min(MOST_PACKETS, packets * 2);
    began = now;
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
    // Before the work: one that throws must not stop the others.
    if (running) setImmediate(next);
    work?.();
    handedOut = clock.mono();
  }

  return {
    get piece() {
      const narrow = Math.max(1, Math.floor(MOST_DELIVERIES / Math.max(1, mostDeliveries())));
      return { packets: Math.min(packets, narrow), bytes: MOST_BYTES };
    },
    take(work) {
      waiting.push(work);
      if (running) return;
      running = true;
      if (clock.mono() - handedOut > IDLE_MS) began = undefined;
      setImmediate(next);
    },
  };
}
