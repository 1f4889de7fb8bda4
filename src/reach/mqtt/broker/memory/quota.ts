// Common parts of the memory quotas: sizes, the report of a full quota, and payloads that keep no other bytes in memory.
import type { Limits } from "../../../../kit/lifecycle/limits.ts";
import type { ShareBounds } from "../../../../kit/lifecycle/shares.ts";
import type { MemoryKeys } from "../../config.ts";
import { type MessageProperties, propertiesOf } from "../connection/message-properties.ts";

export interface QuotaOptions {
  keys: MemoryKeys;
  limits: Limits;
}

/** The keys of a quota; each has a second one, `…_per_account`. */
type QuotaKey = "max_retained_mb" | "max_queued_mb" | "max_buffered_mb" | "max_filters_mb";

export function boundsOf(keys: MemoryKeys, key: QuotaKey): ShareBounds {
  return { each: keys[`${key}_per_account`] * 1_048_576, all: keys[key] * 1_048_576 };
}

/** Reports that the quota of the account, or of all accounts together, is full. */
export function reportFull(limits: Limits, key: QuotaKey, full: "each" | "all", account: string, message: string) {
  limits.reached(
    full === "each"
      ? { limit: `[mqtt] ${key}_per_account`, account, message }
      : { limit: `[mqtt] ${key}`, account: "all", message },
  );
}

/** As aedes hands it over to be kept. */
export interface PacketToKeep {
  topic: string;
  payload: Uint8Array | string;
  qos?: number | undefined;
  properties?: unknown;
}

/** With bytes of its own. */
export interface KeptMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly properties: MessageProperties | undefined;
}

const PROPERTIES_OVERHEAD_BYTES = 200;

/** `overhead`: bytes that the store adds to each message, measured. */
export function messageBytes(message: Omit<KeptMessage, "qos">, overhead: number): number {
  const { topic, payload, properties } = message;
  const ofProperties = properties ? PROPERTIES_OVERHEAD_BYTES + properties.bytes.length : 0;
  return overhead + 2 * topic.length + payload.length + ofProperties;
}

/**
 * A copy to keep. The payload of a packet is a view into the bytes received with it: ten bytes that are kept for days would keep
 * up to a megabyte of others in memory.
 */
export function keptMessage(packet: PacketToKeep): KeptMessage {
  const { topic, payload, qos } = packet;
  const own = Buffer.alloc(typeof payload === "string" ? Buffer.byteLength(payload) : payload.length);
  if (typeof payload === "string") own.write(payload);
  else own.set(payload);
  return { topic, payload: own, qos: qos === 1 || qos === 2 ? qos : 0, properties: propertiesOf(packet) };
}
