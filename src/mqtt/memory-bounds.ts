// aedes keeps retained messages and the queues of absent clients in memory without end. Here is the end.
import type { Log } from "../core/log.ts";

interface Queued {
  payload?: Uint8Array | string;
}

/** The part of aedes's in-memory persistence that grows. */
export interface GrowingStore {
  storeRetained(packet: { topic: string; payload: Uint8Array | string }): Promise<void>;
  outgoingEnqueueCombi(subscriptions: readonly { clientId: string }[], packet: Queued): Promise<void>;
  outgoingClearMessageId(
    client: { id: string },
    packet: { messageId?: number | undefined },
  ): Promise<Queued | undefined>;
}

export interface Bounds {
  retainedTopics: number;
  retainedBytes: number;
  queuedMessages: number;
  queuedBytes: number;
}

export const DEFAULT_BOUNDS: Bounds = {
  retainedTopics: 20_000,
  retainedBytes: 64 * 1_048_576,
  queuedMessages: 1000,
  queuedBytes: 4 * 1_048_576,
};

/** Puts the bounds into the store: what is retained beyond them is not kept, a full queue loses its oldest message. */
export function boundMemory(store: GrowingStore, log: Pick<Log, "warn">, bounds: Bounds = DEFAULT_BOUNDS): void {
  boundRetained(store, log, bounds);
  boundQueues(store, log, bounds);
}

function boundRetained(store: GrowingStore, log: Pick<Log, "warn">, bounds: Bounds): void {
  const keep = store.storeRetained.bind(store);
  const sizes = new Map<string, number>();
  let total = 0;

  store.storeRetained = async function storeRetainedWithin(packet) {
    const { topic } = packet;
    const size = packet.payload.length;
    const before = sizes.get(topic) ?? 0;
    const tooMany = before === 0 && sizes.size >= bounds.retainedTopics;
    if (size > 0 && (tooMany || total - before + size > bounds.retainedBytes)) {
      log.warn("a retained message is not kept: too many are held", { topic, held: sizes.size, bytes: total });
      return;
    }
    total += size - before;
    if (size > 0) sizes.set(topic, size);
    else sizes.delete(topic);
    await keep(packet);
  };
}

function boundQueues(store: GrowingStore, log: Pick<Log, "warn">, bounds: Bounds): void {
  const enqueue = store.outgoingEnqueueCombi.bind(store);
  const clear = store.outgoingClearMessageId.bind(store);
  const queues = new Map<string, { messages: number; bytes: number }>();

  async function forget(clientId: string, messageId: number | undefined): Promise<Queued | undefined> {
    const gone = await clear({ id: clientId }, { messageId });
    const queue = queues.get(clientId);
    if (!gone || !queue) return gone;
    queue.messages--;
    queue.bytes -= gone.payload?.length ?? 0;
    if (queue.messages <= 0) queues.delete(clientId);
    return gone;
  }

  /** Makes room for one more; false where everything held is already on its way to the client. */
  async function makeRoom(clientId: string, size: number): Promise<boolean> {
    for (;;) {
      const queue = queues.get(clientId);
      if (!queue || (queue.messages < bounds.queuedMessages && queue.bytes + size <= bounds.queuedBytes)) return true;
      log.warn("a client does not fetch its messages: the oldest is dropped", { client: clientId });
      // Messages not yet sent have no message id: clearing "none" takes the oldest of these.
      if (!(await forget(clientId, undefined))) return false;
    }
  }

  store.outgoingClearMessageId = (client, packet) => forget(client.id, packet.messageId);
  store.outgoingEnqueueCombi = async function enqueueWithin(subscriptions, packet) {
    if (subscriptions.length === 0) return;
    const size = packet.payload?.length ?? 0;
    const roomy: { clientId: string }[] = [];
    for (const subscription of subscriptions) {
      if (!(await makeRoom(subscription.clientId, size))) continue;
      const queue = queues.get(subscription.clientId) ?? { messages: 0, bytes: 0 };
      queues.set(subscription.clientId, { messages: queue.messages + 1, bytes: queue.bytes + size });
      roomy.push(subscription);
    }
    await enqueue(roomy, packet);
  };
}
