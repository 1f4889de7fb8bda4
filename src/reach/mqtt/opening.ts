// The first bytes of a connection, until they say which version of MQTT the client speaks.
import type { PacketError } from "./packet-queue.ts";

/** `answer`: what the client is answered before its connection is closed. */
export type Opened = { bytes: Buffer; level: 4 | 5 } | { refusal: PacketError; answer?: Buffer };

const CONNACK_UNKNOWN_LEVEL = Buffer.from([0x20, 2, 0, 1]);

export class Opening {
  #bytes: Buffer = Buffer.alloc(0);

  /** Bytes that wait for the rest. */
  get size(): number {
    return this.#bytes.length;
  }

  /** Undefined until enough has arrived. 3.1 counts as 3.1.1. */
  read(chunk: Buffer): Opened | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const level = protocolLevel(this.#bytes);
    if (level === undefined) return undefined;
    if (level === "not_mqtt") return { refusal: { reason: "not MQTT", code: 0x81 } };
    if (level >= 3 && level <= 5) return { bytes: this.#bytes, level: level === 5 ? 5 : 4 };
    const reason = `protocol level ${level} is not supported`;
    return { refusal: { reason, code: 0x84 }, answer: CONNACK_UNKNOWN_LEVEL };
  }
}

/** The protocol level in the CONNECT that opens a connection; undefined until enough has arrived. */
function protocolLevel(bytes: Uint8Array): number | "not_mqtt" | undefined {
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
