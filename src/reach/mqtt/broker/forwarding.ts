// How a message goes on: to a subscriber, in a packet of its own; or to nobody.
import type { AedesPublishPacket, PublishPacket } from "aedes";
import { matchesFilter } from "../../../kit/text/topic-filter.ts";
import type { ClientConnection } from "./connection/client-connection.ts";
import { propertiesOf } from "./connection/message-properties.ts";

interface Subscriber {
  readonly connection: Pick<ClientConnection, "v5">;
  /** Its subscriptions, with the QoS it asked for. */
  readonly filters: ReadonlyMap<string, number>;
}

const NOTHING = Buffer.alloc(0);
const DROPPED = "$SYS/dropped";

/** The packet, as it goes to this subscriber. */
export function forwarded(packet: AedesPublishPacket, { filters, connection }: Subscriber): AedesPublishPacket {
  const { topic, payload } = packet;
  // aedes sends retained messages with the publisher's QoS to subscriptions with a wildcard.
  const asked = packet.retain ? askedQos(filters, topic) : (filters.get(topic) ?? packet.qos);
  packet.qos = Math.min(packet.qos, asked) as 0 | 1 | 2;
  if (connection.v5) {
    const message = {
      topic,
      payload: typeof payload === "string" ? Buffer.from(payload) : payload,
      properties: propertiesOf(packet),
    };
    packet.topic = connection.v5.ticketFor(message);
    packet.payload = NOTHING;
  }
  return packet;
}

/** It is acknowledged as usual, and delivered to nobody. */
export function drop(packet: Pick<PublishPacket, "topic" | "payload" | "retain">): void {
  packet.topic = DROPPED;
  packet.payload = NOTHING;
  packet.retain = false;
}

function askedQos(filters: ReadonlyMap<string, number>, topic: string): number {
  let most = 0;
  for (const [filter, qos] of filters) if (qos > most && matchesFilter(filter, topic)) most = qos;
  return most;
}

export function isDropped({ topic }: { topic: string }): boolean {
  return topic === DROPPED;
}
