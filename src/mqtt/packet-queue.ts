// The bytes that a connection has received and the broker has not read, taken in batches of whole packets. Only the outermost
// layer of MQTT is read here: the protocol level, where packets end, and whether one is too long (known from its first five bytes).

export interface PacketQueue {
  add(chunk: Buffer): void;
  /** Up to so many packets or bytes. */
  take(most: BatchLimit): Batch;
  clear(): void;
  /** Bytes that wait. */
  readonly size: number;
  /** From the next packet on, they may be so long. Only a PUBLISH may be longer than 128 KiB. */
  allow(maxBytes: number): void;
}

interface BatchLimit {
  packets: number;
  bytes: number;
}

export interface Batch {
  readonly bytes: Buffer;
  /** Packets that end in it. */
  readonly packets: number;
  /** Packets in it that cause work: publishes, subscriptions, logins. Not acknowledgements and pings. */
  readonly requests: number;
  /** An error of the client, with its MQTT 5 reason code. */
  readonly error?: PacketError;
}

export interface PacketError {
  readonly reason: string;
  readonly code: number;
  /** Of a PUBLISH that is too large. */
  readonly bytes?: number;
}

export function createPacketQueue(maxBytes: number): PacketQueue {
  const cutter = createPacketCutter(maxBytes);
  const chunks: Buffer[] = [];
  let at = 0;
  let size = 0;

  return {
    add(chunk) {
      if (chunk.length === 0) return;
      chunks.push(chunk);
      size += chunk.length;
    },
    take(most) {
      const [chunk] = chunks;
      if (!chunk) return { bytes: Buffer.alloc(0), packets: 0, requests: 0 };
      const { end, ...cut } = cutter.cut(chunk, at, most);
      const bytes = chunk.subarray(at, end);
      size -= bytes.length;
      at = end;
      if (at === chunk.length) {
        chunks.shift();
        at = 0;
      }
      return { ...cut, bytes };
    },
    clear() {
      chunks.length = 0;
      at = 0;
      size = 0;
    },
    get size() {
      return size;
    },
    allow(longest) {
      cutter.maxBytes = longest;
    },
  };
}

// Packets other than PUBLISH are read field by field: a SUBSCRIBE with 40,000 filters blocks longer than a message of its size.
const MAX_OTHER_BYTES = 131_072;
const PUBLISH = 3;

// CONNECT, PUBLISH, SUBSCRIBE, UNSUBSCRIBE.
const REQUESTS: ReadonlySet<number> = new Set([1, PUBLISH, 8, 10]);
// PUBACK, PUBREC, PUBREL, PUBCOMP: aedes answers one without a packet identifier with half a packet.
const ACKNOWLEDGEMENTS: ReadonlySet<number> = new Set([4, 5, 6, 7]);
const IDENTIFIER_BYTES = 2;
const NO_IDENTIFIER: PacketError = { reason: "an acknowledgement without a packet identifier", code: 0x81 };
const MALFORMED: PacketError = { reason: "a malformed packet length", code: 0x81 };
const tooLarge = (most: number): PacketError => ({ reason: `a packet of more than ${most} bytes`, code: 0x95 });

interface PacketCutter {
  /** Follows the packet boundaries from `at`. Ends after so many packets or bytes, or with the chunk, never inside a header. */
  cut(chunk: Uint8Array, at: number, most: BatchLimit): Omit<Batch, "bytes"> & { readonly end: number };
  /** Of the body of a packet. */
  maxBytes: number;
}

function createPacketCutter(maxBytes: number): PacketCutter {
  let body = 0;
  // -1 outside of a header; else the number of length bytes read.
  let lengthBytes = -1;
  let length = 0;
  let longest = maxBytes;
  let shortest = 0;
  let isPublish = false;

  const cutter: PacketCutter = {
    maxBytes,
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
          isPublish = byte >> 4 === PUBLISH;
          longest = isPublish ? cutter.maxBytes : Math.min(cutter.maxBytes, MAX_OTHER_BYTES);
          continue;
        }
        length += (byte & 0x7f) * 128 ** lengthBytes++;
        if (byte & 0x80) {
          if (lengthBytes === 4) return { end: at, packets, requests, error: MALFORMED };
          continue;
        }
        if (length > longest) {
          const error = isPublish ? { ...tooLarge(longest), bytes: length } : tooLarge(longest);
          return { end: at, packets, requests, error };
        }
        if (length < shortest) return { end: at, packets, requests, error: NO_IDENTIFIER };
        body = length;
        lengthBytes = -1;
        if (body === 0 && (++packets >= most.packets || at - from >= most.bytes)) break;
      }
      return { end: at, packets, requests };
    },
  };
  return cutter;
}

/** The protocol level in the CONNECT that opens a connection; undefined until enough has arrived. */
export function protocolLevel(bytes: Uint8Array): number | "not_mqtt" | undefined {
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
