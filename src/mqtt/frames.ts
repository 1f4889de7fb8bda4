// MQTT's outermost layer, read while bytes stream by: which protocol level a connection speaks, and whether a packet
// is too long – known from its first five bytes, before any of it is kept.

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

export interface FrameGuard {
  /** Follows the packet boundaries through `chunk`; says what is wrong with it, if anything. */
  check(chunk: Uint8Array): "too_large" | "malformed" | undefined;
  limit: number;
}

/** Refuses packets whose body is longer than `limit` bytes; the limit may change between packets. */
export function createFrameGuard(limit: number): FrameGuard {
  let body = 0;
  // -1 while outside of a header; else the number of length bytes read.
  let lengthBytes = -1;
  let length = 0;

  const guard: FrameGuard = {
    limit,
    check(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (body > 0) {
          const step = Math.min(body, chunk.length - at);
          body -= step;
          at += step;
          continue;
        }
        const byte = chunk[at++] ?? 0;
        if (lengthBytes < 0) {
          lengthBytes = 0;
          length = 0;
          continue;
        }
        length += (byte & 0x7f) * 128 ** lengthBytes++;
        if (length > guard.limit) return "too_large";
        if (byte & 0x80) {
          if (lengthBytes === 4) return "malformed";
          continue;
        }
        body = length;
        lengthBytes = -1;
      }
      return undefined;
    },
  };
  return guard;
}
