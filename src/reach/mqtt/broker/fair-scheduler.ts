// Batches of what connections have sent, with all other work of the process between two turns of the event loop. In each turn every
// account that has something gets one batch, the one first that took the least time so far, until the turn is long: so an account that
// sends little never waits for those that send much, over however many connections. Within an account connections take turns.
import type { Clock } from "../../../kit/time/clock.ts";

export interface FairScheduler {
  /** Calls `work` once, after everything that was scheduled before for this account. Those who have not logged in are one account. */
  schedule(work: () => void, account?: string): void;
  /** The size of one batch, of the account whose turn it is. It shrinks where its packets are expensive, to one packet at least. */
  readonly batch: { packets: number; bytes: number };
}

export const MAX_BATCH_PACKETS = 32;
export const MAX_BATCH_BYTES = 65_536;
// A batch that took longer halves the next ones of its account; one that took less doubles them again.
const LONG_BATCH_MS = 20;
const SHORT_BATCH_MS = 5;
// No further batch is begun in a turn that took so long, and no more than so many are.
const LONG_TURN_MS = 5;
const MAX_TURN_BATCHES = 16;
// Deliveries of one batch. A few bytes may go to thousands of subscriptions, and how long that takes is known too late.
const MAX_BATCH_DELIVERIES = 1024;

interface Lane {
  readonly waiting: (() => void)[];
  /** The time that its batches took; whoever comes, or comes back, begins with that of the others. */
  usedMs: number;
  /** Of the next batch. */
  packets: number;
  /** The last turn in which it had a batch. */
  turn: number;
}

/** `maxDeliveries`: of one packet, at present. */
export function createFairScheduler(clock: Clock, maxDeliveries: () => number = () => 1): FairScheduler {
  /** By account; who had a batch last is the last. */
  const lanes = new Map<string, Lane>();
  let waiting = 0;
  let turn = 0;
  let isPlanned = false;
  let turnStartedAt: number | undefined;
  let current: { lane: Lane; startedAt: number } | undefined;
  /** Of the account that had taken least when it had its turn. */
  let floorMs = 0;

  /** Ends what the last batch is measured by: its own time, and that of what it caused at once. */
  function settle(): void {
    if (!current) return;
    const { lane, startedAt } = current;
    const tookMs = clock.mono() - startedAt;
    lane.usedMs += tookMs;
    if (tookMs > LONG_BATCH_MS) lane.packets = Math.max(1, lane.packets >> 1);
    else if (tookMs < SHORT_BATCH_MS) lane.packets = Math.min(MAX_BATCH_PACKETS, lane.packets * 2);
    current = undefined;
  }

  function pick(): Lane | undefined {
    let found: [string, Lane] | undefined;
    for (const [account, lane] of lanes) {
      if (lane.waiting.length === 0) {
        // Nothing is known of it that is not as for a new one.
        if (lane.usedMs <= floorMs && lane.packets === MAX_BATCH_PACKETS) lanes.delete(account);
      } else if (lane.turn !== turn && (!found || lane.usedMs < found[1].usedMs)) found = [account, lane];
    }
    if (!found) return undefined;
    const [account, lane] = found;
    lanes.delete(account);
    lanes.set(account, lane);
    return lane;
  }

  function runOne(): void {
    settle();
    const now = clock.mono();
    if (now - (turnStartedAt ?? now) > LONG_TURN_MS) return;
    const lane = pick();
    const work = lane?.waiting.shift();
    if (!lane || !work) return;
    waiting--;
    lane.turn = turn;
    if (turnStartedAt === undefined) floorMs = Math.max(floorMs, lane.usedMs);
    turnStartedAt ??= now;
    current = { lane, startedAt: now };
    work();
  }

  function endTurn(): void {
    settle();
    turnStartedAt = undefined;
    turn++;
    isPlanned = false;
    if (waiting > 0) planTurn();
  }

  /** Each batch has a call of its own, so that an error in one does not stop the others. Who comes until then has one as well. */
  function planTurn(): void {
    isPlanned = true;
    const batches = Math.min(lanes.size + 1, MAX_TURN_BATCHES);
    for (let number = 0; number < batches; number++) setImmediate(runOne);
    setImmediate(endTurn);
  }

  return {
    get batch() {
      const affordable = Math.max(1, Math.floor(MAX_BATCH_DELIVERIES / Math.max(1, maxDeliveries())));
      return { packets: Math.min(current?.lane.packets ?? MAX_BATCH_PACKETS, affordable), bytes: MAX_BATCH_BYTES };
    },
    schedule(work, account = "") {
      const lane = lanes.get(account) ?? { waiting: [], usedMs: floorMs, packets: MAX_BATCH_PACKETS, turn: -1 };
      if (lane.waiting.length === 0) lane.usedMs = Math.max(lane.usedMs, floorMs);
      lane.waiting.push(work);
      lanes.set(account, lane);
      waiting++;
      if (!isPlanned) planTurn();
    },
  };
}
