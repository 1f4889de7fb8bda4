// Filters that sessions are subscribed to, of clients that are here and of kept sessions: bounded for an account and for all.
// A filter of twenty levels takes sixteen kilobytes of the tries it is found by.
import type { ISubscription } from "mqtt-packet";
import type { Limits } from "../core/limits.ts";
import { createShares } from "../core/shares.ts";
import { megabytes } from "./held-bytes.ts";
import type { MemoryKeys } from "./memory-config.ts";

type Subscription = Pick<ISubscription, "qos"> & { topic: string };

/** A client as the broker knows it. */
interface Client {
  readonly id: string;
  readonly clean: boolean;
}

export interface FilterStore {
  addSubscriptions(client: { id: string }, subscriptions: readonly Subscription[]): Promise<void>;
  removeSubscriptions(client: { id: string }, topics: readonly string[]): Promise<void>;
  cleanSubscriptions(client: { id: string }): Promise<void>;
}

export interface FilterRoom {
  /** Whether it fits; counted then. */
  claim(client: Client, account: string, subscription: Subscription): boolean;
  drop(sessionId: string, filters: readonly string[]): void;
  /** Whose session it is that is subscribed. */
  ownerOf(sessionId: string): string;
  /** Filters of all sessions: a message is delivered no more often. */
  readonly size: number;
  /** From now on the store keeps just what was claimed. */
  bound(store: FilterStore): void;
}

interface Session {
  readonly account: string;
  readonly filters: Map<string, { bytes: number; qos: number }>;
  /** Allowed, and not in the store yet. */
  unstored: Subscription[];
}

const FILTER_BYTES = 256;
const LEVEL_BYTES = 400;

export function createFilterRoom({ bounds, limits }: { bounds: MemoryKeys; limits: Limits }): FilterRoom {
  const shares = createShares(megabytes(bounds.max_filters_mb_per_account, bounds.max_filters_mb));
  const sessions = new Map<string, Session>();
  let size = 0;

  function refuse(lacks: "each" | "all", account: string): false {
    const mine = lacks === "each";
    limits.reached({
      limit: mine ? "[mqtt] max_filters_mb_per_account" : "[mqtt] max_filters_mb",
      account: mine ? account : "all",
      message: "a subscription is refused: subscribe to fewer topics, with wildcards",
    });
    return false;
  }

  function drop(sessionId: string, filters: Iterable<string>): void {
    const session = sessions.get(sessionId);
    if (!session) return;
    for (const filter of filters) {
      shares.add(session.account, -(session.filters.get(filter)?.bytes ?? 0));
      if (session.filters.delete(filter)) size--;
    }
    if (session.filters.size === 0) sessions.delete(sessionId);
  }

  return {
    claim({ id, clean }, account, subscription) {
      const session: Session = sessions.get(id) ?? { account, filters: new Map(), unstored: [] };
      const { topic, qos } = subscription;
      const known = session.filters.get(topic);
      const bytes = bytesOf(subscription, clean);
      const more = bytes - (known?.bytes ?? 0);
      const lacks = shares.lacks(session.account, more);
      if (lacks) return refuse(lacks, session.account);
      shares.add(session.account, more);
      if (!known) size++;
      session.filters.set(topic, { bytes, qos });
      sessions.set(id, session);
      if (!clean && known?.qos !== qos) session.unstored.push(subscription);
      return true;
    },
    drop,
    get size() {
      return size;
    },
    ownerOf: (sessionId) => sessions.get(sessionId)?.account ?? "unknown",
    bound(store) {
      const add = store.addSubscriptions.bind(store);
      const remove = store.removeSubscriptions.bind(store);
      const clean = store.cleanSubscriptions.bind(store);
      // The broker hands over all filters of the packet for each that was allowed, the refused ones too.
      store.addSubscriptions = async function addAllowed(client) {
        const allowed = sessions.get(client.id)?.unstored.splice(0) ?? [];
        if (allowed.length > 0) await add(client, allowed);
      };
      store.removeSubscriptions = async function removeCounted(client, topics) {
        drop(client.id, topics);
        await remove(client, topics);
      };
      store.cleanSubscriptions = async function cleanCounted(client) {
        drop(client.id, [...(sessions.get(client.id)?.filters.keys() ?? [])]);
        await clean(client);
      };
    },
  };
}

/** Kept ones are found by a second trie. */
function bytesOf({ topic, qos }: Subscription, clean: boolean): number {
  let levels = 1;
  for (let at = topic.indexOf("/"); at >= 0; at = topic.indexOf("/", at + 1)) levels++;
  return FILTER_BYTES + 2 * topic.length + LEVEL_BYTES * levels * (!clean && qos > 0 ? 2 : 1);
}
