// Only the properties of a packet are measured, wherever the stream is split.
import { describe, expect, test } from "bun:test";
import { generate, type Packet } from "mqtt-packet";
import {
  createPropertyLimit,
  MAX_PROPERTY_BYTES,
} from "../../../../../src/reach/mqtt/broker/connection/v5-property-limit.ts";
import { connectPacket, openRaw } from "../../raw.ts";
import { startTestMqtt, until } from "../../support.ts";

const users = [{ username: "all", password: "secret", publish: ["#"], subscribe: ["#"] }];
// One user property has five bytes besides its value.
const withProperties = (bytes: number) => ({ userProperties: { "": "x".repeat(bytes - 5) } });
const publish = (qos: 0 | 1 | 2, properties: object = {}): object => ({
  ...{ cmd: "publish", topic: "a/long/topic", payload: "y".repeat(70_000), qos, retain: false, dup: false },
  ...{ messageId: 7, properties },
});
const PACKETS: Record<string, (properties: object) => object> = {
  "publish 0": (properties) => publish(0, properties),
  "publish 1": (properties) => publish(1, properties),
  "publish 2": (properties) => publish(2, properties),
  subscribe: (properties) => ({
    cmd: "subscribe",
    messageId: 1,
    subscriptions: [{ topic: "z".repeat(30_000), qos: 0 }],
    properties,
  }),
  unsubscribe: (properties) => ({
    cmd: "unsubscribe",
    messageId: 2,
    unsubscriptions: ["z".repeat(30_000)],
    properties,
  }),
  puback: (properties) => ({ cmd: "puback", messageId: 3, reasonCode: 0x10, properties }),
  pubrec: (properties) => ({ cmd: "pubrec", messageId: 3, reasonCode: 0x10, properties }),
  disconnect: (properties) => ({ cmd: "disconnect", reasonCode: 4, properties }),
};
const bytesOf = (packet: object): Buffer => generate(packet as Packet, { protocolVersion: 5 });
// Without properties, some packets omit even their length.
const ordinary = Object.values(PACKETS).flatMap((make) => [make({}), make(withProperties(100))]);
const stream = Buffer.concat(
  [...ordinary, { cmd: "pingreq" }, connectPacket({ protocolVersion: 5 }), { cmd: "puback", messageId: 1 }].map(
    bytesOf,
  ),
);

function exceedsIn(bytes: Buffer, chunk: number): boolean {
  const limit = createPropertyLimit();
  for (let at = 0; at < bytes.length; at += chunk) if (limit.exceeds(bytes.subarray(at, at + chunk))) return true;
  return false;
}

describe.each(Object.entries(PACKETS))("of a %s", (_name, make) => {
  test.each([1, 2, 3, 1000, 10_000_000])("in chunks of %d bytes", (chunk) => {
    const fits = bytesOf(make(withProperties(MAX_PROPERTY_BYTES)));
    const exceeds = bytesOf(make(withProperties(MAX_PROPERTY_BYTES + 1)));
    expect(exceedsIn(Buffer.concat([stream, fits, stream]), chunk)).toBe(false);
    expect(exceedsIn(Buffer.concat([stream, exceeds]), chunk)).toBe(true);
  });
});

test.each([1, 2, 3, 7, 1000, 10_000_000])("in chunks of %d bytes, those of each message are handed over", (chunk) => {
  const handedOver: number[] = [];
  const limit = createPropertyLimit((properties) => void handedOver.push(properties.length));
  // One that ends behind its topic.
  const bytes = Buffer.concat([stream, Buffer.from([0x30, 3, 0, 1, 97, 0x30, 0]), stream]);
  for (let at = 0; at < bytes.length; at += chunk) limit.exceeds(bytes.subarray(at, at + chunk));
  const once = [0, 100, 0, 100, 0, 100];
  expect(handedOver).toEqual([...once, 0, 0, ...once]);
});

test("a message with a megabyte of them ends the connection before it is read", async () => {
  await using hub = await startTestMqtt({ config: { users } });
  const raw = await openRaw(hub.mqtt.port, 5);
  raw.send(connectPacket({ protocolVersion: 5, username: "all", password: Buffer.from("secret") }));
  await until(() => raw.packets.length === 1);
  const names = Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [String(n), ""]));
  const bytes = bytesOf({ ...publish(1, { userProperties: names }), payload: "" });
  expect(bytes.length).toBeLessThan(1_048_576);
  raw.socket.write(bytes);
  await until(() => raw.closed());
  expect(raw.packets[1]).toMatchObject({ cmd: "disconnect", reasonCode: 0x95 });
  expect(hub.logged("closed because of what it sent")[0]?.fields.reason).toContain("properties of more than");
});
