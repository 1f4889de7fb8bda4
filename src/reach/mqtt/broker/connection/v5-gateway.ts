// MQTT 5 in front of a broker for 3.1.1: reads each packet as one and writes it as the other. The properties of messages go past the
// broker (v5-messages.ts). Lost on the way: user properties of other packets, the delay of a will, and retain-as-published.
import {
  generate,
  type IConnackPacket,
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type Packet,
  parser,
} from "mqtt-packet";
import { messageOf } from "../../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../../kit/schema/ids.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import { assignedClientId } from "../session-ids.ts";
import { type MessageProperties, readProperties, willProperties } from "./message-properties.ts";
import { bytesOf, createV5Messages, type Delivery, type OutgoingMessage, publishHead } from "./v5-messages.ts";
import { createPropertyLimit, MAX_PROPERTY_BYTES } from "./v5-property-limit.ts";
import { createV5Subscriptions } from "./v5-subscriptions.ts";

export interface V5Options {
  clock: Pick<Clock, "mono">;
  random: RandomBytes;
  /** Known at the CONNACK. */
  maxPacketBytes: () => number;
  toBroker: (bytes: Buffer) => void;
  /** False when the client's socket is full. */
  toClient: (bytes: Buffer) => boolean;
  fail: (reason: string, code: number) => void;
  /** As if the network had failed: the broker publishes the will. */
  hangUp: () => void;
}

// CONNACK return codes 0–5 of 3.1.1 as reason codes.
const CONNACK_REASONS = [0, 0x84, 0x85, 0x88, 0x86, 0x87];
// Below the broker's limit for QoS 2.
const OUR_RECEIVE_MAXIMUM = 100;
const DISCONNECT_WITH_WILL = 4;
const V5 = { protocolVersion: 5 };
// Messages queued for a client that has as many unacknowledged ones as its Receive Maximum.
const MAX_QUEUED = 1000;
// A single larger one is accepted.
const MAX_QUEUED_BYTES = 8 * 1_048_576;
const OVERHEAD_BYTES = 550;

export class V5Gateway {
  readonly #options: V5Options;
  readonly #clientParser = parser({ ...V5 });
  readonly #brokerParser = parser({ protocolVersion: 4 });
  /** Of the PUBLISHes that the parser reads next. */
  readonly #properties: Buffer[] = [];
  readonly #propertyLimit = createPropertyLimit((properties) => void this.#properties.push(properties));
  readonly #subscriptions = createV5Subscriptions();
  readonly #messages = createV5Messages();
  readonly #unacknowledged = new Set<number>();
  readonly #queue: Delivery[] = [];
  #queuedBytes = 0;
  #connackProperties: NonNullable<IConnackPacket["properties"]> = {};
  #receiveMaximum = 65_535;
  #clientPacketBytes = Number.POSITIVE_INFINITY;
  #connected = false;
  #writable = true;
  #will: MessageProperties | undefined;
  #keepSecs = 0;

  constructor(options: V5Options) {
    this.#options = options;
    this.#clientParser.on("packet", (packet) => this.#guarded(() => this.#onClientPacket(packet)));
    this.#clientParser.on("error", (error) => options.fail(`a malformed packet (${messageOf(error)})`, 0x81));
    this.#brokerParser.on("packet", (packet) => this.#onBrokerPacket(packet));
  }

  fromClient(chunk: Buffer): void {
    if (this.#propertyLimit.exceeds(chunk))
      this.#options.fail(`properties of more than ${MAX_PROPERTY_BYTES} bytes`, 0x95);
    else this.#guarded(() => this.#clientParser.parse(chunk));
  }

  /** False when the client's socket is full. */
  fromBroker(chunk: Buffer): boolean {
    this.#writable = true;
    this.#guarded(() => this.#brokerParser.parse(chunk));
    return this.#writable;
  }

  /** Whether the client does not want its own messages on this topic. */
  refusesOwn(topic: string): boolean {
    return this.#subscriptions.refusesOwn(topic);
  }

  /** The properties of the message that the broker handles now: the next PUBLISH, or the will. */
  propertiesOf({ cmd }: { cmd?: string | undefined }): MessageProperties | undefined {
    return cmd === "publish" ? this.#messages.next() : this.#will;
  }

  /** Keeps a message for the client, and returns the topic under which the broker is to send an empty one for it. */
  ticketFor(message: OutgoingMessage): string {
    return this.#messages.ticketFor(message);
  }

  /** For how many seconds the client wants its session to be kept without it. */
  get keepSecs(): number {
    return this.#keepSecs;
  }

  /** The payloads of messages that are on their way through the broker, or wait for an acknowledgement. */
  waiting(): Buffer[] {
    const queued = this.#queue.map(({ message }) => message);
    return [...this.#messages.waiting(), ...queued].map(({ payload }) => payload);
  }

  /** Of incomplete packets. */
  bufferedBytes(): number {
    return (this.#clientParser as unknown as { _list?: Buffer })._list?.length ?? 0;
  }

  /** The last packet to the client, with the reason code. */
  disconnect(reasonCode: number): void {
    const packet: Packet = this.#connected
      ? { cmd: "disconnect", reasonCode }
      : { cmd: "connack", sessionPresent: false, reasonCode };
    this.#options.toClient(generate(packet, V5));
  }

  /** Written as 3.1.1, a packet loses its properties. */
  #forward(packet: Packet): void {
    this.#options.toBroker(generate(packet));
  }

  #send(packet: Packet): void {
    this.#sendBytes(generate(packet, V5));
  }

  #sendBytes(bytes: Buffer): void {
    this.#writable = this.#options.toClient(bytes) && this.#writable;
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.fail(`a packet that cannot be translated (${messageOf(error)})`, 0x82);
    }
  }

  #onClientPacket(packet: Packet): void {
    const { cmd } = packet;
    if (cmd === "connect") this.#connect(packet);
    else if (cmd === "publish") this.#publish(packet);
    else if (cmd === "subscribe") this.#subscribe(packet);
    else if (cmd === "unsubscribe") {
      this.#subscriptions.remove(packet);
      this.#forward({ cmd, messageId: packet.messageId, unsubscriptions: packet.unsubscriptions });
    } else if (cmd === "puback" || cmd === "pubrec" || cmd === "pubcomp") this.#acknowledge(packet);
    else if (cmd === "pubrel") this.#forward({ cmd, messageId: packet.messageId });
    else if (cmd === "pingreq") this.#forward({ cmd });
    else if (cmd !== "disconnect") this.#options.fail(`an unexpected ${cmd}`, 0x82);
    else if (packet.reasonCode === DISCONNECT_WITH_WILL) this.#options.hangUp();
    else this.#forward({ cmd });
  }

  #connect(packet: IConnectPacket) {
    const { random, fail } = this.#options;
    const { properties = {}, will } = packet;
    if (properties.authenticationMethod !== undefined) return fail("an unknown authentication method", 0x8c);
    if (packet.password && !packet.username) return fail("a password without a user name", 0x86);
    const expiry = numberOr(properties.sessionExpiryInterval, 0);
    // In 3.1.1 a clean session is not kept afterwards. The CONNACK says so.
    const clean = packet.clean === true || expiry === 0;
    const clientId = packet.clientId || assignedClientId(random);
    this.#receiveMaximum = numberOr(properties.receiveMaximum, this.#receiveMaximum);
    this.#clientPacketBytes = numberOr(properties.maximumPacketSize, this.#clientPacketBytes);
    this.#keepSecs = expiry;
    this.#will = will?.properties && willProperties(will.properties);
    if ((this.#will?.bytes.length ?? 0) > MAX_PROPERTY_BYTES)
      return fail(`a will with properties of more than ${MAX_PROPERTY_BYTES} bytes`, 0x95);
    this.#connackProperties = {
      topicAliasMaximum: 0,
      receiveMaximum: OUR_RECEIVE_MAXIMUM,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
      ...(clean && expiry > 0 ? { sessionExpiryInterval: 0 } : {}),
      ...(packet.clientId ? {} : { assignedClientIdentifier: clientId }),
    };
    this.#forward({ ...packet, protocolVersion: 4, clean, clientId });
  }

  #publish(packet: IPublishPacket): void {
    const properties = this.#properties.shift();
    // The CONNACK allows no topic aliases.
    if (packet.topic === "" || packet.properties?.topicAlias !== undefined) this.#options.fail("a topic alias", 0x94);
    else {
      this.#messages.arrives(properties && readProperties(properties));
      this.#forward(packet);
    }
  }

  #subscribe(packet: ISubscribePacket): void {
    const { messageId } = packet;
    const request = this.#subscriptions.request(packet);
    if ("codes" in request) this.#send({ cmd: "suback", messageId, granted: request.codes });
    else this.#forward({ cmd: "subscribe", messageId, subscriptions: request.forward });
  }

  #acknowledge(packet: Packet): void {
    const { cmd, messageId = 0 } = packet;
    // A PUBREC with an error ends the exchange.
    const refused = cmd === "pubrec" && (packet.reasonCode ?? 0) >= 0x80;
    this.#forward({ cmd: refused ? "puback" : cmd, messageId } as Packet);
    if (cmd === "pubrec" && !refused) return;
    this.#unacknowledged.delete(messageId);
    for (;;) {
      const next = this.#unacknowledged.size < this.#receiveMaximum ? this.#queue.shift() : undefined;
      if (!next) return;
      this.#queuedBytes -= OVERHEAD_BYTES + bytesOf(next.message);
      this.#deliver(next);
    }
  }

  #onBrokerPacket(packet: Packet): void {
    const { cmd, messageId = 0 } = packet;
    if (cmd === "connack") this.#answerConnect(packet);
    else if (cmd === "publish") this.#passOn(packet);
    else if (cmd === "suback") {
      const granted = this.#subscriptions.granted(packet);
      if (granted) this.#send({ cmd, messageId, granted });
    } else if (cmd === "unsuback") this.#send({ cmd, messageId, granted: this.#subscriptions.removed(messageId) });
    else if (cmd === "pingresp") this.#send({ cmd });
    else this.#send({ cmd, messageId, reasonCode: 0 } as Packet);
  }

  #answerConnect({ sessionPresent, returnCode }: IConnackPacket): void {
    const reasonCode = CONNACK_REASONS[returnCode ?? 3] ?? 0x80;
    this.#connected = reasonCode === 0;
    const properties = { ...this.#connackProperties, maximumPacketSize: this.#options.maxPacketBytes() };
    this.#send({ cmd: "connack", sessionPresent, reasonCode, ...(this.#connected && { properties }) });
  }

  #passOn({ topic, qos, messageId = 0, retain, dup }: IPublishPacket): void {
    const delivery = { message: this.#messages.redeem(topic), qos, messageId, retain, dup };
    if (qos === 0 || this.#unacknowledged.size < this.#receiveMaximum) this.#deliver(delivery);
    else this.#enqueue(delivery);
  }

  #deliver(delivery: Delivery): void {
    const { message, messageId, qos, retain } = delivery;
    const head = publishHead(delivery, this.#options.clock.mono());
    const length = (head?.length ?? 0) + message.payload.length;
    if (!head || length > this.#clientPacketBytes || (retain && this.#subscriptions.refusesRetained(message.topic))) {
      // To the broker, a message that the client does not accept counts as delivered.
      if (qos > 0) this.#forward({ cmd: "puback", messageId });
      return;
    }
    if (qos > 0) this.#unacknowledged.add(messageId);
    this.#sendBytes(head);
    this.#sendBytes(message.payload);
  }

  #enqueue(delivery: Delivery): void {
    this.#queuedBytes += OVERHEAD_BYTES + bytesOf(delivery.message);
    const count = this.#queue.push(delivery);
    if (count > MAX_QUEUED || (count > 1 && this.#queuedBytes > MAX_QUEUED_BYTES))
      this.#options.fail("messages that are never acknowledged", 0x97);
  }
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
