// MQTT 5 in front of a broker that speaks 3.1.1: each packet is read as one and written as the other. Dropped on the way:
// user properties and all others of a PUBLISH or will (expiry, content type, response topic, delay), retain-as-published.
import {
  generate,
  type IConnackPacket,
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type Packet,
  parser,
} from "mqtt-packet";
import { messageOf } from "../core/errors.ts";
import { type RandomBytes, uuid } from "../core/ids.ts";
import { messageBytes } from "./held-bytes.ts";
import { createPropertyRoom, MOST_PROPERTY_BYTES } from "./v5-property-room.ts";
import { createV5Subscriptions } from "./v5-subscriptions.ts";

export interface V5Gateway {
  fromClient(chunk: Buffer): void;
  /** False when the client's socket is full. */
  fromBroker(chunk: Buffer): boolean;
  refusesOwn(topic: string): boolean;
  /** Held back for acknowledgements, and of packets that have not arrived as a whole. */
  waitingBytes(): number;
  /** The last word to the client, with the reason code. */
  farewell(code: number): void;
}

export interface V5Options {
  random: RandomBytes;
  maxPacketBytes: number;
  toBroker: (bytes: Buffer) => void;
  toClient: (bytes: Buffer) => boolean;
  fail: (reason: string, code: number) => void;
  /** As if the network had ended: the will is due. */
  hangUp: () => void;
}

// CONNACK return codes 0–5 of 3.1.1 as reason codes.
const CONNACK_REASONS = [0, 0x84, 0x85, 0x88, 0x86, 0x87];
// Below what the broker takes of QoS 2 at once.
const OUR_RECEIVE_MAXIMUM = 100;
const DISCONNECT_WITH_WILL = 4;
const V5 = { protocolVersion: 5 };
// Messages held back for a client whose Receive Maximum is used up.
const MOST_HELD = 1000;
const MOST_HELD_BYTES = 8 * 1_048_576;
const HELD_ENTRY_BYTES = 550;

export function createV5Gateway({ random, maxPacketBytes, toBroker, toClient, fail, hangUp }: V5Options): V5Gateway {
  const clientParser = parser({ ...V5 });
  const brokerParser = parser({ protocolVersion: 4 });
  const propertyRoom = createPropertyRoom();
  const subscriptions = createV5Subscriptions();
  const unacknowledged = new Set<number>();
  const held: IPublishPacket[] = [];
  let heldBytes = 0;
  let welcome: NonNullable<IConnackPacket["properties"]> = {};
  let receiveMaximum = 65_535;
  let clientPacketBytes = Number.POSITIVE_INFINITY;
  let connected = false;
  let roomLeft = true;

  // Written as 3.1.1, a packet leaves its properties behind.
  const pass = (packet: Packet): void => toBroker(generate(packet));
  function send(packet: Packet): void {
    roomLeft = toClient(generate(packet, V5)) && roomLeft;
  }

  function connect(packet: IConnectPacket): void {
    const { properties = {} } = packet;
    if (properties.authenticationMethod !== undefined) fail("an unknown authentication method", 0x8c);
    else if (packet.password && !packet.username) fail("a password without a user name", 0x86);
    else {
      const expiry = numberOr(properties.sessionExpiryInterval, 0);
      // 3.1.1 cannot start afresh and keep the session afterwards: then it is not kept, and the client is told so.
      const clean = packet.clean === true || expiry === 0;
      const clientId = packet.clientId || `auto-${uuid(random)}`;
      receiveMaximum = numberOr(properties.receiveMaximum, receiveMaximum);
      clientPacketBytes = numberOr(properties.maximumPacketSize, clientPacketBytes);
      welcome = {
        maximumPacketSize: maxPacketBytes,
        topicAliasMaximum: 0,
        receiveMaximum: OUR_RECEIVE_MAXIMUM,
        subscriptionIdentifiersAvailable: false,
        sharedSubscriptionAvailable: false,
        ...(clean && expiry > 0 ? { sessionExpiryInterval: 0 } : {}),
        ...(packet.clientId ? {} : { assignedClientIdentifier: clientId }),
      };
      pass({ ...packet, protocolVersion: 4, clean, clientId });
    }
  }

  function publish(packet: IPublishPacket): void {
    // We announce that there are no aliases here.
    if (packet.topic === "" || packet.properties?.topicAlias !== undefined) fail("a topic alias", 0x94);
    else pass(packet);
  }

  function subscribe(packet: ISubscribePacket): void {
    const { messageId } = packet;
    const request = subscriptions.ask(packet);
    if ("codes" in request) send({ cmd: "suback", messageId, granted: request.codes });
    else pass({ cmd: "subscribe", messageId, subscriptions: request.forward });
  }

  function acknowledge(packet: Packet): void {
    const { cmd, messageId = 0 } = packet;
    // A refusing PUBREC ends the exchange there and then.
    const refused = cmd === "pubrec" && (packet.reasonCode ?? 0) >= 0x80;
    pass({ cmd: refused ? "puback" : cmd, messageId } as Packet);
    if (cmd === "pubrec" && !refused) return;
    unacknowledged.delete(messageId);
    for (;;) {
      const next = unacknowledged.size < receiveMaximum ? held.shift() : undefined;
      if (!next) return;
      heldBytes -= messageBytes(next, HELD_ENTRY_BYTES);
      deliver(next);
    }
  }

  function deliver(packet: IPublishPacket): void {
    const { messageId = 0, qos, retain, topic } = packet;
    const bytes = generate(packet, V5);
    if (bytes.length > clientPacketBytes || (retain && subscriptions.refusesRetained(topic))) {
      // What the client cannot or will not take counts as delivered.
      if (qos > 0) pass({ cmd: "puback", messageId });
      return;
    }
    if (qos > 0) unacknowledged.add(messageId);
    roomLeft = toClient(bytes) && roomLeft;
  }

  function hold(packet: IPublishPacket): void {
    heldBytes += messageBytes(packet, HELD_ENTRY_BYTES);
    if (held.push(packet) > MOST_HELD || heldBytes > MOST_HELD_BYTES)
      fail("messages that are never acknowledged", 0x97);
  }

  function onClientPacket(packet: Packet): void {
    const { cmd } = packet;
    if (cmd === "connect") connect(packet);
    else if (cmd === "publish") publish(packet);
    else if (cmd === "subscribe") subscribe(packet);
    else if (cmd === "unsubscribe") {
      subscriptions.drop(packet);
      pass({ cmd, messageId: packet.messageId, unsubscriptions: packet.unsubscriptions });
    } else if (cmd === "puback" || cmd === "pubrec" || cmd === "pubcomp") acknowledge(packet);
    else if (cmd === "pubrel") pass({ cmd, messageId: packet.messageId });
    else if (cmd === "pingreq") pass({ cmd });
    else if (cmd !== "disconnect") fail(`an unexpected ${cmd}`, 0x82);
    else if (packet.reasonCode === DISCONNECT_WITH_WILL) hangUp();
    else pass({ cmd });
  }

  function onBrokerPacket(packet: Packet): void {
    const { cmd, messageId = 0 } = packet;
    if (cmd === "connack") {
      const reasonCode = CONNACK_REASONS[packet.returnCode ?? 3] ?? 0x80;
      connected = reasonCode === 0;
      const { sessionPresent } = packet;
      send({ cmd, sessionPresent, reasonCode, ...(connected ? { properties: welcome } : {}) });
    } else if (cmd === "publish") {
      if (packet.qos === 0 || unacknowledged.size < receiveMaximum) deliver(packet);
      else hold(packet);
    } else if (cmd === "suback") {
      const granted = subscriptions.granted(packet);
      if (granted) send({ cmd, messageId, granted });
    } else if (cmd === "unsuback") send({ cmd, messageId, granted: subscriptions.dropped(messageId) });
    else if (cmd === "pingresp") send({ cmd });
    else send({ cmd, messageId, reasonCode: 0 } as Packet);
  }

  function guardedly(work: () => void): void {
    try {
      work();
    } catch (error) {
      fail(`a packet that cannot be translated (${messageOf(error)})`, 0x82);
    }
  }

  clientParser.on("packet", (packet) => guardedly(() => onClientPacket(packet)));
  clientParser.on("error", (error) => fail(`a malformed packet (${messageOf(error)})`, 0x81));
  brokerParser.on("packet", onBrokerPacket);

  return {
    fromClient(chunk) {
      if (propertyRoom.exceeds(chunk)) fail(`properties of more than ${MOST_PROPERTY_BYTES} bytes`, 0x95);
      else guardedly(() => clientParser.parse(chunk));
    },
    fromBroker(chunk) {
      roomLeft = true;
      guardedly(() => brokerParser.parse(chunk));
      return roomLeft;
    },
    refusesOwn: subscriptions.refusesOwn,
    waitingBytes: () => heldBytes + ((clientParser as unknown as { _list?: Buffer })._list?.length ?? 0),
    farewell(code) {
      if (connected) toClient(generate({ cmd: "disconnect", reasonCode: code }, V5));
      else toClient(generate({ cmd: "connack", sessionPresent: false, reasonCode: code }, V5));
    },
  };
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
