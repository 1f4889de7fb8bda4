// Messages on the broker as `mqtt_message` events: made only while somebody listens.
import { isUtf8 } from "node:buffer";
import { parseJson } from "../../kit/schema/json.ts";
import type { EventFeed } from "../../server/events/feed.ts";
import { textOf } from "./payloads.ts";

export interface BrokerMessage {
  /** The topic as text. */
  name: string;
  payload: Uint8Array;
  qos: number;
  retain: boolean;
  /** Absent for what the hub itself publishes. */
  clientId?: string;
}

export function emitMqttMessage(feed: EventFeed, { name, payload, qos, retain, clientId }: BrokerMessage): void {
  if (!feed.wantsMqtt() || name.startsWith("$")) return;
  const content = isUtf8(payload) ? { payload: jsonOrText(textOf(payload)) } : {};
  const sender = clientId === undefined ? {} : { client_id: clientId };
  feed.emit({ type: "mqtt_message", topic: name, ...content, payload_bytes: payload.length, retain, qos, ...sender });
}

function jsonOrText(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}
