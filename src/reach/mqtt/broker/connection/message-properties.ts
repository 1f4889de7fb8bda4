// The MQTT 5 properties that travel with a message from its publisher to its subscribers: kept as they came on the wire, which is
// small and keeps the order of user properties. The expiry is kept apart, because what is left of it counts down.
import { generate, type IConnectPacket, type IPublishPacket } from "mqtt-packet";

export interface MessageProperties {
  /** All but the expiry; neither a topic alias nor a subscription identifier. */
  readonly bytes: Buffer;
  readonly lifetimeSecs?: number | undefined;
  /** In monotonic ms; undefined before it is published, and where it has no expiry. */
  readonly expiresAt?: number | undefined;
}

type WillProperties = NonNullable<NonNullable<IConnectPacket["will"]>["properties"]>;

const EXPIRY = 0x02;
const PAIR = 0x26;
const TOPIC_ALIAS = 0x23;
/** Bytes of a value: a number of them, or so many with a length of two bytes before each. */
const SIZES: ReadonlyMap<number, number | "text" | "pair"> = new Map<number, number | "text" | "pair">([
  // Payload format.
  [0x01, 1],
  [EXPIRY, 4],
  // Content type, response topic, correlation data.
  [0x03, "text"],
  [0x08, "text"],
  [0x09, "text"],
  [PAIR, "pair"],
]);

/** The CONNACK allows none. */
export class TopicAliasError extends RangeError {}

/** Reads those of a PUBLISH. Throws RangeError for what may not be in one, or is cut off. */
export function readProperties(raw: Buffer): MessageProperties | undefined {
  if (raw.length === 0) return undefined;
  const kept: Buffer[] = [];
  const seen = new Set<number>();
  let lifetimeSecs: number | undefined;
  for (let at = 0; at < raw.length; ) {
    const id = raw[at] ?? 0;
    const end = endOf(raw, at, id);
    if (id !== PAIR && seen.has(id)) throw new RangeError(`the property ${id} is there twice`);
    seen.add(id);
    if (id === EXPIRY) lifetimeSecs = raw.readUInt32BE(at + 1);
    else kept.push(raw.subarray(at, end));
    at = end;
  }
  return { bytes: Buffer.concat(kept), lifetimeSecs };
}

function endOf(raw: Buffer, at: number, id: number): number {
  if (id === TOPIC_ALIAS) throw new TopicAliasError("a topic alias");
  const size = SIZES.get(id);
  if (size === undefined) throw new RangeError(`the property ${id} is not one of a message`);
  const end = typeof size === "number" ? at + 1 + size : endOfTexts(raw, at + 1, size === "pair" ? 2 : 1);
  if (end > raw.length) throw new RangeError(`the property ${id} is cut off`);
  return end;
}

function endOfTexts(raw: Buffer, from: number, texts: number): number {
  let at = from;
  for (let left = texts; left > 0; left--) at += 2 + ((raw[at] ?? 0) << 8) + (raw[at + 1] ?? 0);
  return at;
}

/** Those of a will, which a parser has read already. */
export function willProperties({ willDelayInterval: _delay, ...rest }: WillProperties): MessageProperties | undefined {
  const packet = { cmd: "publish", topic: "", payload: "", qos: 0, dup: false, retain: false, properties: rest };
  const bytes = generate(packet as IPublishPacket, { protocolVersion: 5 });
  // Behind the type: the length of the packet, the empty topic, the length of the properties.
  const topic = afterNumber(bytes, 1);
  return readProperties(bytes.subarray(afterNumber(bytes, topic + 2)));
}

function afterNumber(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) & 0x80) at++;
  return at + 1;
}

/** From now on the expiry counts down. */
export function published(properties: MessageProperties, mono: number): MessageProperties {
  const { lifetimeSecs } = properties;
  return lifetimeSecs === undefined ? properties : { ...properties, expiresAt: mono + lifetimeSecs * 1000 };
}

export function isExpired(properties: MessageProperties | undefined, mono: number): boolean {
  return properties?.expiresAt !== undefined && properties.expiresAt <= mono;
}

/** As they go on the wire now, without their length. */
export function onWire({ bytes, expiresAt }: MessageProperties, mono: number): Buffer {
  if (expiresAt === undefined) return bytes;
  const expiry = Buffer.alloc(5);
  expiry[0] = EXPIRY;
  expiry.writeUInt32BE(Math.max(1, Math.ceil((expiresAt - mono) / 1000)), 1);
  return Buffer.concat([expiry, bytes]);
}

/** aedes passes what is in `properties` on as it is, from the packet that was received to its copies for each receiver. */
interface Carrier {
  properties?: unknown;
}

export function setProperties(packet: Carrier, properties: MessageProperties | undefined): void {
  if (properties) packet.properties = properties;
  else delete packet.properties;
}

export function propertiesOf(packet: Carrier): MessageProperties | undefined {
  return packet.properties as MessageProperties | undefined;
}
