// Limits the properties of an MQTT 5 packet, before a parser reads them: it makes an object entry of each property, and needs a
// fifth of a second for a megabyte of them. Those of a PUBLISH are handed over as they are.

export interface PropertyLimit {
  /** Whether a packet in these bytes, or continued in them, has too long properties. */
  exceeds(chunk: Uint8Array): boolean;
}

// Ten times what real clients send.
export const MAX_PROPERTY_BYTES = 16_384;
const PUBLISH = 3;
const MESSAGE_ID_BYTES = 2;
const NO_PROPERTIES = -1;
const NONE = Buffer.alloc(0);

/** Bytes of the body before its properties, by packet type. A CONNECT is limited as a whole. */
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

type Field = "type" | "body length" | "topic length" | "before" | "property length" | "properties" | "rest";

/** `onPublish`: called once for each PUBLISH, in order, with its properties in bytes of their own. */
export function createPropertyLimit(onPublish: (properties: Buffer) => void = () => {}): PropertyLimit {
  let field: Field = "type";
  let type = 0;
  let qos = 0;
  /** Of the number that is being read. */
  let digits = 0;
  let number = 0;
  /** Bytes left of the body. */
  let left = 0;
  /** Bytes left before the properties. */
  let before = 0;
  /** Those of a PUBLISH, of which `filled` bytes have come. */
  let properties = NONE;
  let filled = 0;
  let reported = false;

  function report(bytes: Buffer): void {
    if (!reported) onPublish(bytes);
    reported = true;
  }

  function begin(next: Field): void {
    // Also where it ends before its properties: a parser may take it all the same.
    if (left === 0 && type === PUBLISH) report(NONE);
    field = left === 0 ? "type" : next;
    digits = 0;
    number = 0;
  }

  /** True at the last byte of a number with seven bits in each byte. */
  function isComplete(byte: number): boolean {
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

  function beginProperties(length: number): void {
    const kept = type === PUBLISH ? Math.min(length, left) : 0;
    properties = Buffer.alloc(kept);
    filled = 0;
    begin(kept > 0 ? "properties" : "rest");
    if (kept === 0 && type === PUBLISH) report(NONE);
  }

  function fill(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + properties.length - filled);
    properties.set(part, filled);
    filled += part.length;
    left -= part.length;
    if (filled < properties.length) return part.length;
    report(properties);
    begin("rest");
    return part.length;
  }

  return {
    exceeds(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (field === "properties") {
          at += fill(chunk, at);
          continue;
        }
        if (field === "before" || field === "rest") {
          const step = Math.min(field === "before" ? Math.min(before, left) : left, chunk.length - at);
          at += step;
          left -= step;
          before -= step;
          begin(field === "before" && before === 0 ? "property length" : field);
          continue;
        }
        const byte = chunk[at++] ?? 0;
        if (field === "type") {
          type = byte >> 4;
          qos = (byte >> 1) & 3;
          reported = false;
          left = 1;
          begin("body length");
        } else if (field === "body length") {
          if (isComplete(byte)) beginBody();
        } else {
          left--;
          if (field === "topic length") readTopicLength(byte);
          else if (isComplete(byte)) {
            if (number > MAX_PROPERTY_BYTES) return true;
            beginProperties(number);
          }
          if (left === 0) begin("type");
        }
      }
      return false;
    },
  };
}
