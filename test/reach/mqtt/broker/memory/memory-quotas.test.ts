// Memory that one account can make the broker use, and what is left for the others: with real clients on real sockets.
import { describe, expect, test } from "bun:test";
import { Readable } from "node:stream";
import { Value } from "@sinclair/typebox/value";
import type { Packet } from "mqtt-packet";
import { createBrokerMemory, type UnlimitedBroker } from "../../../../../src/reach/mqtt/broker/memory/broker-memory.ts";
import { MemoryKeys } from "../../../../../src/reach/mqtt/config.ts";
import { openTestState } from "../../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../../support/virtual-clock.ts";
import { connectPacket, openRaw, type RawConnection } from "../../raw.ts";
import { recordingLog, startTestMqtt, type TestClient, type TestMqtt, until } from "../../support.ts";

const NAMES = ["ann", "ben", "cid"];
const users = NAMES.map((username) => ({ username, password: "secret", publish: ["#"], subscribe: ["#"] }));
const as = (username: string) => ({ username, password: "secret" });
const kb = (count: number) => "x".repeat(count * 1024);

const rig = (config: Partial<MemoryKeys> & { max_payload_bytes?: number } = {}) =>
  startTestMqtt({ config: { users, ...config } });
const reached = ({ limits }: TestMqtt) => limits.problems().map(({ limit, account }) => `${limit} ${account}`);

describe("retained messages", () => {
  test("limited for the account that published them, and for all; replacing and clearing still work", async () => {
    await using hub = await rig({ max_retained_mb: 1.5, max_retained_mb_per_account: 1 });
    const [ann, ben] = [await hub.client(as("ann")), await hub.client(as("ben"))];
    const fill = async (who: typeof ann, name: string, count: number) => {
      for (let index = 0; index < count; index++)
        await who.publishAsync(`x/${name}/${index}`, kb(100), { qos: 1, retain: true });
    };
    const kept = async (count: number) => {
      const reader = await hub.client(as("cid"));
      await reader.subscribeAsync("x/#");
      await until(() => reader.messages.length >= count);
      await reader.publishAsync("x/that's all", "", { qos: 1 });
      await until(() => reader.messages.at(-1)?.topic === "x/that's all");
      return reader.messages.slice(0, -1).map(({ topic }) => topic.slice(2));
    };
    await fill(ann, "ann", 14);
    await until(() => reached(hub).length === 1);
    expect(reached(hub)).toEqual(["[mqtt] max_retained_mb_per_account ann"]);
    await fill(ben, "ben", 9);
    await until(() => reached(hub).length === 2);
    expect(reached(hub)[1]).toBe("[mqtt] max_retained_mb all");
    const topics = await kept(15);
    expect(topics.filter((topic) => topic.startsWith("ann"))).toHaveLength(10);
    expect(topics.filter((topic) => topic.startsWith("ben"))).toHaveLength(5);
    await ann.publishAsync("x/ann/0", "small now", { qos: 1, retain: true });
    for (const index of [1, 2, 3]) await ann.publishAsync(`x/ann/${index}`, "", { qos: 1, retain: true });
    await fill(ben, "ben_again", 3);
    expect(await kept(15)).toHaveLength(7 + 5 + 3);
  });

  test("many small messages count as well", async () => {
    await using hub = await rig({ max_retained_mb_per_account: 1 });
    const ann = await hub.client(as("ann"));
    for (let index = 0; index < 1500; index++) ann.publish(`x/${index}`, "1", { qos: 0, retain: true });
    await until(() => reached(hub).length === 1);
  });

  test("the hub's own retained messages count as the hub's", async () => {
    await using hub = await rig({ max_retained_mb_per_account: 1 });
    for (let index = 0; index < 12; index++) await hub.mqtt.publish(`x/${index}`, kb(100), { retain: true });
    expect(reached(hub)).toEqual(["[mqtt] max_retained_mb_per_account hub"]);
  });
});

describe("queues of absent clients", () => {
  /** Kept sessions with absent clients. */
  async function away(hub: TestMqtt, name: string, ids: string[]): Promise<void> {
    for (const clientId of ids) {
      const client = await hub.client({ ...as(name), clientId, clean: false });
      await client.subscribeAsync("x", { qos: 1 });
      await client.endAsync();
    }
  }
  /** The queued messages, once the newest has arrived. */
  async function back(hub: TestMqtt, name: string, clientId: string, newest: string): Promise<string[]> {
    const client = await hub.client({ ...as(name), clientId, clean: false });
    await until(() => client.messages.some(({ text }) => text.startsWith(newest)));
    return client.messages.map(({ text }) => text.slice(0, 4));
  }
  const numbered = (index: number, size: number) => String(index).padEnd(4) + kb(size);

  test("a session loses its oldest messages, by number and by bytes", async () => {
    await using hub = await rig({ max_queued_mb_per_session: 1, max_queued_messages_per_session: 8 });
    await away(hub, "ann", ["a"]);
    const ben = await hub.client(as("ben"));
    for (let index = 0; index < 20; index++) await ben.publishAsync("x", numbered(index, 1), { qos: 1 });
    expect(reached(hub)).toEqual(["[mqtt] max_queued_messages_per_session ann"]);
    for (let index = 20; index < 24; index++) await ben.publishAsync("x", numbered(index, 400), { qos: 1 });
    await until(() => reached(hub).includes("[mqtt] max_queued_mb_per_session ann"));
    expect(await back(hub, "ann", "a", "23")).toEqual(["22  ", "23  "]);
  });

  test("an account's sessions share its quota; above the quota for all, the account with the most bytes loses messages", async () => {
    await using hub = await rig({
      ...{ max_queued_mb: 3, max_queued_mb_per_account: 2, max_queued_mb_per_session: 1.5 },
    });
    await away(hub, "ann", ["a1", "a2"]);
    await away(hub, "ben", ["b"]);
    const cid = await hub.client(as("cid"));
    for (let index = 0; index < 30; index++) await cid.publishAsync("x", numbered(index, 100), { qos: 1 });
    await until(() => reached(hub).length >= 2);
    expect(reached(hub).sort()).toContain("[mqtt] max_queued_mb all");
    const one = await back(hub, "ann", "a1", "29");
    const two = await back(hub, "ann", "a2", "29");
    const ben = await back(hub, "ben", "b", "29");
    // Ben's queue is smaller than Ann's two: hers lose messages, and his is full.
    expect(ben.length).toBeGreaterThanOrEqual(14);
    expect(one.length + two.length).toBeLessThan(17);
    expect([one.at(-1), two.at(-1), ben.at(-1)]).toEqual(["29  ", "29  ", "29  "]);
  });

  test("a finished QoS 2 exchange releases its bytes", async () => {
    await using hub = await rig({ max_queued_mb_per_session: 1 });
    const ann = await hub.client({ ...as("ann"), clientId: "a", clean: false });
    await ann.subscribeAsync("x", { qos: 2 });
    // The queue is never empty, so bytes that are not released would add up.
    const ben = await hub.client(as("ben"));
    for (let round = 0; round < 40; round++) {
      await Promise.all([0, 1].map(() => ben.publishAsync("x", kb(100), { qos: 2 })));
      await until(() => ann.messages.length === 2 * (round + 1));
    }
    expect(reached(hub)).toEqual([]);
  });
});

/** The broker's memory around stores that do nothing. */
function quietMemory(keys: Partial<MemoryKeys> = {}) {
  const path = createTemporaryFolder();
  const db = openTestState(path.at("state.redb"), Date.now);
  const incoming: { payload?: Uint8Array; topic?: string; messageId?: number }[] = [];
  const nothing = async () => {};
  const persistence = {
    ...{ storeRetained: nothing, createRetainedStreamCombi: () => Readable.from([]), outgoingEnqueueCombi: nothing },
    ...{ outgoingUpdate: nothing, outgoingClearMessageId: async () => undefined, cleanIncoming: nothing },
    ...{ outgoingStream: () => Readable.from([]), addSubscriptions: nothing, removeSubscriptions: nothing },
    cleanSubscriptions: nothing,
    incomingStorePacket: async (_: unknown, packet: object) => void incoming.push(packet),
  };
  const broker: UnlimitedBroker<object> = { id: "b", counter: 0, persistence, publish() {} };
  const reachedLimits: string[] = [];
  const memory = createBrokerMemory(broker, {
    keys: { ...Value.Create(MemoryKeys), ...keys },
    limits: { reached: ({ limit }) => void reachedLimits.push(limit) },
    ...{ clock: createVirtualClock(), log: recordingLog().log, db, flushSecs: 1 },
    budget: { allows: () => true, enlist: () => ({ [Symbol.dispose]() {} }) },
    ...{ accountOf: () => "user/ann", isMemory: () => false },
  });
  const dispose = () => {
    memory[Symbol.dispose]();
    db[Symbol.dispose]();
    path[Symbol.dispose]();
  };
  return { broker, memory, incoming, reachedLimits, [Symbol.dispose]: dispose };
}

test("a PUBREC releases the bytes of its message, and a dropped message closes no connection", async () => {
  using rig = quietMemory({ max_queued_mb_per_session: 1 });
  const store = rig.broker.persistence;
  const client = { id: "user/ann/a" };
  const subscriptions = [{ clientId: client.id }];
  await store.outgoingEnqueueCombi(subscriptions, { topic: "kept", payload: "", brokerCounter: 1000 });
  for (let messageId = 1; messageId <= 30; messageId++) {
    const packet = { cmd: "publish", topic: "x", payload: kb(100), brokerCounter: messageId };
    await store.outgoingEnqueueCombi(subscriptions, packet);
    await store.outgoingUpdate(client, { ...packet, messageId });
    await store.outgoingUpdate(client, { cmd: "pubrel", messageId });
    if (messageId % 2 === 0) await store.outgoingClearMessageId(client, { messageId });
  }
  expect(rig.reachedLimits).toEqual([]);
  await store.outgoingUpdate(client, { cmd: "publish", topic: "x", payload: "", messageId: 77, brokerCounter: 77 });
});

test("stored payloads keep no other bytes in memory, and a QoS 2 exchange stores its id only", async () => {
  using rig = quietMemory();
  const { persistence } = rig.broker;
  const payload = Buffer.alloc(65_536).subarray(100, 110);
  await persistence.storeRetained({ topic: "x", payload });
  await persistence.outgoingEnqueueCombi([{ clientId: "user/ann/a" }], { topic: "x", payload, brokerCounter: 1 });
  await persistence.incomingStorePacket({ id: "a" }, { messageId: 5, topic: kb(60), payload } as { messageId: number });
  expect(rig.memory.retained.get("x")?.payload.buffer.byteLength).toBe(10);
  for await (const queued of persistence.outgoingStream({ id: "user/ann/a" }))
    expect((queued as { payload: Buffer }).payload.buffer.byteLength).toBe(10);
  expect(rig.incoming[0]?.payload?.length).toBe(0);
  expect(rig.incoming[0]).toMatchObject({ messageId: 5, topic: "" });
});

describe("buffers of connections", () => {
  const login = (clientId: string, name = "ann", rest: object = {}) =>
    connectPacket({ clientId, username: name, password: Buffer.from("secret"), ...rest });

  async function open(hub: TestMqtt, clientId: string, name = "ann", version: 4 | 5 = 4, rest: object = {}) {
    const raw = await openRaw(hub.mqtt.port, version);
    raw.send({ ...login(clientId, name, rest), protocolVersion: version } as Packet);
    await until(() => raw.packets.some(({ cmd }) => cmd === "connack"));
    return raw;
  }

  test("incomplete packets: the account's connection with the largest buffer is closed, others stay", async () => {
    await using hub = await rig({ max_payload_bytes: 200_000, max_buffered_mb_per_account: 1 });
    const ben = await hub.client(as("ben"));
    const opened: RawConnection[] = [];
    for (let count = 0; count < 12; count++) {
      const raw = await open(hub, `half-${count}`);
      opened.push(raw);
      // A PUBLISH of 190,000 bytes of which 180,000 come.
      raw.socket.write(Buffer.concat([Buffer.from([0x30, 0xb0, 0xcc, 0x0b, 0, 1, 120]), Buffer.alloc(180_000)]));
    }
    await until(() => reached(hub).includes("[mqtt] max_buffered_mb_per_account ann"));
    await until(() => opened.filter((raw) => raw.closed()).length >= 6);
    expect(opened.filter((raw) => !raw.closed()).length).toBeGreaterThan(2);
    await ben.publishAsync("y", "still connected", { qos: 1 });
    for (const { socket } of opened) socket.destroy();
  });

  test.each([4, 5] as const)(
    "version %d: readers that do not read are closed above the quota for all, and the others miss nothing",
    async (version) => {
      await using hub = await rig({ max_payload_bytes: 100_000, max_buffered_mb_per_account: 1, max_buffered_mb: 2 });
      const slow: RawConnection[] = [];
      for (let count = 0; count < 6; count++) {
        const raw = await open(hub, `slow-${count}`, "ann", version);
        raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "x", qos: 0 }] });
        await until(() => raw.packets.some(({ cmd }) => cmd === "suback"));
        raw.socket.pause();
        slow.push(raw);
      }
      const reader = await hub.client(as("cid"));
      await reader.subscribeAsync("x", { qos: 1 });
      const ben = await hub.client(as("ben"));
      const SENT = 400;
      for (let index = 0; index < SENT; index++) await ben.publishAsync("x", kb(90), { qos: 1 });
      await until(() => reached(hub).some((each) => each.startsWith("[mqtt] max_buffered_mb")));
      await until(() => reader.messages.length === SENT);
      for (const { socket } of slow) socket.destroy();
    },
  );

  test("MQTT 5: messages that wait for acknowledgements are limited in bytes", async () => {
    await using hub = await rig();
    const raw = await open(hub, "queued", "ann", 5, { clean: true, properties: { receiveMaximum: 1 } });
    raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "x", qos: 1 }] } as Packet);
    await until(() => raw.packets.some(({ cmd }) => cmd === "suback"));
    const ben = await hub.client(as("ben"));
    for (let index = 0; index < 20; index++) await ben.publishAsync("x", kb(900), { qos: 1 });
    await until(() => raw.closed());
    expect(raw.packets.at(-1)).toMatchObject({ cmd: "disconnect", reasonCode: 0x97 });
  });
});

describe("filters", () => {
  /** The granted QoS of each; mqtt.js rejects where one was refused. */
  async function subscribe(client: TestClient, topics: string[], qos: 0 | 1 = 0): Promise<number[]> {
    try {
      return (await client.subscribeAsync(topics, { qos })).map((one) => one.qos);
    } catch (error) {
      return (error as { packet: { granted: number[] } }).packet.granted;
    }
  }
  const several = (from: number, count: number) => Array.from({ length: count }, (_, index) => deep(from + index));

  const deep = (index: number) => Array.from({ length: 20 }, (_, level) => `${index}_${level}`).join("/");

  test("with many levels use more of the quota; other accounts still subscribe", async () => {
    await using hub = await rig({ max_filters_mb_per_account: 1, max_filters_mb: 1.5 });
    const ann = await hub.client(as("ann"));
    const taken = (await subscribe(ann, several(0, 200))).filter((qos) => qos < 128).length;
    expect(taken).toBeGreaterThan(100);
    expect(taken).toBeLessThan(130);
    expect(reached(hub)).toEqual(["[mqtt] max_filters_mb_per_account ann"]);
    const ben = await hub.client(as("ben"));
    await ben.subscribeAsync("y");
    await ann.publishAsync("y", "1");
    await until(() => ben.messages.length === 1);
    // Released by an unsubscribe, and with the connection.
    await ann.unsubscribeAsync(deep(0));
    expect(await subscribe(ann, several(500, 1))).toEqual([0]);
    await ann.endAsync();
    const again = await hub.client(as("ann"));
    expect(await subscribe(again, several(1000, 1))).toEqual([0]);
  });

  test("of a kept session count while its client is absent, until the session ends", async () => {
    await using hub = await rig({ max_filters_mb_per_account: 1 });
    const session = { ...as("ann"), clientId: "kept" };
    const first = await hub.client({ ...session, clean: false });
    expect(await subscribe(first, several(0, 60), 1)).not.toContain(128);
    await first.endAsync();
    const other = await hub.client(as("ann"));
    expect(await subscribe(other, several(100, 80))).toContain(128);
    await other.endAsync();
    const clean = await hub.client({ ...session, clean: true });
    expect(await subscribe(clean, several(300, 80))).not.toContain(128);
  });

  test("a kept session has the granted filters, and not those refused in the same packet", async () => {
    await using hub = await startTestMqtt({
      config: { users: [{ username: "ann", password: "secret", publish: ["#"], subscribe: ["mine/#"] }] },
    });
    const session = { ...as("ann"), clientId: "kept", clean: false };
    const first = await hub.client(session);
    await first.subscribeAsync(["mine/a", "theirs", "mine/b"], { qos: 1 }).catch(() => {});
    await first.endAsync();
    const again = await hub.client(session);
    await again.publishAsync("mine/a", "1", { qos: 1 });
    await again.publishAsync("mine/b", "2", { qos: 1 });
    await until(() => again.messages.length === 2);
    expect(hub.logged("a subscription was denied")).toHaveLength(1);
  });
});
