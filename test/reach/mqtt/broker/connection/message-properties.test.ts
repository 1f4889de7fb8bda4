// MQTT 5 properties travel from the publisher to the subscribers, and the expiry counts down on the way.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { generate, type IPublishPacket, type Packet } from "mqtt-packet";
import {
  onWire,
  published,
  readProperties,
  willProperties,
} from "../../../../../src/reach/mqtt/broker/connection/message-properties.ts";
import { createTemporaryFolder } from "../../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../../support/virtual-clock.ts";
import { connectPacket, openRaw } from "../../raw.ts";
import { startTestMqtt, type TestMqtt, until } from "../../support.ts";

const users = [{ username: "all", password: "secret", publish: ["#"], subscribe: ["#"] }];
const config = { users };
const v5 = { username: "all", password: "secret", protocolVersion: 5 as const };
const PROPERTIES = {
  payloadFormatIndicator: true,
  contentType: "application/json",
  responseTopic: "answers/to/me",
  correlationData: Buffer.from([0, 1, 255]),
  userProperties: { area: "kitchen", __proto__x: "odd", twice: ["1", "2"] },
};

async function rawV5(hub: TestMqtt, rest: object = {}) {
  const raw = await openRaw(hub.mqtt.port, 5);
  raw.send(
    connectPacket({
      protocolVersion: 5,
      username: "all",
      password: Buffer.from("secret"),
      clientId: "reader",
      ...rest,
    }),
  );
  await until(() => raw.packets.length > 0);
  const published = () => raw.packets.filter((packet): packet is IPublishPacket => packet.cmd === "publish");
  const first = async () => {
    await until(() => published().length > 0);
    return published()[0]?.properties;
  };
  return Object.assign(raw, { published, first });
}
const subscribe = (topic: string, qos: 0 | 1 | 2): Packet => ({
  ...{ cmd: "subscribe", messageId: 1 },
  subscriptions: [{ topic, qos, nl: false, rap: false, rh: 0 }],
});
const kept = { clean: false, properties: { sessionExpiryInterval: 1000 } };

describe.each([0, 1, 2] as const)("at QoS %d", (qos) => {
  test("all of them arrive at once, retained, and at a 3.1.1 client the message without them", async () => {
    await using hub = await startTestMqtt({ config });
    const sender = await hub.client(v5);
    const live = await rawV5(hub, { clientId: "live" });
    live.send(subscribe("a/+", qos));
    await until(() => live.packets.some(({ cmd }) => cmd === "suback"));
    const old = await hub.client({ ...v5, protocolVersion: 4 });
    await old.subscribeAsync("a/#", { qos });
    await sender.publishAsync("a/b", "text", { qos, retain: true, properties: PROPERTIES });
    const late = await rawV5(hub, { clientId: "late" });
    late.send(subscribe("a/#", qos));
    for (const reader of [live, late]) expect(await reader.first()).toMatchObject(PROPERTIES);
    expect(live.published()[0]).toMatchObject({ topic: "a/b", qos, retain: false });
    expect(late.published()[0]).toMatchObject({ topic: "a/b", qos, retain: true });
    await until(() => old.messages.length === 1);
    expect(old.messages[0]).toEqual({ topic: "a/b", text: "text", qos, retain: false });
  });
});

test("queued and retained messages have them, and what is left of their time, also after a restart", async () => {
  using folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const database = folder.at("state.redb");
  const properties = { ...PROPERTIES, messageExpiryInterval: 300 };
  {
    await using hub = await startTestMqtt({ config, clock, database });
    const away = await rawV5(hub, kept);
    away.send(subscribe("q", 1));
    await until(() => away.packets.some(({ cmd }) => cmd === "suback"));
    away.socket.destroy();
    await until(() => hub.mqtt.connections() === 0);
    const sender = await hub.client(v5);
    for (const topic of ["q", "r"])
      await sender.publishAsync(topic, "x", { qos: 1, retain: topic === "r", properties });
    await clock.advance(100_000);
    const reader = await rawV5(hub, { clientId: "now" });
    reader.send(subscribe("r", 0));
    expect((await reader.first())?.messageExpiryInterval).toBe(200);
  }
  await clock.advance(50_000);
  await using hub = await startTestMqtt({ config, clock, database });
  const back = await rawV5(hub, kept);
  expect(await back.first()).toMatchObject({ ...PROPERTIES, messageExpiryInterval: 150 });
  back.send(subscribe("r", 0));
  await until(() => back.published().length === 2);
  expect(back.published()[1]).toMatchObject({ topic: "r", properties: { ...PROPERTIES, messageExpiryInterval: 150 } });
});

test("an expired message is delivered to nobody, and is gone after a restart", async () => {
  using folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const database = folder.at("state.redb");
  const publish = async (hub: TestMqtt, topic: string, secs: number) => {
    const sender = await hub.client(v5);
    const properties = { messageExpiryInterval: secs };
    await sender.publishAsync(topic, topic, { qos: 1, retain: topic.startsWith("r"), properties });
  };
  const rows = (hub: TestMqtt) => hub.db.relaxed.query("SELECT topic FROM mqtt_retained").values().flat();
  {
    await using hub = await startTestMqtt({ config, clock, database });
    const away = await rawV5(hub, kept);
    away.send(subscribe("#", 1));
    await until(() => away.packets.some(({ cmd }) => cmd === "suback"));
    away.socket.destroy();
    await until(() => hub.mqtt.connections() === 0);
    for (const [topic, secs] of [
      ["q/soon", 10],
      ["q/late", 1000],
      ["r/soon", 10],
      ["r/later", 100],
      ["r/late", 1000],
    ] as const)
      await publish(hub, topic, secs);
    await clock.advance(11_000);
    const late = await hub.client(v5);
    await late.subscribeAsync("r/+", { qos: 1 });
    await until(() => late.messages.length === 2);
    expect(late.messages.map(({ text }) => text)).toEqual(["r/later", "r/late"]);
    await clock.advance(60_000);
    expect(rows(hub)).toEqual(["r/late", "r/later"]);
  }
  await clock.advance(60_000);
  await using hub = await startTestMqtt({ config, clock, database });
  const back = await rawV5(hub, kept);
  await until(() => back.published().length === 2);
  expect(back.published().map(({ topic }) => topic)).toEqual(["q/late", "r/late"]);
  expect([...hub.mqtt.retained("r/#")].map(({ topic }) => topic)).toEqual(["r/late"]);
  await clock.advance(2000);
  expect(rows(hub)).toEqual(["r/late"]);
});

test("a clock that was set gives no message more time than it had", async () => {
  using folder = createTemporaryFolder();
  const database = folder.at("state.redb");
  const later = createVirtualClock();
  {
    await using hub = await startTestMqtt({ config, clock: later, database });
    const sender = await hub.client(v5);
    await sender.publishAsync("r", "x", { retain: true, qos: 1, properties: { messageExpiryInterval: 60 } });
  }
  // As a Pi without a clock of its own starts: years ago.
  const earlier = createVirtualClock(0);
  await using hub = await startTestMqtt({ config, clock: earlier, database });
  const reader = await rawV5(hub);
  reader.send(subscribe("r", 0));
  expect((await reader.first())?.messageExpiryInterval).toBe(60);
});

test("a will has its properties", async () => {
  await using hub = await startTestMqtt({ config });
  const reader = await rawV5(hub);
  reader.send(subscribe("will", 1));
  await until(() => reader.packets.some(({ cmd }) => cmd === "suback"));
  const properties = { ...PROPERTIES, messageExpiryInterval: 60, willDelayInterval: 0 };
  const will = { topic: "will", payload: Buffer.from("gone"), qos: 1 as const, retain: false, properties };
  const dying = await rawV5(hub, { clientId: "dying", will });
  dying.send({ cmd: "publish", topic: "x", payload: "x", qos: 0, dup: false, retain: false });
  dying.socket.destroy();
  expect(await reader.first()).toEqual({ ...PROPERTIES, messageExpiryInterval: 60 } as object);
});

test("user properties keep their order, and bounds are kept", async () => {
  const pair = (name: string, value: string) => {
    const text = (part: string) => [0, part.length, ...Buffer.from(part)];
    return [0x26, ...text(name), ...text(value)];
  };
  const raw = Buffer.from([...pair("b", "1"), 2, 0, 0, 0, 9, ...pair("2", "x"), ...pair("b", "2"), ...pair("1", "x")]);
  const read = readProperties(raw);
  expect(read?.bytes).toEqual(
    Buffer.from([...pair("b", "1"), ...pair("2", "x"), ...pair("b", "2"), ...pair("1", "x")]),
  );
  const now = read && onWire(published(read, 5000), 6500);
  expect(now?.subarray(0, 5)).toEqual(Buffer.from([2, 0, 0, 0, 8]));
});

test.each([
  ["a topic alias", [0x23, 0, 1]],
  ["a property of a CONNECT", [0x11, 0, 0, 0, 1]],
  ["one that there is not", [0x7e, 1]],
  ["one twice", [1, 0, 1, 0]],
  ["one that is cut off", [0x26, 0, 5, 65]],
  ["one without its value", [2, 0]],
])("%s is refused", (_what, bytes) => {
  expect(() => readProperties(Buffer.from(bytes))).toThrow(RangeError);
});

test("whatever bytes come, reading them ends in properties or in a RangeError", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        expect(readProperties(Buffer.from(bytes))?.bytes.length ?? 0).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});

test("those of a will are the same as those of a message", () => {
  const packet = { cmd: "publish", topic: "", payload: "", qos: 0, dup: false, retain: false } as const;
  const bytes = generate({ ...packet, properties: PROPERTIES }, { protocolVersion: 5 });
  expect(bytes.subarray(-(willProperties(PROPERTIES)?.bytes.length ?? 0))).toEqual(
    willProperties(PROPERTIES)?.bytes as Buffer,
  );
});
