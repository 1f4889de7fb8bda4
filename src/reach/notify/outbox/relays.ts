// Messages to a person go through the first of the person's channels that works: a copy for each channel is on disk, and all but
// the first stand by. The next one goes as soon as its channel refuses the one before, or has not taken it for a while. As soon as
// one has arrived, the others are dropped.
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import { type Rank, rankOf } from "../message-options.ts";
import type { QueuedMessage, UptimeClock } from "./queued-message.ts";

export interface Relays extends Disposable {
  /** Whether it waits here for the copy before it; otherwise it is to be sent now. */
  standBy(message: QueuedMessage): boolean;
  /** It arrived, or is not to arrive at all: marks the other copies as gone, to be written together with this one. */
  settle(message: QueuedMessage): void;
  /** Its channel refuses it for good. Whether another copy takes its place. */
  passOn(message: QueuedMessage): boolean;
  /** A try failed. */
  failed(message: QueuedMessage): void;
  dropNotice(notice: string): void;
  /** The channels of copies of a notice that stand by. */
  waitingFor(notice: string): string[];
  has(messageId: string): boolean;
  /** Those that wait here. */
  standing(): Iterable<QueuedMessage>;
  /** Whether any copy is not over. */
  isOpen(relayId: string): boolean;
}

export interface RelaysDeps {
  clock: Clock;
  uptime: UptimeClock;
  /** Adds it to its channel's queue and sends it; false where nothing can be sent there. */
  send: (message: QueuedMessage) => boolean;
  /** Takes it out of its channel's queue, unless it is being sent. */
  withdraw: (message: QueuedMessage) => void;
  /** Writes them with the next change. */
  mark: (message: QueuedMessage) => void;
}

/** How long one channel has, by importance, before the next one is tried too. */
const AFTER_MS: Readonly<Record<Rank, number>> = { 0: 15 * 60_000, 1: 60_000, 2: 15_000 };
const MAX_STANDING_BY = 10_000;

export function createRelays({ clock, uptime, send, withdraw, mark }: RelaysDeps): Relays {
  /** All copies that are not over, by the id of their relay and in their order. */
  const copies = new Map<string, QueuedMessage[]>();
  const standing = new Set<QueuedMessage>();
  let timer: Timer | undefined;

  /** One that came from another machine and was not tried here has, in `triedMs`, when it came: the first copy has its time here too. */
  const dueInMs = ({ keptMs, tries, triedMs, options, relay }: QueuedMessage): number =>
    (tries > 0 ? keptMs : triedMs) + (relay?.position ?? 0) * AFTER_MS[rankOf(options)] - uptime();

  function others(message: QueuedMessage): QueuedMessage[] {
    return (copies.get(message.relay?.id ?? "") ?? []).filter((other) => other !== message);
  }

  function remove(message: QueuedMessage): void {
    standing.delete(message);
    const { id = "" } = message.relay ?? {};
    const left = others(message);
    if (left.length > 0) copies.set(id, left);
    else copies.delete(id);
  }

  function discard(message: QueuedMessage): void {
    if (!standing.has(message)) withdraw(message);
    else {
      message.state = "gone";
      mark(message);
    }
    remove(message);
  }

  /** False where its channel cannot send it. */
  function activate(message: QueuedMessage): boolean {
    standing.delete(message);
    if (send(message)) return true;
    message.state = "gone";
    mark(message);
    remove(message);
    return false;
  }

  function activateNext(message: QueuedMessage): boolean {
    const next = others(message).filter((other) => standing.has(other));
    return next.some(activate);
  }

  function watch(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (standing.size === 0) return;
    let soonest = Number.POSITIVE_INFINITY;
    for (const message of standing) soonest = Math.min(soonest, dueInMs(message));
    timer = clock.after("outbox-relay", Math.max(1, soonest), () => {
      for (const message of [...standing]) if (dueInMs(message) <= 0) activate(message);
      watch();
    });
  }

  return {
    standBy(message) {
      const { relay } = message;
      if (!relay) return false;
      const before = copies.get(relay.id) ?? [];
      const waits = before.length > 0 && dueInMs(message) > 0 && standing.size < MAX_STANDING_BY;
      copies.set(relay.id, [...before, message]);
      if (!waits) return false;
      standing.add(message);
      timer ??= clock.after("outbox-relay", Math.max(1, dueInMs(message)), watch);
      return true;
    },
    settle(message) {
      if (!message.relay) return;
      for (const other of others(message)) discard(other);
      copies.delete(message.relay.id);
    },
    passOn(message) {
      if (!message.relay) return false;
      const isActive = others(message).some((other) => !standing.has(other));
      const passed = activateNext(message) || isActive;
      remove(message);
      return passed;
    },
    failed(message) {
      if (message.relay && rankOf(message.options) === 2) activateNext(message);
    },
    dropNotice(notice) {
      for (const message of [...standing]) if (message.options.notice === notice) discard(message);
    },
    waitingFor: (notice) =>
      [...standing].filter(({ options }) => options.notice === notice).map(({ channel }) => channel),
    has: (messageId) => [...standing].some((message) => message.messageId === messageId),
    standing: () => standing,
    isOpen: (relayId) => copies.has(relayId),
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}
