// Retained messages stay until they are cleared. Limited for each account that published them, and for all accounts.
import { createShares } from "../core/shares.ts";
import { boundsOf, messageBytes, type QuotaOptions, reportFull, type StoredMessage, withOwnPayload } from "./quota.ts";

export interface RetainedStore {
  storeRetained(packet: StoredMessage): Promise<void>;
}

export interface RetainedQuotaOptions extends QuotaOptions {
  /** The account that publishes now. */
  publisher: () => string;
}

const OVERHEAD_BYTES = 800;

/** Above the quota a message is not retained and its topic keeps the last one. Clearing always works. */
export function limitRetained(store: RetainedStore, { keys, limits, publisher }: RetainedQuotaOptions): void {
  const storeRetained = store.storeRetained.bind(store);
  const shares = createShares(boundsOf(keys, "max_retained_mb"));
  const retained = new Map<string, { account: string; bytes: number }>();

  store.storeRetained = async function storeWithinQuota(packet) {
    const { topic } = packet;
    const account = publisher();
    const bytes = packet.payload.length > 0 ? messageBytes(packet, OVERHEAD_BYTES) : 0;
    const before = retained.get(topic);
    if (before) shares.add(before.account, -before.bytes);
    const full = shares.lacks(account, bytes);
    if (full) {
      if (before) shares.add(before.account, before.bytes);
      const message = `a retained message on "${topic.slice(0, 200)}" is not kept: clear some by publishing an empty message on their topics`;
      reportFull(limits, "max_retained_mb", full, account, message);
      return;
    }
    shares.add(account, bytes);
    if (bytes > 0) retained.set(topic, { account, bytes });
    else retained.delete(topic);
    await storeRetained(withOwnPayload(packet));
  };
}
