// Messages that wait for clients with a kept session. Limited for a session, for its account, and for all. Above a limit the
// oldest message is dropped; above the limit for all, the oldest one of the account with the most bytes.
import { createShares, type Shares } from "../core/shares.ts";
import type { MemoryKeys } from "./config.ts";
import { boundsOf, messageBytes, type QuotaOptions, type StoredMessage, withOwnPayload } from "./quota.ts";

type QueuedPacket = Partial<StoredMessage> & {
  cmd?: string;
  messageId?: number | undefined;
  brokerId?: string;
  brokerCounter?: number;
};

export interface QueueStore {
  outgoingEnqueueCombi(subscriptions: readonly { clientId: string }[], packet: QueuedPacket): Promise<void>;
  outgoingUpdate(client: { id: string }, packet: QueuedPacket): Promise<void>;
  outgoingClearMessageId(
    client: { id: string },
    packet: Pick<QueuedPacket, "messageId">,
  ): Promise<QueuedPacket | undefined>;
}

export interface QueueQuotaOptions extends QuotaOptions {
  accountOf: (sessionId: string) => string;
}

interface Queue {
  readonly account: string;
  messages: number;
  bytes: number;
  /** Message id → bytes, of messages that were sent and not acknowledged. */
  readonly sent: Map<number, number>;
}

interface FullQuota {
  limit: keyof MemoryKeys;
  account: string;
  /** Sessions to drop the oldest message of, those with the most bytes first. */
  from: () => string[];
}

const OVERHEAD_BYTES = 550;

/** Replaces the methods of the store by ones that keep the quota. */
export function limitQueues(store: QueueStore, options: QueueQuotaOptions): void {
  const quota = new QueueQuota(store, options);
  store.outgoingEnqueueCombi = (subscriptions, packet) => quota.enqueue(subscriptions, packet);
  store.outgoingUpdate = (client, packet) => quota.update(client, packet);
  store.outgoingClearMessageId = (client, { messageId }) => quota.clear(client.id, messageId);
}

class QueueQuota {
  readonly #store: QueueStore;
  readonly #options: QueueQuotaOptions;
  readonly #shares: Shares;
  readonly #queues = new Map<string, Queue>();

  constructor(store: QueueStore, options: QueueQuotaOptions) {
    this.#store = {
      outgoingEnqueueCombi: store.outgoingEnqueueCombi.bind(store),
      outgoingUpdate: store.outgoingUpdate.bind(store),
      outgoingClearMessageId: store.outgoingClearMessageId.bind(store),
    };
    this.#options = options;
    this.#shares = createShares(boundsOf(options.keys, "max_queued_mb"));
  }

  async enqueue(subscriptions: readonly { clientId: string }[], packet: QueuedPacket): Promise<void> {
    if (subscriptions.length === 0) return;
    const bytes = bytesOf(packet);
    const accepted: { clientId: string }[] = [];
    for (const subscription of subscriptions) {
      const { clientId } = subscription;
      const account = this.#options.accountOf(clientId);
      if (!(await this.#makeSpace(clientId, account, bytes))) continue;
      const queue = this.#queues.get(clientId) ?? { account, messages: 0, bytes: 0, sent: new Map() };
      this.#queues.set(clientId, queue);
      queue.messages++;
      this.#count(queue, bytes);
      accepted.push(subscription);
    }
    if (accepted.length > 0) await this.#store.outgoingEnqueueCombi(accepted, withOwnPayload(packet));
  }

  async update(client: { id: string }, packet: QueuedPacket): Promise<void> {
    // Fails for a message that was dropped meanwhile; it is delivered all the same, as an error would end the connection.
    const stored = await this.#store.outgoingUpdate(client, distinct(packet)).then(
      () => true,
      () => false,
    );
    const queue = this.#queues.get(client.id);
    const { messageId } = packet;
    if (!stored || !queue || messageId === undefined) return;
    if (packet.cmd !== "pubrel") queue.sent.set(messageId, bytesOf(packet));
    else {
      // It replaces the message, which the client has received.
      this.#count(queue, -(queue.sent.get(messageId) ?? 0));
      queue.sent.delete(messageId);
    }
  }

  async clear(id: string, messageId: number | undefined): Promise<QueuedPacket | undefined> {
    const cleared = await this.#store.outgoingClearMessageId({ id }, { messageId });
    const queue = this.#queues.get(id);
    if (!cleared || !queue) return cleared;
    // The bytes of a message with a PUBREL were released by the update.
    if (cleared.cmd !== "pubrel") this.#count(queue, -bytesOf(cleared));
    if (messageId !== undefined) queue.sent.delete(messageId);
    if (--queue.messages <= 0) {
      this.#count(queue, -queue.bytes);
      this.#queues.delete(id);
    }
    return cleared;
  }

  #count(queue: Queue, bytes: number): void {
    queue.bytes += bytes;
    this.#shares.add(queue.account, bytes);
  }

  /** Drops messages until this one fits. False where only sent messages are left: then the new one is lost. */
  async #makeSpace(id: string, account: string, bytes: number): Promise<boolean> {
    for (let full = this.#fullFor(id, account, bytes); full; full = this.#fullFor(id, account, bytes)) {
      const message = "clients that keep their session do not fetch their messages: the oldest are dropped";
      this.#options.limits.reached({ limit: `[mqtt] ${full.limit}`, account: full.account, message });
      if (!(await this.#dropOldest(full.from()))) return false;
    }
    return true;
  }

  #fullFor(id: string, account: string, bytes: number): FullQuota | undefined {
    const { keys } = this.#options;
    const queue = this.#queues.get(id);
    const own = { account, from: () => [id] };
    if (queue && queue.messages >= keys.max_queued_messages_per_session)
      return { limit: "max_queued_messages_per_session", ...own };
    if ((queue?.bytes ?? 0) + bytes > keys.max_queued_mb_per_session * 1_048_576)
      return { limit: "max_queued_mb_per_session", ...own };
    const full = this.#shares.lacks(account, bytes);
    if (full === "each") return { limit: "max_queued_mb_per_account", account, from: () => this.#largest(account) };
    return full && { limit: "max_queued_mb", account: "all", from: () => this.#largest() };
  }

  #largest(account?: string): string[] {
    return [...this.#queues]
      .filter(([, queue]) => account === undefined || queue.account === account)
      .sort(([, a], [, b]) => this.#shares.of(b.account) - this.#shares.of(a.account) || b.bytes - a.bytes)
      .map(([id]) => id);
  }

  /** Unsent messages have no message id: clearing `undefined` takes the oldest of them. */
  async #dropOldest(sessions: readonly string[]): Promise<boolean> {
    for (const id of sessions) if (await this.clear(id, undefined)) return true;
    return false;
  }
}

function bytesOf({ topic = "", payload = "" }: QueuedPacket): number {
  return messageBytes({ topic, payload }, OVERHEAD_BYTES);
}

/**
 * The store finds packets by broker and counter, and a PUBREL has neither. Without these, the PUBREL of one message would
 * replace that of another, which then would never be sent.
 */
function distinct(packet: QueuedPacket): QueuedPacket {
  const { cmd, messageId = 0 } = packet;
  return cmd === "pubrel" ? { ...packet, brokerId: cmd, brokerCounter: messageId } : packet;
}
