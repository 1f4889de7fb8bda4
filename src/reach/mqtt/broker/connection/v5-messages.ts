// Messages of one MQTT 5 client on their way through a broker for 3.1.1, whose packets cannot carry their properties. Those that
// come are announced in order. Those that go wait here, and the broker passes on a ticket in place of each.
import { isExpired, type MessageProperties, onWire } from "./message-properties.ts";

export interface OutgoingMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly properties: MessageProperties | undefined;
}

/** How a message is sent to this client. */
export interface Delivery {
  readonly message: OutgoingMessage;
  readonly qos: number;
  readonly messageId: number;
  readonly retain: boolean;
  readonly dup: boolean;
}

export interface V5Messages {
  /** A PUBLISH with these properties goes to the broker. */
  arrives(properties: MessageProperties | undefined): void;
  /** The properties of the next PUBLISH that the broker handles. */
  next(): MessageProperties | undefined;
  ticketFor(message: OutgoingMessage): string;
  /** Throws where there is no such ticket. */
  redeem(ticket: string): OutgoingMessage;
  /** The messages whose tickets are with the broker. */
  waiting(): Iterable<OutgoingMessage>;
}

export function createV5Messages(): V5Messages {
  const arriving: (MessageProperties | undefined)[] = [];
  const waiting = new Map<string, OutgoingMessage>();
  let last = 0;

  return {
    arrives: (properties) => void arriving.push(properties),
    next: () => arriving.shift(),
    ticketFor(message) {
      const ticket = String(++last);
      waiting.set(ticket, message);
      return ticket;
    },
    redeem(ticket) {
      const message = waiting.get(ticket);
      if (!message) throw new Error("a message without a ticket");
      waiting.delete(ticket);
      return message;
    },
    waiting: () => waiting.values(),
  };
}

export function bytesOf({ topic, payload, properties }: OutgoingMessage): number {
  return topic.length + payload.length + (properties?.bytes.length ?? 0);
}

/** The PUBLISH up to its payload; undefined where the message has expired. */
export function publishHead(delivery: Delivery, mono: number): Buffer | undefined {
  const { message, qos, messageId, retain, dup } = delivery;
  if (isExpired(message.properties, mono)) return undefined;
  const topic = Buffer.from(message.topic);
  const properties = message.properties ? onWire(message.properties, mono) : Buffer.alloc(0);
  const body = [twoBytes(topic.length), topic, ...(qos > 0 ? [twoBytes(messageId)] : [])];
  body.push(variableLength(properties.length), properties);
  const length = body.reduce((sum, { length }) => sum + length, message.payload.length);
  const type = 0x30 | (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0);
  return Buffer.concat([Buffer.from([type]), variableLength(length), ...body]);
}

function twoBytes(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

/** Seven bits in each byte, the lowest first. */
function variableLength(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  do {
    bytes.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    left >>= 7;
  } while (left > 0);
  return Buffer.from(bytes);
}
