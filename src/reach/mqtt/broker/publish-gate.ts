// What becomes of each message that a client publishes: whether it may, then to the hub first and to subscribers afterwards, so that
// a slow subscriber never delays the hub.
import type { AedesOptions, Client, PublishPacket } from "aedes";
import type { Clock } from "../../../kit/time/clock.ts";
import { type Account, accountKey } from "../accounts/accounts.ts";
import type { Rights } from "../accounts/rights.ts";
import type { MqttSection } from "../config.ts";
import type { ReceivedMessage } from "../ports.ts";
import type { RateLimitedLog } from "../rate-limited-log.ts";
import { createTopicReader, isPluginMemory, MAX_MEMORY_BYTES, type Topic } from "../topics.ts";
import type { ClientConnection } from "./connection/client-connection.ts";
import { published, setProperties } from "./connection/message-properties.ts";
import type { Admission } from "./connection/publish-intake.ts";
import type { ReceivedPublish } from "./connection/publish-packet.ts";
import { drop, isDropped } from "./forwarding.ts";
import type { BrokerMemory } from "./memory/broker-memory.ts";
import { packetLimitOf } from "./packet-limit.ts";

export interface PublishGateOptions {
  config: MqttSection;
  clock: Clock;
  rights: Rights;
  onMessage: (message: ReceivedMessage) => void;
  memory: () => BrokerMemory;
  /** Takes a message to its subscribers. */
  pass: (packet: ReceivedPublish, from: Client, passed: () => void) => void;
  /** Called for each publish that is denied. */
  onDenied: () => void;
  limited: RateLimitedLog;
}

/** Who publishes. */
interface Publisher {
  readonly client: Client;
  readonly clientId: string;
  readonly account: Account;
  readonly connection: ClientConnection;
}

type Message = Pick<PublishPacket, "topic" | "payload" | "qos" | "retain">;

const TOO_LARGE = 0x95;

export class PublishGate {
  readonly #options: PublishGateOptions;
  readonly #topicOf: (name: string) => Topic;
  #ignoring = false;

  constructor(options: PublishGateOptions) {
    this.#options = options;
    this.#topicOf = createTopicReader(options.config.prefix);
  }

  /** From now on messages are ignored. */
  ignoreMessages(): void {
    this.#ignoring = true;
  }

  /** A message that the connection has read itself: the broker sees it only where it has subscribers. */
  receive(publisher: Publisher, packet: ReceivedPublish, passed: () => void): Admission {
    const { clock, memory, pass } = this.#options;
    if (this.#refusedPayload(publisher, packet) !== undefined) return "refused";
    if (packet.properties) packet.properties = published(packet.properties, clock.mono());
    this.#take(publisher, packet);
    if (isDropped(packet)) return "done";
    const { filters, retained } = memory();
    if (filters.mayMatch(packet.topic)) {
      pass(packet, publisher.client, passed);
      return "passing";
    }
    if (packet.retain) retained.store(packet, accountKey(publisher.account));
    return "done";
  }

  /** A message that aedes has read, with QoS 2, or a will. */
  authorize(
    publisher: Publisher,
    packet: PublishPacket,
    callback: Parameters<NonNullable<AedesOptions["authorizePublish"]>>[2],
  ): void {
    const refusal = this.#refusedPayload(publisher, packet);
    if (refusal !== undefined) {
      callback(new Error(refusal));
      return;
    }
    const properties = publisher.connection.v5?.propertiesOf(packet);
    setProperties(packet, properties && published(properties, this.#options.clock.mono()));
    this.#take(publisher, packet);
    callback();
  }

  #refusedPayload({ account, connection }: Publisher, { payload: { length } }: Message): string | undefined {
    const { payloadBytes } = packetLimitOf(account, this.#options.config);
    if (length <= payloadBytes) return undefined;
    const reason = `a payload of ${length} bytes is more than ${payloadBytes}`;
    connection.refuse({ reason, bytes: length, code: TOO_LARGE });
    return reason;
  }

  #take(publisher: Publisher, packet: Message): void {
    const { rights, onMessage } = this.#options;
    const { account, clientId } = publisher;
    const topic = this.#topicOf(packet.topic);
    const refusal = rights.mayPublish(account, packet.topic, topic)
      ? tooMuch(packet, topic)
      : "it may not publish there";
    if (refusal !== undefined) {
      this.#deny(publisher, packet, refusal);
      return;
    }
    if (this.#ignoring) {
      drop(packet);
      return;
    }
    const { topic: name, qos, retain } = packet;
    const payload = typeof packet.payload === "string" ? Buffer.from(packet.payload) : packet.payload;
    const byWill = packet === (publisher.client as { will?: unknown }).will;
    onMessage({ account, clientId, name, topic, payload, qos, retain, byWill });
  }

  #deny({ account, clientId, connection }: Publisher, packet: Message, reason: string): void {
    const { limited, onDenied } = this.#options;
    const { topic } = packet;
    const from = { account: account.name, client: clientId, address: connection.address };
    const fields = { ...from, topic: topic.slice(0, 200), reason };
    onDenied();
    limited.warn(`denied ${account.name}`, "a publish was denied and dropped", fields);
    drop(packet);
  }
}

function tooMuch({ payload }: Message, topic: Topic): string | undefined {
  if (!isPluginMemory(topic) || payload.length <= MAX_MEMORY_BYTES) return undefined;
  return `a plugin's memory has at most ${MAX_MEMORY_BYTES} bytes, not ${payload.length}`;
}
