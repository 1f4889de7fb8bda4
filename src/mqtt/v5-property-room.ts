// How long the properties of an MQTT 5 packet may be, read while bytes stream by and before a parser sees them: each property
// becomes an entry of its own, so that a megabyte of them takes a fifth of a second to read.

export interface PropertyRoom {
  /** Whether the properties of a packet are too long that ends, or goes on, in these bytes. */
  exceeds(chunk: Uint8Array): boolean;
}

// Ten times what a client with much to say about itself sends.
export const MOST_PROPERTY_BYTES = 16_384;
const PUBLISH = 3;
const MESSAGE_ID_BYTES = 2;
const NO_PROPERTIES = -1;

/** Bytes of the body before its properties, by packet type; a CONNECT and what it brings is bounded as a whole. */
const BYTES_BEFORE: Readonly<Record<number, number>> = {
  // PUBACK, PUBREC, PUBREL and PUBCOMP: the message id and a reason.
  4: 3,
  5: 3,
  6: 3,
  7: 3,
  // SUBSCRIBE and UNSUBSCRIBE.
  8: MESSAGE_ID_BYTES,
  10: MESSAGE_ID_BYTES,
  // DISCONNECT and AUTH: a reason.
  14: 1,
  15: 1,
};

type Part = "type" | "body length" | "topic length" | "before" | "property length" | "rest";

export function createPropertyRoom(): PropertyRoom {
  let part: Part = "type";
  let type = 0;
  let qos = 0;
  /** Of the number that is being read. */
  let digits = 0;
  let number = 0;
  /** Of the body, still to come. */
  let left = 0;
  /** Before the properties. */
  let before = 0;

  function begin(next: Part): void {
    part = left === 0 ? "type" : next;
    digits = 0;
    number = 0;
  }

  /** True at the last byte of a number of seven bits each. */
  function isRead(byte: number): boolean {
    number += (byte & 0x7f) * 128 ** digits++;
    return (byte & 0x80) === 0 || digits === 4;
  }

  function beginBody(): void {
    left = number;
    before = BYTES_BEFORE[type] ?? NO_PROPERTIES;
    if (type === PUBLISH) begin("topic length");
    else begin(before === NO_PROPERTIES ? "rest" : "before");
  }

  function readTopicLength(byte: number): void {
    number = number * 256 + byte;
    if (++digits < 2) return;
    before = number + (qos > 0 ? MESSAGE_ID_BYTES : 0);
    begin(before === 0 ? "property length" : "before");
  }

  return {
    exceeds(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (part === "before" || part === "rest") {
          const step = Math.min(part === "before" ? Math.min(before, left) : left, chunk.length - at);
          at += step;
          left -= step;
          before -= step;
          begin(part === "before" && before === 0 ? "property length" : part);
          continue;
        }
        const byte = chunk[at++] ?? 0;
        if (part === "type") {
          type = byte >> 4;
          qos = (byte >> 1) & 3;
          left = 1;
          begin("body length");
        } else if (part === "body length") {
          if (isRead(byte)) beginBody();
        } else {
          left--;
          if (part === "topic length") readTopicLength(byte);
          else if (isRead(byte)) {
            if (number > MOST_PROPERTY_BYTES) return true;
            begin("rest");
          }
          if (left === 0) begin("type");
        }
      }
      return false;
    },
  };
}
