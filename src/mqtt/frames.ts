// MQTT's outermost layer, read while bytes stream by: which protocol level a connection speaks, where its packets end, and
// whether one is too long – known from its first five bytes.

/** The protocol level of the CONNECT that opens a connection; undefined until enough has arrived. */
export function sniffLevel(bytes: Uint8Array): number | "not_mqtt" | undefined {
  if (bytes[0] !== 0x10) return bytes.length === 0 ? undefined : "not_mqtt";
  let at = 1;
  while ((bytes[at] ?? 0) & 0x80) if (++at > 4) return "not_mqtt";
  at++;
  const length = bytes[at + 1];
  if (length === undefined) return undefined;
  // "MQTT", or "MQIsdp" for 3.1.
  if (bytes[at] !== 0 || (length !== 4 && length !== 6)) return "not_mqtt";
  const level = bytes[at + 2 + length];
  if (level === undefined) return undefined;
  const name = Buffer.from(bytes.subarray(at + 2, at + 2 + length)).toString("latin1");
  return name === "MQTT" || name === "MQIsdp" ? level & 0x7f : "not_mqtt";
}

export interface Piece {
  /** Where in the chunk it ends. */
  readonly end: number;
  /** Packets that end in it. */
  readonly packets: number;
  /** Packets in it that ask for work: publishes, subscriptions, logins. Acknowledgements and pings are not counted. */
  readonly requests: number;
  /** Why the stream cannot go on, with the reason code of MQTT 5. */
  readonly wrong?: { readonly reason: string; readonly code: number };
}

export interface FrameCutter {
  /** Follows the packet boundaries from `at` on, and ends after so many packets or bytes, though never within a header. */
  cut(chunk: Uint8Array, at: number, most: { packets: number; bytes: number }): Piece;
  /** The longest body of a packet; it may change between packets. Only a message may be longer than 128 KiB. */
  limit: number;
}

// What is no message is read name by name: a SUBSCRIBE with 40,000 filters would hold everybody up for longer than a message
// of its size.
const MOST_OTHER_BYTES = 131_072;
const PUBLISH = 3;

// CONNECT, PUBLISH, SUBSCRIBE, UNSUBSCRIBE.
const REQUESTS: ReadonlySet<number> = new Set([1, PUBLISH, 8, 10]);
// PUBACK, PUBREC, PUBREL, PUBCOMP: the broker would answer one without a packet identifier with half a packet.
const ACKNOWLEDGEMENTS: ReadonlySet<number> = new Set([4, 5, 6, 7]);
const IDENTIFIER_BYTES = 2;
const NO_IDENTIFIER = { reason: "an acknowledgement without a packet identifier", code: 0x81 };
const MALFORMED = { reason: "a malformed packet length", code: 0x81 };
const tooLarge = (bytes: number) => ({ reason: `a packet of more than ${bytes} bytes`, code: 0x95 });

/** Cuts a stream into pieces of whole packets; a packet that has not arrived as a whole is cut where the chunk ends. */
export function createFrameCutter(limit: number): FrameCutter {
  let body = 0;
  // -1 while outside of a header; else the number of length bytes read.
  let lengthBytes = -1;
  let length = 0;
  let longest = limit;
  let shortest = 0;

  const cutter: FrameCutter = {
    limit,
    cut(chunk, from, most) {
      let at = from;
      let packets = 0;
      let requests = 0;
      while (at < chunk.length) {
        if (body > 0) {
          const step = Math.min(body, chunk.length - at);
          body -= step;
          at += step;
          if (body === 0 && (++packets >= most.packets || at - from >= most.bytes)) break;
          continue;
        }
        const byte = chunk[at++] ?? 0;
        if (lengthBytes < 0) {
          lengthBytes = 0;
          length = 0;
          if (REQUESTS.has(byte >> 4)) requests++;
          shortest = ACKNOWLEDGEMENTS.has(byte >> 4) ? IDENTIFIER_BYTES : 0;
          longest = byte >> 4 === PUBLISH ? cutter.limit : Math.min(cutter.limit, MOST_OTHER_BYTES);
          continue;
        }
        length += (byte & 0x7f) * 128 ** lengthBytes++;
        if (length > longest) return { end: at, packets, requests, wrong: tooLarge(longest) };
        if (byte & 0x80) {
          if (lengthBytes === 4) return { end: at, packets, requests, wrong: MALFORMED };
          continue;
        }
        if (length < shortest) return { end: at, packets, requests, wrong: NO_IDENTIFIER };
        body = length;
        lengthBytes = -1;
        if (body === 0 && (++packets >= most.packets || at - from >= most.bytes)) break;
      }
      return { end: at, packets, requests };
    },
  };
  return cutter;
}
