// Reads a whole PUBLISH with QoS 0 or 1. Most of what clients send is one: read here, it needs no general parser, no stream and, for
// MQTT 5, no translation.
import { type MessageProperties, readProperties, TopicAliasError } from "./message-properties.ts";
import type { PacketError } from "./packet-queue.ts";
import { MAX_PROPERTY_BYTES } from "./v5-property-limit.ts";

export interface ReceivedPublish {
  readonly cmd: "publish";
  topic: string;
  payload: Buffer;
  readonly qos: 0 | 1;
  retain: boolean;
  readonly dup: boolean;
  /** 0 with QoS 0. */
  readonly messageId: number;
  /** Of MQTT 5. */
  properties?: MessageProperties | undefined;
}

export const MAX_TOPIC_LEVELS = 20;
const SLASH = 47;
const MALFORMED = 0x81;

/** Either the message, or what its sender did wrong. */
export type ReadPublish = { publish: ReceivedPublish } | { error: PacketError };

/** Of a client. `bytes`: one packet, whose length was checked. Its payload stays a view into them. */
export function readPublish(bytes: Buffer, protocolLevel: 4 | 5): ReadPublish {
  const parts = partsOf(bytes, protocolLevel);
  if ("error" in parts) return parts;
  const { publish, properties } = parts;
  if (properties) {
    const read = propertiesIn(properties);
    if ("error" in read) return read;
    publish.properties = read.properties;
  }
  const { topic } = publish;
  const reason = flawOf(topic);
  if (reason !== undefined) return { error: { reason, code: topic === "" ? 0x94 : 0x90 } };
  return { publish };
}

/** Of a broker: it may have topics and properties that the hub allows no client. What is in the properties is left out. */
export function readForwarded(bytes: Buffer, protocolLevel: 4 | 5): ReadPublish {
  const parts = partsOf(bytes, protocolLevel);
  if ("publish" in parts && parts.publish.topic === "")
    return { error: { reason: "a PUBLISH without a topic", code: 0x94 } };
  return parts;
}

function partsOf(
  bytes: Buffer,
  protocolLevel: 4 | 5,
): { publish: ReceivedPublish; properties: Buffer | undefined } | { error: PacketError } {
  const head = bytes[0] ?? 0;
  const qos = (head >> 1) & 1;
  const topicAt = afterNumber(bytes, 1) + 2;
  if (topicAt > bytes.length) return malformed("a PUBLISH without a topic");
  const topicEnd = topicAt + bytes.readUInt16BE(topicAt - 2);
  let at = topicEnd + (qos === 0 ? 0 : 2);
  if (at > bytes.length) return malformed("a PUBLISH that is cut off");
  const messageId = qos === 0 ? 0 : bytes.readUInt16BE(topicEnd);
  let properties: Buffer | undefined;
  if (protocolLevel === 5) {
    const from = afterNumber(bytes, at);
    const to = from + numberAt(bytes, at);
    if (to > bytes.length) return malformed("a PUBLISH that is cut off");
    if (to > from) properties = bytes.subarray(from, to);
    at = to;
  }
  return {
    publish: {
      cmd: "publish",
      topic: bytes.toString("utf8", topicAt, topicEnd),
      payload: bytes.subarray(at),
      qos: qos === 0 ? 0 : 1,
      retain: (head & 1) === 1,
      dup: (head & 8) === 8,
      messageId,
    },
    properties,
  };
}

/** A PUBACK for each number. In MQTT 5 its short form says that all is well. */
export function acknowledgements(messageIds: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * messageIds.length);
  let at = 0;
  for (const id of messageIds) {
    bytes[at++] = 0x40;
    bytes[at++] = 2;
    bytes[at++] = id >> 8;
    bytes[at++] = id & 0xff;
  }
  return bytes;
}

function propertiesIn(raw: Buffer): { properties: MessageProperties | undefined } | { error: PacketError } {
  if (raw.length > MAX_PROPERTY_BYTES)
    return { error: { reason: `properties of more than ${MAX_PROPERTY_BYTES} bytes`, code: 0x95 } };
  try {
    return { properties: readProperties(raw) };
  } catch (error) {
    if (error instanceof TopicAliasError) return { error: { reason: error.message, code: 0x94 } };
    if (error instanceof RangeError) return malformed(error.message);
    throw error;
  }
}

function flawOf(topic: string): string | undefined {
  if (topic === "") return "a PUBLISH without a topic";
  let levels = 1;
  for (let at = 0; at < topic.length; at++) {
    const code = topic.charCodeAt(at);
    if (code === SLASH) levels++;
    else if (code === 35 || code === 43) return "a PUBLISH to a topic with a wildcard";
  }
  return levels > MAX_TOPIC_LEVELS ? `a topic of more than ${MAX_TOPIC_LEVELS} levels` : undefined;
}

function malformed(reason: string): { error: PacketError } {
  return { error: { reason: `a malformed packet (${reason})`, code: MALFORMED } };
}

/** Seven bits in each byte, the lowest first; at most four bytes. */
function numberAt(bytes: Buffer, from: number): number {
  let value = 0;
  for (let digits = 0; digits < 4; digits++) {
    const byte = bytes[from + digits] ?? 0;
    value += (byte & 0x7f) * 128 ** digits;
    if ((byte & 0x80) === 0) break;
  }
  return value;
}

function afterNumber(bytes: Buffer, from: number): number {
  let at = from;
  while (at < from + 3 && (bytes[at] ?? 0) & 0x80) at++;
  return at + 1;
}
