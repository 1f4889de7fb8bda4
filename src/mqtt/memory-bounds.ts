// aedes keeps retained messages, the queues and filters of absent clients and half-finished exchanges in memory without end.
// Here all its bounds are put into it.
import type { Limits } from "../core/limits.ts";
import { createFilterRoom, type FilterRoom, type FilterStore } from "./filter-room.ts";
import { HUB_ACCOUNT } from "./held-bytes.ts";
import type { MemoryKeys } from "./memory-config.ts";
import { boundQueues, type QueueStore } from "./queue-room.ts";
import { boundRetained, type RetainedStore } from "./retained-room.ts";

interface Incoming {
  messageId?: number;
}

/** The part of aedes's in-memory persistence that grows. */
export interface GrowingStore extends RetainedStore, QueueStore, FilterStore {
  incomingStorePacket(client: { id: string }, packet: Incoming): Promise<void>;
}

/** The part of aedes that is looked into. */
export interface GrowingBroker<C> {
  persistence: GrowingStore;
  publish(packet: unknown, client: C | ((error?: Error) => void), done?: (error?: Error) => void): void;
}

export interface MemoryOptions<C> {
  bounds: MemoryKeys;
  limits: Limits;
  accountOf: (client: C) => string | undefined;
}

export function boundMemory<C extends object>(
  broker: GrowingBroker<C>,
  { bounds, limits, accountOf }: MemoryOptions<C>,
): FilterRoom {
  const { persistence: store } = broker;
  const filters = createFilterRoom({ bounds, limits });
  boundRetained(store, { bounds, limits, publisher: publisherOf(broker, accountOf) });
  boundQueues(store, { bounds, limits, ownerOf: filters.ownerOf });
  filters.bound(store);
  emptyIncoming(store);
  return filters;
}

/** Who publishes: what is retained is stored before `publish` returns. */
function publisherOf<C extends object>(broker: GrowingBroker<C>, accountOf: (client: C) => string | undefined) {
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

// A QoS 2 message is delivered when it comes; it is kept only so that the same is not delivered twice until its release, and
// for that its number is enough: 250 of a megabyte would be held for each connection.
function emptyIncoming(store: GrowingStore): void {
  const keep = store.incomingStorePacket.bind(store);
  store.incomingStorePacket = (client, { messageId }) =>
    keep(client, { cmd: "publish", topic: "", payload: Buffer.alloc(0), qos: 2, messageId } as Incoming);
}
