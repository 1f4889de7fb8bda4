// The bytes that a connection has received and nobody has read, taken in batches of whole packets. Only the outermost layer of MQTT
// is read here: where packets end, which are messages, and whether one is too long (known from its first five bytes).

export interface PacketQueue {
  add(chunk: Buffer): void;
  /** Up to so many packets or bytes. */
  take(most: BatchLimit): Batch;
  clear(): void;
  /** Bytes that wait. */
  readonly size: number;
  /** Memory of what waits, and of the PUBLISH that is being put together. */
  readonly heldBytes: number;
  /** Of another packet, what was taken while the rest is still to come. */
  readonly begunBytes: number;
  /** From the next packet on, they may be so long. Only a PUBLISH may be longer than 128 KiB. */
  allow(maxBytes: number): void;
}

interface BatchLimit {
  packets: number;
  bytes: number;
}

export interface Batch {
  /** Each PUBLISH with QoS 0 or 1 before `bytes`, as a whole. */
  readonly publishes: readonly Buffer[];
  /** Of other packets. */
  readonly bytes: Buffer;
  /** How many bytes left the queue. */
  readonly taken: number;
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

// One of the chunks in which a packet arrives.
const CHUNK_BYTES = 150;
const NOTHING = Buffer.alloc(0);

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
      if (!chunk) return { publishes: [], bytes: NOTHING, taken: 0, packets: 0, requests: 0 };
      const { end, ...batch } = cutter.cut(chunk, at, most);
      size -= batch.taken;
      at = end;
      if (at === chunk.length) {
        chunks.shift();
        at = 0;
      }
      return batch;
    },
    clear() {
      chunks.length = 0;
      at = 0;
      size = 0;
      cutter.clear();
    },
    get size() {
      return size;
    },
    get heldBytes() {
      return size + chunks.length * CHUNK_BYTES + cutter.heldBytes;
    },
    get begunBytes() {
      return cutter.begunBytes;
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
  /**
   * Follows the packet boundaries from `at`. Ends after so many packets or bytes, with the chunk, or where a PUBLISH comes after
   * other packets; never inside a header, unless the chunk ends there.
   */
  cut(chunk: Buffer, at: number, most: BatchLimit): Batch & { readonly end: number };
  clear(): void;
  /** Of a PUBLISH of which some chunks have come. */
  readonly heldBytes: number;
  readonly begunBytes: number;
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
  let type = 0;
  /** Whether the packet is a PUBLISH that leaves as a whole. */
  let isWhole = false;
  let parts: Buffer[] = [];
  let heldBytes = 0;

  function beginPacket(byte: number): void {
    type = byte >> 4;
    lengthBytes = 0;
    length = 0;
    isWhole = isWholePublish(byte);
    shortest = ACKNOWLEDGEMENTS.has(type) ? IDENTIFIER_BYTES : 0;
    longest = type === PUBLISH ? cutter.maxBytes : Math.min(cutter.maxBytes, MAX_OTHER_BYTES);
  }

  /** Takes one byte of a length; an error where the client may not send such a packet. */
  function readLength(byte: number): PacketError | undefined {
    length += (byte & 0x7f) * 128 ** lengthBytes++;
    if (byte & 0x80) return lengthBytes === 4 ? MALFORMED : undefined;
    if (length > longest) return type === PUBLISH ? { ...tooLarge(longest), bytes: length } : tooLarge(longest);
    if (length < shortest) return NO_IDENTIFIER;
    body = length;
    lengthBytes = -1;
    return undefined;
  }

  function hold(part: Buffer): void {
    parts.push(part);
    heldBytes += part.length + CHUNK_BYTES;
  }

  function joined(last: Buffer): Buffer {
    if (parts.length === 0) return last;
    const whole = Buffer.concat([...parts, last]);
    parts = [];
    heldBytes = 0;
    return whole;
  }

  const cutter: PacketCutter = {
    maxBytes,
    get heldBytes() {
      return heldBytes;
    },
    get begunBytes() {
      return isWhole || body === 0 ? 0 : length - body;
    },
    clear() {
      parts = [];
      heldBytes = 0;
    },
    cut(chunk, from, most) {
      const publishes: Buffer[] = [];
      let at = from;
      let packets = 0;
      let requests = 0;
      /** Where the packet begins, or the chunk. */
      let begin = from;
      /** Where the bytes of other packets begin. */
      let others = -1;
      const isBetween = () => body === 0 && lengthBytes < 0;
      const batch = (error?: PacketError) => ({
        ...{ publishes, packets, requests, end: at, taken: at - from, ...(error && { error }) },
        bytes: others < 0 ? NOTHING : chunk.subarray(others, at),
      });

      while (at < chunk.length) {
        if (isBetween()) {
          if (packets >= most.packets || at - from >= most.bytes) break;
          const byte = chunk[at] ?? 0;
          if (others >= 0 && isWholePublish(byte)) break;
          begin = at++;
          beginPacket(byte);
          if (REQUESTS.has(type)) requests++;
          if (!isWhole && others < 0) others = begin;
          continue;
        }
        if (!isWhole && others < 0) others = at;
        if (lengthBytes >= 0) {
          const error = readLength(chunk[at++] ?? 0);
          if (error) return batch(error);
        } else {
          const step = Math.min(body, chunk.length - at);
          body -= step;
          at += step;
        }
        if (!isBetween()) continue;
        packets++;
        if (isWhole) publishes.push(joined(chunk.subarray(begin, at)));
      }
      if (isWhole && !isBetween()) hold(chunk.subarray(begin, at));
      return batch();
    },
  };
  return cutter;
}

/** QoS 2 has a longer exchange, which is the broker's. */
function isWholePublish(byte: number): boolean {
  return byte >> 4 === PUBLISH && (byte & 4) === 0;
}
