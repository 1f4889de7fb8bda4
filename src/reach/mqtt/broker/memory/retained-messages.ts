// Retained messages stay until they are cleared or expire. Limited for each account that published them, and for all accounts.
import { Readable } from "node:stream";
import { createShares } from "../../../../kit/lifecycle/shares.ts";
import { hasWildcard, matchesFilter } from "../../../../kit/text/topic-filter.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import { isExpired } from "../connection/message-properties.ts";
import { accountNameOf } from "../session-ids.ts";
import {
  boundsOf,
  type KeptMessage,
  keptMessage,
  messageBytes,
  type PacketToKeep,
  type QuotaOptions,
  reportFull,
} from "./quota.ts";

export interface RetainedMessage extends KeptMessage {
  /** The key of the account that published it. */
  readonly account: string;
}

/** The methods of aedes's persistence that are replaced. */
export interface RetainedStore {
  storeRetained(packet: PacketToKeep): Promise<void>;
  createRetainedStreamCombi(filters: readonly string[]): Readable;
}

export interface RetainedOptions extends QuotaOptions {
  clock: Pick<Clock, "mono">;
  /** The key of the account that publishes now. */
  publisher: () => string;
  /** Topics whose messages have a limit of their own, and are kept whatever the quota says. */
  isExempt: (topic: string) => boolean;
  onChange: (topic: string) => void;
}

const OVERHEAD_BYTES = 800;

export class RetainedMessages {
  readonly #options: RetainedOptions;
  readonly #shares: ReturnType<typeof createShares>;
  readonly #messages = new Map<string, RetainedMessage>();

  constructor(options: RetainedOptions) {
    this.#options = options;
    this.#shares = createShares(boundsOf(options.keys, "max_retained_mb"));
  }

  get(topic: string): RetainedMessage | undefined {
    return this.#messages.get(topic);
  }

  /** Those that have not expired. */
  *matching(filter: string): Generator<RetainedMessage> {
    const now = this.#options.clock.mono();
    const one = this.#messages.get(filter);
    const all = hasWildcard(filter) ? this.#messages.values() : one ? [one] : [];
    for (const message of all)
      if (matchesFilter(filter, message.topic) && !isExpired(message.properties, now)) yield message;
  }

  /** As it was before a restart; false where it does not fit any more. */
  load(message: RetainedMessage): boolean {
    return this.#keep(message);
  }

  /** Above the quota a message is not retained and its topic keeps the last one. Clearing always works. */
  store(packet: PacketToKeep, account = this.#options.publisher()): void {
    const { topic } = packet;
    const before = this.#messages.get(topic);
    if (packet.payload.length === 0) {
      if (!before) return;
      this.#drop(before);
      this.#options.onChange(topic);
      return;
    }
    const message = { ...keptMessage(packet), account };
    if (this.#keep(message) && !(before && isSame(before, message))) this.#options.onChange(topic);
  }

  dropExpired(): void {
    const now = this.#options.clock.mono();
    for (const message of this.#messages.values()) {
      if (!isExpired(message.properties, now)) continue;
      this.#drop(message);
      this.#options.onChange(message.topic);
    }
  }

  /** From now on the broker keeps its retained messages here. */
  takeOver(store: RetainedStore): void {
    store.storeRetained = async (packet) => this.store(packet);
    store.createRetainedStreamCombi = (filters) => Readable.from(this.#packets(filters));
  }

  *#packets(filters: readonly string[]): Generator<object> {
    for (const filter of filters)
      for (const { topic, payload, qos } of this.matching(filter)) yield { cmd: "publish", topic, payload, qos };
  }

  #bytesOf(message: RetainedMessage): number {
    return this.#options.isExempt(message.topic) ? 0 : messageBytes(message, OVERHEAD_BYTES);
  }

  #drop(message: RetainedMessage): void {
    this.#shares.add(message.account, -this.#bytesOf(message));
    this.#messages.delete(message.topic);
  }

  #keep(message: RetainedMessage): boolean {
    const { topic, account } = message;
    const bytes = this.#bytesOf(message);
    const before = this.#messages.get(topic);
    if (before) this.#shares.add(before.account, -this.#bytesOf(before));
    const full = this.#shares.lacks(account, bytes);
    if (full) {
      if (before) this.#shares.add(before.account, this.#bytesOf(before));
      const text = `a retained message on "${topic.slice(0, 200)}" is not kept: clear some by publishing an empty message on their topics`;
      reportFull(this.#options.limits, "max_retained_mb", full, accountNameOf(account), text);
      return false;
    }
    this.#shares.add(account, bytes);
    this.#messages.set(topic, message);
    return true;
  }
}

/** Whether nothing on the disk would change: bridges announce all they have again at every start. */
function isSame(one: RetainedMessage, other: RetainedMessage): boolean {
  if (one.properties?.lifetimeSecs !== undefined || other.properties?.lifetimeSecs !== undefined) return false;
  const sameProperties = Buffer.compare(one.properties?.bytes ?? NONE, other.properties?.bytes ?? NONE) === 0;
  const sameSender = one.account === other.account && one.qos === other.qos;
  return sameProperties && sameSender && one.payload.equals(other.payload);
}

const NONE = Buffer.alloc(0);
