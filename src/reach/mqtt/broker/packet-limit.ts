// How large a packet of which account may be. `max_payload_bytes` is the older key: where it is set, it counts for all accounts.
import type { Account } from "../accounts/accounts.ts";
import type { MqttSection } from "../config.ts";

export interface PacketLimit {
  readonly bytes: number;
  readonly payloadBytes: number;
  /** The key that raises it. */
  readonly key: "max_packet_kib" | "max_payload_bytes";
}

type Keys = Pick<MqttSection, "max_packet_kib" | "max_payload_bytes">;

const NAMELESS_PAYLOAD_BYTES = 1_048_576;
// On top of the payload: topic, message id, length.
const OVERHEAD_BYTES = 1024;

export function packetLimitOf({ kind }: Pick<Account, "kind">, keys: Keys): PacketLimit {
  const payload = keys.max_payload_bytes ?? (kind === "anonymous" ? NAMELESS_PAYLOAD_BYTES : undefined);
  return payload === undefined
    ? { bytes: keys.max_packet_kib * 1024, payloadBytes: Number.POSITIVE_INFINITY, key: "max_packet_kib" }
    : { bytes: payload + OVERHEAD_BYTES, payloadBytes: payload, key: "max_payload_bytes" };
}
