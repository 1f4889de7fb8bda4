// Retained messages are held until somebody clears them: so many bytes for each account that published them, and for all.
import type { Limits } from "../core/limits.ts";
import { createShares } from "../core/shares.ts";
import { type Held, megabytes, messageBytes, withOwnPayload } from "./held-bytes.ts";
import type { MemoryKeys } from "./memory-config.ts";

export interface RetainedStore {
  storeRetained(packet: Held): Promise<void>;
}

export interface RetainedRoomOptions {
  bounds: MemoryKeys;
  limits: Limits;
  /** Who publishes now. */
  publisher: () => string;
}

const ENTRY_BYTES = 800;

/** What does not fit is not kept; what is held on its topic stays, and clearing always works. */
export function boundRetained(store: RetainedStore, { bounds, limits, publisher }: RetainedRoomOptions): void {
  const keep = store.storeRetained.bind(store);
  const shares = createShares(megabytes(bounds.max_retained_mb_per_account, bounds.max_retained_mb));
  const held = new Map<string, { account: string; bytes: number }>();

  function refuse(lacks: "each" | "all", account: string, topic: string): void {
    const mine = lacks === "each";
    limits.reached({
      limit: mine ? "[mqtt] max_retained_mb_per_account" : "[mqtt] max_retained_mb",
      account: mine ? account : "all",
      message: `a retained message on "${topic.slice(0, 200)}" is not kept: clear some by publishing nothing on their topics`,
    });
  }

  store.storeRetained = async function storeRetainedWithin(packet) {
    const { topic } = packet;
    const account = publisher();
    const bytes = packet.payload.length > 0 ? messageBytes(packet, ENTRY_BYTES) : 0;
    const before = held.get(topic);
    if (before) shares.add(before.account, -before.bytes);
    const lacks = shares.lacks(account, bytes);
    if (lacks) {
      if (before) shares.add(before.account, before.bytes);
      refuse(lacks, account, topic);
      return;
    }
    shares.add(account, bytes);
    if (bytes > 0) held.set(topic, { account, bytes });
    else held.delete(topic);
    await keep(withOwnPayload(packet));
  };
}
