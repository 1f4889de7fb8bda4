// The list of a large Zigbee house is a retained message of some megabytes: it reaches everybody, and what is too large is refused in
// a way that says what to do.
import { describe, expect, test } from "bun:test";
import type { IPublishPacket, Packet } from "mqtt-packet";
import { packetLimitOf } from "../../../../src/reach/mqtt/broker/packet-limit.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { connectPacket, openRaw, type RawConnection } from "../raw.ts";
import { mqttSection, startTestMqtt, type TestMqtt, until } from "../support.ts";

const TOPIC = "zigbee2mqtt/bridge/devices";
const MIB = 1_048_576;
const users = ["bridge", "reader"].map((username) => ({
  ...{ username, password: "secret", publish: ["#"], subscribe: ["#"] },
}));
const as = (username: string, rest: object = {}) => ({ username, password: "secret", ...rest });
const config = { users };
/** As long as this, with a mark at either end. */
const long = (bytes: number) => `<${"x".repeat(bytes - 2)}>`;
const publish = (bytes: number): Packet => ({
  ...{ cmd: "publish", topic: TOPIC, payload: Buffer.alloc(bytes, 120), qos: 0, retain: false, dup: false },
});

async function rawAs(hub: TestMqtt, username: string | undefined, version: 4 | 5, rest: object = {}) {
  const raw = await openRaw(hub.mqtt.port, version);
  const login = username === undefined ? {} : { username, password: Buffer.from("secret") };
  raw.send(connectPacket({ protocolVersion: version, clientId: "raw", ...login, ...rest }));
  await until(() => raw.packets.length > 0);
  return raw;
}
const payloads = (raw: RawConnection): string[] =>
  raw.packets
    .filter((packet): packet is IPublishPacket => packet.cmd === "publish")
    .map(({ payload }) => String(payload));

test.each([4, 5] as const)(
  "version %d: eight megabytes reach connected, absent and later subscribers whole",
  async (protocolVersion) => {
    await using hub = await startTestMqtt({ config });
    const text = long(8 * MIB - 1024);
    const kept = { clientId: "away", clean: false, protocolVersion, properties: { sessionExpiryInterval: 60 } };
    const away = await hub.client(as("reader", kept));
    await away.subscribeAsync(TOPIC, { qos: 1 });
    await away.endAsync();
    const live = await hub.client(as("reader", { protocolVersion }));
    await live.subscribeAsync("zigbee2mqtt/#", { qos: 1 });
    const bridge = await hub.client(as("bridge", { protocolVersion }));
    await bridge.publishAsync(TOPIC, text, { qos: 1, retain: true });
    const late = await hub.client(as("reader", { protocolVersion }));
    await late.subscribeAsync(TOPIC, { qos: 0 });
    const back = await hub.client(as("reader", kept));
    for (const reader of [live, late, back]) {
      await until(() => reader.messages.length === 1);
      expect(reader.messages[0]?.text === text).toBe(true);
    }
    expect(hub.limits.problems()).toEqual([]);
    expect(bridge.connected).toBe(true);
  },
);

test.each([4, 5] as const)(
  "version %d: ten readers get it at the same time, as they share its bytes",
  async (protocolVersion) => {
    await using hub = await startTestMqtt({ config });
    const readers = await Promise.all(Array.from({ length: 10 }, () => hub.client(as("reader", { protocolVersion }))));
    for (const reader of readers) await reader.subscribeAsync(TOPIC, { qos: 1 });
    const bridge = await hub.client(as("bridge", { protocolVersion }));
    for (let n = 0; n < 2; n++) await bridge.publishAsync(TOPIC, long(8 * MIB - 1024), { qos: 1 });
    await until(() => readers.every(({ messages, connected }) => messages.length === 2 || !connected));
    expect(hub.limits.problems()).toEqual([]);
    expect(hub.mqtt.connections()).toBe(11);
  },
);

test("a reader that needs longer than five seconds for a large message is not stalled", async () => {
  const clock = createVirtualClock();
  await using hub = await startTestMqtt({ config, clock });
  const slow = await rawAs(hub, "reader", 4);
  slow.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: TOPIC, qos: 0 }] });
  await until(() => slow.packets.some(({ cmd }) => cmd === "suback"));
  let received = 0;
  slow.socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    slow.socket.pause();
  });
  const bridge = await hub.client(as("bridge"));
  await bridge.publishAsync(TOPIC, long(8 * MIB - 1024), { qos: 1 });
  while (payloads(slow).length === 0) {
    const before = received;
    await clock.advance(1000);
    slow.socket.resume();
    await until(() => received > before || payloads(slow).length > 0 || slow.closed());
    expect(slow.closed()).toBe(false);
  }
});

test("a reader that takes nothing is disconnected after five seconds", async () => {
  const clock = createVirtualClock();
  await using hub = await startTestMqtt({ config, clock });
  const frozen = await rawAs(hub, "reader", 4);
  frozen.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: TOPIC, qos: 0 }] });
  await until(() => frozen.packets.some(({ cmd }) => cmd === "suback"));
  frozen.socket.pause();
  const bridge = await hub.client(as("bridge"));
  await bridge.publishAsync(TOPIC, long(8 * MIB - 1024), { qos: 1 });
  await until(() => clock.pending().includes("mqtt stalled reader"));
  await clock.advance(4000);
  expect(hub.mqtt.connections()).toBe(2);
  await clock.advance(1500);
  await until(() => hub.mqtt.connections() === 1);
  frozen.socket.destroy();
});

describe("too large", () => {
  test("an account reads which key to raise, once, and the others are not affected", async () => {
    await using hub = await startTestMqtt({ config: { users, max_packet_kib: 64 } });
    const raw = await rawAs(hub, "bridge", 5);
    expect(raw.packets[0]).toMatchObject({ properties: { maximumPacketSize: 65_536 } });
    const other = await hub.client(as("reader"));
    raw.send(publish(70_000));
    await until(() => raw.closed());
    expect(raw.packets[1]).toMatchObject({ cmd: "disconnect", reasonCode: 0x95 });
    expect(hub.limits.problems()).toMatchObject([{ limit: "[mqtt] max_packet_kib", account: "bridge" }]);
    expect(hub.limits.problems()[0]?.message).toMatch(/a message of 700\d\d bytes .* raise \[mqtt\] max_packet_kib/);
    expect(hub.logged("because of what it sent")[0]?.fields).toMatchObject({ account: "bridge" });
    const old = await rawAs(hub, "bridge", 4);
    old.send(publish(70_000));
    await until(() => old.closed());
    expect(hub.events.filter(({ type }) => type === "limit_reached")).toHaveLength(1);
    expect(other.connected).toBe(true);
  });

  test("a client without a name may send a megabyte, and before the login next to nothing is taken", async () => {
    await using hub = await startTestMqtt({ config: { users, anonymous: true } });
    const guest = await hub.client({ clientId: "guest" });
    await guest.publishAsync("x", long(MIB), { qos: 1 });
    const raw = await rawAs(hub, undefined, 5);
    raw.send(publish(MIB + 1));
    await until(() => raw.closed());
    expect(raw.packets[1]).toMatchObject({ cmd: "disconnect", reasonCode: 0x95 });
    expect(hub.limits.problems()).toMatchObject([{ limit: "[mqtt] max_payload_bytes", account: "anonymous" }]);
    const stranger = await openRaw(hub.mqtt.port);
    stranger.socket.write(Buffer.from([0x10, 0xff, 0xff, 0x7f, 0, 4, 77, 81, 84, 84, 4]));
    await until(() => stranger.closed());
  });

  test("where max_payload_bytes is set, it counts for all, as it always did", () => {
    const limitOf = (kind: "listed" | "anonymous", keys: object) => packetLimitOf({ kind }, mqttSection(keys));
    expect(limitOf("listed", {})).toMatchObject({ bytes: 8 * MIB, key: "max_packet_kib" });
    expect(limitOf("listed", { max_packet_kib: 1024 })).toMatchObject({ bytes: MIB });
    for (const payload of [2048, 16 * MIB])
      for (const kind of ["listed", "anonymous"] as const)
        expect(limitOf(kind, { max_payload_bytes: payload })).toMatchObject({
          ...{ payloadBytes: payload, key: "max_payload_bytes" },
        });
  });
});
