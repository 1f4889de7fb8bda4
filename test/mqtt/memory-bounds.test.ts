import { expect, test } from "bun:test";
import { type Bounds, boundMemory, type GrowingStore } from "../../src/mqtt/memory-bounds.ts";
import { recordingLog } from "./support.ts";

type Message = { topic: string; payload: Buffer; messageId?: number };

/** What aedes's own store does, in the small. */
function createStore() {
  const retained = new Map<string, Message>();
  const queues = new Map<string, Message[]>();
  const store: GrowingStore = {
    async storeRetained(packet) {
      if (packet.payload.length === 0) retained.delete(packet.topic);
      else retained.set(packet.topic, packet as Message);
    },
    async outgoingEnqueueCombi(subscriptions, packet) {
      for (const { clientId } of subscriptions)
        queues.set(clientId, [...(queues.get(clientId) ?? []), { ...packet } as Message]);
    },
    async outgoingClearMessageId({ id }, { messageId }) {
      const queue = queues.get(id) ?? [];
      const at = queue.findIndex((one) => one.messageId === messageId);
      return at < 0 ? undefined : queue.splice(at, 1)[0];
    },
  };
  return { store, retained, queues };
}

const message = (topic: string, bytes: number): Message => ({ topic, payload: Buffer.alloc(bytes) });
const bounds: Bounds = { retainedTopics: 2, retainedBytes: 100, queuedMessages: 3, queuedBytes: 100 };

test("retained: so many topics, so many bytes; replacing and clearing go on", async () => {
  const { store, retained } = createStore();
  const { log, entries } = recordingLog();
  boundMemory(store, log, bounds);
  await store.storeRetained(message("a", 40));
  await store.storeRetained(message("b", 40));
  await store.storeRetained(message("c", 1));
  expect([...retained.keys()]).toEqual(["a", "b"]);
  await store.storeRetained(message("a", 70));
  expect(retained.get("a")?.payload).toHaveLength(40);
  expect(entries).toHaveLength(2);
  await store.storeRetained(message("a", 0));
  await store.storeRetained(message("c", 60));
  expect([...retained.keys()]).toEqual(["b", "c"]);
});

test("a queue loses its oldest, by number and by bytes, and what was fetched makes room", async () => {
  const { store, queues } = createStore();
  boundMemory(store, recordingLog().log, bounds);
  const topics = () => queues.get("x")?.map(({ topic }) => topic);
  for (const topic of ["a", "b", "c", "d"]) await store.outgoingEnqueueCombi([{ clientId: "x" }], message(topic, 10));
  expect(topics()).toEqual(["b", "c", "d"]);
  await store.outgoingEnqueueCombi([{ clientId: "x" }], message("e", 85));
  expect(topics()).toEqual(["d", "e"]);
  const [first] = queues.get("x") ?? [];
  if (first) first.messageId = 7;
  await store.outgoingClearMessageId({ id: "x" }, { messageId: 7 });
  await store.outgoingEnqueueCombi([{ clientId: "x" }], message("f", 15));
  expect(topics()).toEqual(["e", "f"]);
});

test("what is on its way to the client is not taken from the queue: the new message is lost then", async () => {
  const { store, queues } = createStore();
  boundMemory(store, recordingLog().log, bounds);
  for (const topic of ["a", "b", "c"]) await store.outgoingEnqueueCombi([{ clientId: "x" }], message(topic, 1));
  for (const [index, one] of (queues.get("x") ?? []).entries()) one.messageId = index + 1;
  await store.outgoingEnqueueCombi([{ clientId: "x" }, { clientId: "y" }], message("d", 1));
  expect(queues.get("x")?.map(({ topic }) => topic)).toEqual(["a", "b", "c"]);
  expect(queues.get("y")).toHaveLength(1);
});
