// Topic filters of all sessions, connected or kept. Limited for each account and for all: a filter of twenty levels uses sixteen
// kilobytes in the broker's search trees.
import type { ISubscription, QoS } from "mqtt-packet";
import type { Limits } from "../../../../kit/lifecycle/limits.ts";
import { createShares, type Shares } from "../../../../kit/lifecycle/shares.ts";
import { FilterIndex } from "./filter-index.ts";
import { boundsOf, type QuotaOptions, reportFull } from "./quota.ts";

type Subscription = Pick<ISubscription, "qos"> & { topic: string };

/** A client as aedes knows it: its id is the session id. */
interface Client {
  readonly id: string;
  readonly clean: boolean;
}

export interface FilterStore {
  addSubscriptions(client: { id: string }, subscriptions: readonly Subscription[]): Promise<void>;
  removeSubscriptions(client: { id: string }, topics: readonly string[]): Promise<void>;
  cleanSubscriptions(client: { id: string }): Promise<void>;
}

interface Session {
  readonly account: string;
  readonly filters: Map<string, { bytes: number; qos: QoS }>;
  /** Allowed, and not in the store yet. */
  unstored: Subscription[];
}

export interface FilterQuotaOptions extends QuotaOptions {
  /** Called when the filters of a kept session have changed in the store. */
  onChange: (sessionId: string) => void;
}

const FILTER_BYTES = 256;
const LEVEL_BYTES = 400;

export class FilterQuota {
  readonly #limits: Limits;
  readonly #onChange: (sessionId: string) => void;
  readonly #shares: Shares;
  readonly #sessions = new Map<string, Session>();
  readonly #index = new FilterIndex();
  #size = 0;

  constructor({ keys, limits, onChange }: FilterQuotaOptions) {
    this.#limits = limits;
    this.#onChange = onChange;
    this.#shares = createShares(boundsOf(keys, "max_filters_mb"));
  }

  /** Filters of all sessions: one message has at most so many deliveries. */
  get size(): number {
    return this.#size;
  }

  /** Whether a session, connected or kept, may have subscribed to the topic. */
  mayMatch(topic: string): boolean {
    return this.#index.mayMatch(topic);
  }

  /** The filters of a session with their QoS; undefined where it has none. */
  of(sessionId: string): Readonly<Record<string, QoS>> | undefined {
    const session = this.#sessions.get(sessionId);
    return session && Object.fromEntries([...session.filters].map(([filter, { qos }]) => [filter, qos]));
  }

  /** Counts the subscription where it fits; returns whether it does. */
  claim({ id, clean }: Client, account: string, subscription: Subscription): boolean {
    const session: Session = this.#sessions.get(id) ?? { account, filters: new Map(), unstored: [] };
    const { topic, qos } = subscription;
    const known = session.filters.get(topic);
    const bytes = bytesOf(subscription, clean);
    const more = bytes - (known?.bytes ?? 0);
    const full = this.#shares.lacks(session.account, more);
    if (full) {
      const message = "a subscription is refused: subscribe to fewer topics, with wildcards";
      reportFull(this.#limits, "max_filters_mb", full, session.account, message);
      return false;
    }
    this.#shares.add(session.account, more);
    if (!known) {
      this.#size++;
      this.#index.add(topic);
    }
    session.filters.set(topic, { bytes, qos });
    this.#sessions.set(id, session);
    if (!clean && known?.qos !== qos) session.unstored.push(subscription);
    return true;
  }

  release(sessionId: string, filters: Iterable<string>): void {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    for (const filter of filters) {
      this.#shares.add(session.account, -(session.filters.get(filter)?.bytes ?? 0));
      if (!session.filters.delete(filter)) continue;
      this.#size--;
      this.#index.remove(filter);
    }
    if (session.filters.size === 0) this.#sessions.delete(sessionId);
  }

  /** From now on the store keeps only what was claimed. */
  limit(store: FilterStore): void {
    const add = store.addSubscriptions.bind(store);
    const remove = store.removeSubscriptions.bind(store);
    const clean = store.cleanSubscriptions.bind(store);
    // For each allowed filter aedes passes all filters of the packet, also the refused ones.
    store.addSubscriptions = async (client) => {
      const allowed = this.#sessions.get(client.id)?.unstored.splice(0) ?? [];
      if (allowed.length === 0) return;
      await add(client, allowed);
      this.#onChange(client.id);
    };
    store.removeSubscriptions = async (client, topics) => {
      this.release(client.id, topics);
      await remove(client, topics);
      this.#onChange(client.id);
    };
    store.cleanSubscriptions = async (client) => {
      this.release(client.id, [...(this.#sessions.get(client.id)?.filters.keys() ?? [])]);
      await clean(client);
      this.#onChange(client.id);
    };
  }
}

/** Filters of kept sessions with a QoS are in two trees. */
function bytesOf({ topic, qos }: Subscription, clean: boolean): number {
  let levels = 1;
  for (let at = topic.indexOf("/"); at >= 0; at = topic.indexOf("/", at + 1)) levels++;
  return FILTER_BYTES + 2 * topic.length + LEVEL_BYTES * levels * (!clean && qos > 0 ? 2 : 1);
}
