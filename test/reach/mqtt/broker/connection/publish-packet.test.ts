// A PUBLISH that the hub reads itself says what it said to the client that wrote it, and what is wrong in one is said by name.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { generate, type IPublishPacket } from "mqtt-packet";
import { onWire } from "../../../../../src/reach/mqtt/broker/connection/message-properties.ts";
import { acknowledgements, readPublish } from "../../../../../src/reach/mqtt/broker/connection/publish-packet.ts";

const message = fc.record({
  topic: fc.stringMatching(/^[a-zä☃/]{1,15}$/),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  qos: fc.constantFrom<0 | 1>(0, 1),
  retain: fc.boolean(),
  dup: fc.boolean(),
  messageId: fc.integer({ min: 1, max: 65_535 }),
});

test.each([4, 5] as const)("version %d: what was written is read", (protocolVersion) => {
  fc.assert(
    fc.property(message, (written) => {
      const read = readPublish(generate({ cmd: "publish", ...written }, { protocolVersion }), protocolVersion);
      const messageId = written.qos === 0 ? 0 : written.messageId;
      expect(read).toEqual({ publish: { cmd: "publish", ...written, messageId, properties: undefined } });
    }),
  );
});

test("version 5: the properties of a message stay byte for byte", () => {
  const properties = { contentType: "text/plain", userProperties: { a: "1", b: "2" } };
  const packet: IPublishPacket = {
    ...{ cmd: "publish", topic: "a/b", payload: "x", qos: 1, messageId: 7, retain: false, dup: false, properties },
  };
  const bytes = generate(packet, { protocolVersion: 5 });
  const read = readPublish(bytes, 5);
  if ("error" in read) throw new Error(read.error.reason);
  expect(read.publish.payload.toString()).toBe("x");
  const kept = read.publish.properties ? onWire(read.publish.properties, 0) : Buffer.alloc(0);
  expect(bytes.includes(kept)).toBe(true);
  expect(kept.length).toBeGreaterThan(20);
});

const publish = (topic: string, flags = 0): Buffer => {
  const name = Buffer.from(topic);
  return Buffer.concat([Buffer.from([0x30 | flags, name.length + 2, 0, name.length]), name]);
};

test.each([
  ["nothing behind its header", Buffer.from([0x30, 0]), 4, 0x81],
  ["a topic longer than the packet", Buffer.from([0x30, 4, 0, 9, 97, 98]), 4, 0x81],
  ["QoS 1 without a packet identifier", publish("a", 2), 4, 0x81],
  ["a topic with a plus", publish("a/+"), 4, 0x90],
  ["a topic with a number sign", publish("a/#"), 4, 0x90],
  ["a topic of 21 levels", publish("a/".repeat(20)), 4, 0x90],
  ["properties longer than the packet", Buffer.from([0x30, 4, 0, 1, 97, 9]), 5, 0x81],
  ["a topic alias", Buffer.from([0x30, 7, 0, 1, 97, 3, 0x23, 0, 1]), 5, 0x94],
  ["no topic", publish(""), 4, 0x94],
] as const)("%s is an error", (_what, bytes, level, code) => {
  expect(readPublish(bytes, level)).toMatchObject({ error: { code } });
});

test("twenty levels are allowed", () => {
  expect(readPublish(publish("a/".repeat(19)), 4)).toMatchObject({ publish: { topic: "a/".repeat(19) } });
});

test("acknowledgements are PUBACKs in order", () => {
  expect(acknowledgements([1, 0x0203])).toEqual(Buffer.from([0x40, 2, 0, 1, 0x40, 2, 2, 3]));
});
