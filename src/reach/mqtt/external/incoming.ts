// Messages from the external broker. Who published one is not known: what a plugin's topics say counts as that plugin's, as the
// broker's rights see to that. What the broker has kept (retained) says how things are; it is no event, and no sign of life.
import { type Account, accountKey } from "../accounts/accounts.ts";
import { RetainedMessages, type RetainedOptions } from "../broker/memory/retained-messages.ts";
import type { ReceivedMessage } from "../ports.ts";
import { createTopicReader, type Topic } from "../topics.ts";
import { BROKER_ACCOUNT } from "./broker-state.ts";
import type { Received } from "./message-intake.ts";
import { isProbe } from "./probe.ts";

export const BROKER: Account = { kind: "listed", name: BROKER_ACCOUNT, publish: ["#"], subscribe: ["#"] };

export interface IncomingOptions extends Pick<RetainedOptions, "keys" | "limits" | "clock"> {
  prefix: string;
  maxBytes: number;
  /** Whether the hub itself sent it. */
  isOwn: (topic: string, payload: Uint8Array) => boolean;
  onMessage: (message: ReceivedMessage) => void;
}

const MAX_PLUGINS = 1000;
const MAX_STATES = 20_000;
const MAX_REDELIVERED = 1000;
// A node of NATS that dies may take acknowledgements with it: another one sends the message again, every 30 s and under another
// packet id. Other brokers keep the ids.
const REDELIVERY_WINDOW_MS = 100_000;
const MAX_RECENT = 10_000;

export class Incoming {
  readonly #options: IncomingOptions;
  readonly #topicOf;
  readonly #plugins = new Map<string, Account>();
  /** Of each device's last full state, so that one that is kept does not undo what was reported since. */
  readonly #states = new Map<string, number | bigint>();
  /** By packet id: what this connection acknowledged, which the next one may get again. */
  #acknowledged = new Map<number, number | bigint>();
  #before = new Map<number, number | bigint>();
  /** When what was received, oldest first; monotonic ms. */
  readonly #recent = new Map<number | bigint, number>();
  #keepsIds = true;
  #kept: RetainedMessages;
  received = 0;

  constructor(options: IncomingOptions) {
    this.#options = options;
    this.#topicOf = createTopicReader(options.prefix);
    this.#kept = this.#newKept();
  }

  /** Messages outside the hub's own topics that the broker keeps, as far as the hub has received them. */
  *keptOthers(filter: string): Generator<{ topic: string; payload: Buffer }> {
    for (const message of this.#kept.matching(filter)) yield message;
  }

  /**
   * Before the first message of a connection: what the broker keeps now, it reports anew. `keepsIds`: what it sends again has the same
   * packet id, also at another node.
   */
  begin({ keepsIds }: { keepsIds: boolean }): void {
    this.#keepsIds = keepsIds;
    this.#before = this.#acknowledged;
    this.#acknowledged = new Map();
    this.#kept = this.#newKept();
  }

  take({ topic: name, payload, qos, retain, dup, messageId }: Received): void {
    const { prefix, maxBytes, isOwn, limits, onMessage } = this.#options;
    if (isProbe(prefix, name) || (qos > 0 && this.#isRedelivered(messageId, name, payload, dup))) return;
    if (!retain && isOwn(name, payload)) return;
    if (payload.length > maxBytes) {
      const message = `a message of ${payload.length} bytes on "${name.slice(0, 200)}" was ignored: raise [mqtt] max_packet_kib to let it in`;
      limits.reached({ limit: "[mqtt] max_packet_kib", account: BROKER.name, message });
      return;
    }
    this.received++;
    const topic = this.#topicOf(name);
    if (topic.kind === "other") this.#keep(name, payload, retain);
    else if (retain && !this.#reportsState(topic, payload)) return;
    else if (topic.kind === "device" && topic.subtopic === "state") this.#noteState(topic.deviceId, payload);
    const message = { account: this.#accountOf(topic), clientId: BROKER.name, name, topic, payload, qos, retain };
    onMessage(retain ? { ...message, kept: true } : message);
  }

  #isRedelivered(messageId: number, name: string, payload: Buffer, dup: boolean): boolean {
    const hash = Bun.hash(payload, Bun.hash.crc32(name));
    if (dup && (this.#before.get(messageId) === hash || this.#isSentAgain(hash))) return true;
    if (!this.#keepsIds) {
      this.#recent.delete(hash);
      this.#recent.set(hash, this.#options.clock.mono());
      forgetOldest(this.#recent, MAX_RECENT);
    }
    this.#before.delete(messageId);
    this.#acknowledged.delete(messageId);
    this.#acknowledged.set(messageId, hash);
    forgetOldest(this.#acknowledged, MAX_REDELIVERED);
    return false;
  }

  #isSentAgain(hash: number | bigint): boolean {
    const at = this.#recent.get(hash);
    return !this.#keepsIds && at !== undefined && this.#options.clock.mono() - at < REDELIVERY_WINDOW_MS;
  }

  /** A kept question, heartbeat or event is over; a kept state counts unless it is the one that is known. */
  #reportsState(topic: Exclude<Topic, { kind: "other" }>, payload: Uint8Array): boolean {
    switch (topic.kind) {
      case "device":
        if (topic.subtopic === "state") return this.#states.get(topic.deviceId) !== Bun.hash(payload);
        return topic.subtopic === "availability" || topic.subtopic === "schema";
      case "plugin":
        return topic.subtopic === "status" || topic.subtopic === "capabilities";
      case "request":
        return true;
      case "event":
        return false;
    }
  }

  #noteState(deviceId: string, payload: Uint8Array): void {
    if (this.#states.size >= MAX_STATES && !this.#states.has(deviceId)) this.#states.clear();
    this.#states.set(deviceId, Bun.hash(payload));
  }

  /** A live message does not say whether the broker keeps it: it does where it kept the last one. */
  #keep(topic: string, payload: Buffer, retain: boolean): void {
    if (retain || this.#kept.get(topic)) this.#kept.store({ topic, payload });
  }

  #accountOf(topic: Topic): Account {
    if (topic.kind !== "plugin" && topic.kind !== "request") return BROKER;
    const known = this.#plugins.get(topic.pluginId);
    if (known || this.#plugins.size >= MAX_PLUGINS) return known ?? BROKER;
    const account: Account = { kind: "plugin", name: topic.pluginId, supervised: false, publish: [], subscribe: [] };
    this.#plugins.set(topic.pluginId, account);
    return account;
  }

  #newKept(): RetainedMessages {
    const { keys, limits, clock } = this.#options;
    return new RetainedMessages({
      ...{ limits, clock },
      // All are of one account.
      keys: { ...keys, max_retained_mb_per_account: keys.max_retained_mb },
      publisher: () => accountKey(BROKER),
      isExempt: () => false,
      onChange() {},
    });
  }
}

function forgetOldest(map: Map<number | bigint, unknown>, most: number): void {
  if (map.size <= most) return;
  const { value } = map.keys().next();
  if (value !== undefined) map.delete(value);
}
