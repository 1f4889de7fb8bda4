// Messages that wait for clients which keep their session: bounded for a session, for the account whose sessions they are, and
// for all. The oldest is dropped; where all together are too many, the oldest of the account that holds the most.
import type { Limits } from "../core/limits.ts";
import { createShares } from "../core/shares.ts";
import { type Held, megabytes, messageBytes, withOwnPayload } from "./held-bytes.ts";
import type { MemoryKeys } from "./memory-config.ts";

type Queued = Partial<Held> & {
  cmd?: string;
  messageId?: number | undefined;
  brokerId?: string;
  brokerCounter?: number;
};

export interface QueueStore {
  outgoingEnqueueCombi(subscriptions: readonly { clientId: string }[], packet: Queued): Promise<void>;
  outgoingUpdate(client: { id: string }, packet: Queued): Promise<void>;
  outgoingClearMessageId(client: { id: string }, packet: Pick<Queued, "messageId">): Promise<Queued | undefined>;
}

export interface QueueRoomOptions {
  bounds: MemoryKeys;
  limits: Limits;
  /** Whose session it is. */
  ownerOf: (sessionId: string) => string;
}

interface Queue {
  readonly account: string;
  messages: number;
  bytes: number;
  /** Message id → bytes, of those that are on their way. */
  readonly sent: Map<number, number>;
}

interface Lack {
  limit: keyof MemoryKeys;
  account: string;
  /** The sessions whose oldest message may go, those that hold the most first. */
  from: () => string[];
}

const ENTRY_BYTES = 550;

export function boundQueues(store: QueueStore, { bounds, limits, ownerOf }: QueueRoomOptions): void {
  const enqueue = store.outgoingEnqueueCombi.bind(store);
  const update = store.outgoingUpdate.bind(store);
  const clear = store.outgoingClearMessageId.bind(store);
  const shares = createShares(megabytes(bounds.max_queued_mb_per_account, bounds.max_queued_mb));
  const mostOfSession = bounds.max_queued_mb_per_session * 1_048_576;
  const queues = new Map<string, Queue>();

  const bytesOf = ({ topic = "", payload = "" }: Queued): number => messageBytes({ topic, payload }, ENTRY_BYTES);

  function count(queue: Queue, bytes: number): void {
    queue.bytes += bytes;
    shares.add(queue.account, bytes);
  }

  async function forget(id: string, messageId: number | undefined): Promise<Queued | undefined> {
    const gone = await clear({ id }, { messageId });
    const queue = queues.get(id);
    if (!gone || !queue) return gone;
    // What was acknowledged halfway has left its bytes behind already.
    if (gone.cmd !== "pubrel") count(queue, -bytesOf(gone));
    if (messageId !== undefined) queue.sent.delete(messageId);
    if (--queue.messages <= 0) {
      count(queue, -queue.bytes);
      queues.delete(id);
    }
    return gone;
  }

  function fullest(account?: string): string[] {
    return [...queues]
      .filter(([, queue]) => account === undefined || queue.account === account)
      .sort(([, a], [, b]) => shares.of(b.account) - shares.of(a.account) || b.bytes - a.bytes)
      .map(([id]) => id);
  }

  function lackOf(id: string, account: string, bytes: number): Lack | undefined {
    const queue = queues.get(id);
    const own = { account, from: () => [id] };
    if (queue && queue.messages >= bounds.max_queued_messages_per_session)
      return { limit: "max_queued_messages_per_session", ...own };
    if ((queue?.bytes ?? 0) + bytes > mostOfSession) return { limit: "max_queued_mb_per_session", ...own };
    const lacks = shares.lacks(account, bytes);
    if (lacks === "each") return { limit: "max_queued_mb_per_account", account, from: () => fullest(account) };
    return lacks && { limit: "max_queued_mb", account: "all", from: () => fullest() };
  }

  /** Messages not yet sent have no message id: clearing "none" takes the oldest of these. */
  async function dropOldest(sessions: readonly string[]): Promise<boolean> {
    for (const id of sessions) if (await forget(id, undefined)) return true;
    return false;
  }

  /** False where all that is held is on its way already: then the new one is lost. */
  async function makeRoom(id: string, account: string, bytes: number): Promise<boolean> {
    for (let lack = lackOf(id, account, bytes); lack; lack = lackOf(id, account, bytes)) {
      const message = "clients that keep their session do not fetch their messages: the oldest are dropped";
      limits.reached({ limit: `[mqtt] ${lack.limit}`, account: lack.account, message });
      if (!(await dropOldest(lack.from()))) return false;
    }
    return true;
  }

  store.outgoingClearMessageId = (client, packet) => forget(client.id, packet.messageId);

  store.outgoingUpdate = async function updateCounted(client, packet) {
    // One that was dropped meanwhile is delivered all the same; refused, it would cost the client its connection.
    const held = await update(client, distinct(packet)).then(
      () => true,
      () => false,
    );
    const queue = queues.get(client.id);
    const { messageId } = packet;
    if (!held || !queue || messageId === undefined) return;
    if (packet.cmd !== "pubrel") queue.sent.set(messageId, bytesOf(packet));
    else {
      // It takes the place of the message, which the client has.
      count(queue, -(queue.sent.get(messageId) ?? 0));
      queue.sent.delete(messageId);
    }
  };

  store.outgoingEnqueueCombi = async function enqueueWithin(subscriptions, packet) {
    if (subscriptions.length === 0) return;
    const bytes = bytesOf(packet);
    const roomy: { clientId: string }[] = [];
    for (const subscription of subscriptions) {
      const { clientId } = subscription;
      const account = ownerOf(clientId);
      if (!(await makeRoom(clientId, account, bytes))) continue;
      const queue = queues.get(clientId) ?? { account, messages: 0, bytes: 0, sent: new Map() };
      queues.set(clientId, queue);
      queue.messages++;
      count(queue, bytes);
      roomy.push(subscription);
    }
    if (roomy.length > 0) await enqueue(roomy, withOwnPayload(packet));
  };
}

/**
 * The store finds messages by broker and counter, and a release has neither: the release of one message would be taken for
 * that of another, which then is never released.
 */
function distinct(packet: Queued): Queued {
  const { cmd, messageId = 0 } = packet;
  return cmd === "pubrel" ? { ...packet, brokerId: cmd, brokerCounter: messageId } : packet;
}
