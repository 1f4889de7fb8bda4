// aedes keeps retained messages, queues and filters of absent clients, and unfinished QoS 2 exchanges in memory without a limit.
// Here the quotas are put into it.
import { FilterQuota, type FilterStore } from "./filter-quota.ts";
import { limitQueues, type QueueStore } from "./queue-quota.ts";
import type { QuotaOptions } from "./quota.ts";
import { limitRetained, type RetainedStore } from "./retained-quota.ts";

/** The account in which the hub itself publishes. */
const HUB_ACCOUNT = "hub";

interface Incoming {
  messageId?: number;
}

/** The methods of aedes's in-memory persistence that are replaced. */
export interface UnlimitedStore extends RetainedStore, QueueStore, FilterStore {
  incomingStorePacket(client: { id: string }, packet: Incoming): Promise<void>;
}

/** The part of aedes that is used here. */
export interface UnlimitedBroker<C> {
  persistence: UnlimitedStore;
  publish(packet: unknown, client: C | ((error?: Error) => void), done?: (error?: Error) => void): void;
}

export interface MemoryQuotaOptions<C> extends QuotaOptions {
  accountOf: (client: C) => string | undefined;
}

export function limitMemory<C extends object>(
  broker: UnlimitedBroker<C>,
  { keys, limits, accountOf }: MemoryQuotaOptions<C>,
): FilterQuota {
  const { persistence: store } = broker;
  const filters = new FilterQuota({ keys, limits });
  limitRetained(store, { keys, limits, publisher: publisherOf(broker, accountOf) });
  limitQueues(store, { keys, limits, accountOf: (sessionId) => filters.accountOf(sessionId) });
  filters.limit(store);
  storeIncomingIds(store);
  return filters;
}

/** The account that publishes now: retained messages are stored before `publish` returns. */
function publisherOf<C extends object>(broker: UnlimitedBroker<C>, accountOf: (client: C) => string | undefined) {
  const publish = broker.publish.bind(broker);
  let publisher = HUB_ACCOUNT;
  broker.publish = function publishAs(packet, client, done) {
    const before = publisher;
    publisher = typeof client === "function" || !client ? HUB_ACCOUNT : (accountOf(client) ?? "unknown");
    try {
      publish(packet, client, done);
    } finally {
      publisher = before;
    }
  };
  return () => publisher;
}

// A QoS 2 message is delivered when it arrives. It is stored only to recognise a repetition, for which its id is enough; whole
// messages would be 250 of a megabyte for each connection.
function storeIncomingIds(store: UnlimitedStore): void {
  const storePacket = store.incomingStorePacket.bind(store);
  store.incomingStorePacket = (client, { messageId }) =>
    storePacket(client, { cmd: "publish", topic: "", payload: Buffer.alloc(0), qos: 2, messageId } as Incoming);
}
