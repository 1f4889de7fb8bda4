// Common parts of the memory quotas: sizes, the report of a full quota, and payloads that keep no other bytes in memory.
import type { Limits } from "../core/limits.ts";
import type { ShareBounds } from "../core/shares.ts";
import type { MemoryKeys } from "./config.ts";

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

export interface StoredMessage {
  topic: string;
  payload: Uint8Array | string;
}

/** `overhead`: bytes that the store adds to each message, measured. */
export function messageBytes({ topic, payload }: StoredMessage, overhead: number): number {
  return overhead + 2 * topic.length + payload.length;
}

/**
 * A copy of the packet with a payload of its own. The payload is a view into the bytes received with it: ten bytes that are kept
 * for days would keep up to a megabyte of others in memory.
 */
export function withOwnPayload<P extends Partial<StoredMessage>>(packet: P): P {
  const { payload } = packet;
  if (payload === undefined || typeof payload === "string") return packet;
  const own = Buffer.alloc(payload.length);
  own.set(payload);
  return { ...packet, payload: own };
}
