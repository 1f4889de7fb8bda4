// Messages that wait for clients with a kept session, and those that were sent and not acknowledged. Limited for a session, for its
// account, and for all. Above a limit the oldest message is dropped; above the limit for all, the oldest one of the account with
// the most bytes.
import { Readable } from "node:stream";
import { createShares, type Shares } from "../../../../kit/lifecycle/shares.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import type { MemoryKeys } from "../../config.ts";
import { isExpired } from "../connection/message-properties.ts";
import { accountNameOf, accountOfSession } from "../session-ids.ts";
import {
  boundsOf,
  type KeptMessage,
  keptMessage,
  messageBytes,
  type PacketToKeep,
  type QuotaOptions,
} from "./quota.ts";

/** A packet as aedes hands it over: it knows a message by the broker and its number, an acknowledgement by the message id. */
type QueuedPacket = Partial<PacketToKeep> & {
  cmd?: string;
  messageId?: number | undefined;
  brokerId?: string;
  brokerCounter?: number;
};

/** The methods of aedes's persistence that are replaced. */
export interface QueueStore {
  outgoingEnqueueCombi(subscriptions: readonly { clientId: string }[], packet: QueuedPacket): Promise<void>;
  outgoingUpdate(client: { id: string }, packet: QueuedPacket): Promise<void>;
  outgoingClearMessageId(
    client: { id: string },
    packet: Pick<QueuedPacket, "messageId">,
  ): Promise<QueuedPacket | undefined>;
  outgoingStream(client: { id: string }): Readable;
}

export interface QueuedMessage {
  /** In the order of arrival, over all sessions and restarts. */
  readonly id: number;
  readonly session: string;
  /** Undefined once the client has it: for QoS 2 the release may be missing still. */
  message: KeptMessage | undefined;
  /** Under which it was sent. */
  messageId: number | undefined;
  /** Nothing is left to do. */
  gone: boolean;
}

export interface QueueOptions extends QuotaOptions {
  clock: Pick<Clock, "mono">;
  /** Called for a new message, and for each later change of it. */
  onChange: (queued: QueuedMessage) => void;
}

interface Queue {
  readonly account: string;
  bytes: number;
  /** By the broker's number. */
  readonly messages: Map<number, QueuedMessage>;
}

interface FullQuota {
  limit: keyof MemoryKeys;
  account: string;
  /** Sessions to drop the oldest message of, those with the most bytes first. */
  from: () => string[];
}

/** Of a client that is back: what waited for it goes out first, and what is published meanwhile must not go out twice. */
interface Resumption {
  /** Of the messages that the stream of waiting ones sends, by the broker's numbers. */
  readonly numbers: Set<number>;
  /** From then on messages are sent as they are published. */
  hasStream: boolean;
}

/** Of the broker: the next number of a message. */
export interface Numbers {
  readonly id: string;
  counter: number;
}

const OVERHEAD_BYTES = 550;

export class MessageQueues {
  readonly #options: QueueOptions;
  readonly #shares: Shares;
  readonly #queues = new Map<string, Queue>();
  readonly #resumptions = new Map<string, Resumption>();
  #numbers: Numbers = { id: "", counter: 0 };
  #lastId = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#shares = createShares(boundsOf(options.keys, "max_queued_mb"));
  }

  /** From now on the broker keeps its queues here. */
  takeOver(store: QueueStore, numbers: Numbers): void {
    this.#numbers = numbers;
    store.outgoingEnqueueCombi = async (subscriptions, packet) => this.#enqueue(subscriptions, packet);
    store.outgoingUpdate = async ({ id }, packet) => this.#update(id, packet);
    store.outgoingClearMessageId = async ({ id }, { messageId }) => this.#acknowledge(id, messageId);
    store.outgoingStream = ({ id }) => Readable.from(this.#packets(id));
  }

  /** As it was before a restart, in order; false where it does not fit any more. */
  load(queued: QueuedMessage): boolean {
    this.#lastId = Math.max(this.#lastId, queued.id);
    if (!this.#makeSpace(queued.session, bytesOf(queued))) return false;
    this.#add(++this.#numbers.counter, queued);
    return true;
  }

  /** The client is back: until the broker reads what waits for it, whatever is published for it waits as well. */
  resume(session: string): void {
    this.#resumptions.set(session, { numbers: new Set(this.#queues.get(session)?.messages.keys()), hasStream: false });
  }

  /** The client has left. */
  left(session: string): void {
    this.#resumptions.delete(session);
  }

  /** Whether a message that is being published is sent with those that waited. */
  isResumed(session: string, { brokerCounter = 0, messageId }: QueuedPacket): boolean {
    return messageId === undefined && this.#resumptions.get(session)?.numbers.has(brokerCounter) === true;
  }

  /** The client may not have this message: it was not sent. */
  skip(session: string, { brokerCounter }: QueuedPacket): void {
    const queued = this.#queues.get(session)?.messages.get(brokerCounter ?? 0);
    if (queued && queued.messageId === undefined) this.#remove(queued, brokerCounter ?? 0);
  }

  /** The session is over. */
  end(session: string): void {
    for (const [number, queued] of this.#queues.get(session)?.messages ?? []) this.#remove(queued, number);
  }

  #enqueue(subscriptions: readonly { clientId: string }[], packet: QueuedPacket): void {
    const { topic, payload, brokerCounter: number = 0 } = packet;
    if (subscriptions.length === 0 || topic === undefined || payload === undefined) return;
    const message = keptMessage({ ...packet, topic, payload });
    for (const { clientId: session } of subscriptions) {
      // Of several filters that match, each has an entry.
      if (this.#queues.get(session)?.messages.has(number)) continue;
      const queued = { id: this.#lastId + 1, session, message, messageId: undefined, gone: false };
      if (!this.#makeSpace(session, bytesOf(queued))) continue;
      this.#lastId++;
      this.#add(number, queued);
      const resumption = this.#resumptions.get(session);
      if (resumption && !resumption.hasStream) resumption.numbers.add(number);
      this.#options.onChange(queued);
    }
  }

  /** A message is sent; or the client has it, and a release takes its place. */
  #update(session: string, { cmd, messageId, brokerCounter: number = 0 }: QueuedPacket): void {
    const queue = this.#queues.get(session);
    const queued = cmd === "pubrel" ? bySentId(queue, messageId)?.[1] : queue?.messages.get(number);
    // It was dropped meanwhile; it is delivered all the same.
    if (!queue || !queued) return;
    if (cmd === "pubrel") {
      this.#count(queue, -bytesOf(queued));
      queued.message = undefined;
    } else if (queued.messageId === messageId) return;
    queued.messageId = messageId;
    this.#options.onChange(queued);
  }

  #acknowledge(session: string, messageId: number | undefined): QueuedPacket | undefined {
    const [number, queued] = bySentId(this.#queues.get(session), messageId) ?? [];
    if (!queued || number === undefined) return undefined;
    const { message } = queued;
    this.#remove(queued, number);
    return { cmd: message ? "publish" : "pubrel", messageId, ...message };
  }

  /** What is to be sent to a client that is back. */
  *#packets(session: string): Generator<object> {
    const now = this.#options.clock.mono();
    const { id: brokerId } = this.#numbers;
    const resumption = this.#resumptions.get(session);
    if (resumption) resumption.hasStream = true;
    for (const [brokerCounter, queued] of [...(this.#queues.get(session)?.messages ?? [])]) {
      const { message, messageId } = queued;
      const known = { brokerId, brokerCounter, ...(messageId !== undefined && { messageId }) };
      if (!message) yield { cmd: "pubrel", ...known };
      else if (isExpired(message.properties, now)) this.#remove(queued, brokerCounter);
      else yield { cmd: "publish", ...message, ...known, dup: messageId !== undefined };
    }
  }

  #add(number: number, queued: QueuedMessage): void {
    const { session } = queued;
    const account = accountOfSession(session);
    const queue: Queue = this.#queues.get(session) ?? { account, bytes: 0, messages: new Map() };
    this.#queues.set(session, queue);
    queue.messages.set(number, queued);
    this.#count(queue, bytesOf(queued));
  }

  #remove(queued: QueuedMessage, number: number): void {
    const queue = this.#queues.get(queued.session);
    if (!queue?.messages.delete(number)) return;
    this.#resumptions.get(queued.session)?.numbers.delete(number);
    this.#count(queue, -bytesOf(queued));
    if (queue.messages.size === 0) this.#queues.delete(queued.session);
    queued.message = undefined;
    queued.gone = true;
    this.#options.onChange(queued);
  }

  #count(queue: Queue, bytes: number): void {
    queue.bytes += bytes;
    this.#shares.add(queue.account, bytes);
  }

  /** Drops messages until this one fits. False where only sent messages are left: then the new one is lost. */
  #makeSpace(session: string, bytes: number): boolean {
    for (let full = this.#fullFor(session, bytes); full; full = this.#fullFor(session, bytes)) {
      const message = "clients that keep their session do not fetch their messages: the oldest are dropped";
      this.#options.limits.reached({ limit: `[mqtt] ${full.limit}`, account: full.account, message });
      if (!this.#dropOldest(full.from())) return false;
    }
    return true;
  }

  #fullFor(session: string, bytes: number): FullQuota | undefined {
    const { keys } = this.#options;
    const key = accountOfSession(session);
    const account = accountNameOf(key);
    const queue = this.#queues.get(session);
    const own = { account, from: () => [session] };
    if (queue && queue.messages.size >= keys.max_queued_messages_per_session)
      return { limit: "max_queued_messages_per_session", ...own };
    if ((queue?.bytes ?? 0) + bytes > keys.max_queued_mb_per_session * 1_048_576)
      return { limit: "max_queued_mb_per_session", ...own };
    const full = this.#shares.lacks(key, bytes);
    if (full === "each") return { limit: "max_queued_mb_per_account", account, from: () => this.#largest(key) };
    return full && { limit: "max_queued_mb", account: "all", from: () => this.#largest() };
  }

  #largest(account?: string): string[] {
    return [...this.#queues]
      .filter(([, queue]) => account === undefined || queue.account === account)
      .sort(([, a], [, b]) => this.#shares.of(b.account) - this.#shares.of(a.account) || b.bytes - a.bytes)
      .map(([id]) => id);
  }

  #dropOldest(sessions: readonly string[]): boolean {
    for (const session of sessions)
      for (const [number, queued] of this.#queues.get(session)?.messages ?? [])
        if (queued.messageId === undefined) {
          this.#remove(queued, number);
          return true;
        }
    return false;
  }
}

// Few are sent and not acknowledged, and they are the oldest.
function bySentId(queue: Queue | undefined, messageId: number | undefined): [number, QueuedMessage] | undefined {
  if (messageId === undefined) return undefined;
  for (const entry of queue?.messages ?? []) if (entry[1].messageId === messageId) return entry;
  return undefined;
}

function bytesOf({ message }: QueuedMessage): number {
  return message ? messageBytes(message, OVERHEAD_BYTES) : 0;
}
