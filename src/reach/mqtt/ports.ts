// What the MQTT part needs of the rest of the hub, and the messages that its own files pass on.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Account } from "./accounts/accounts.ts";
import type { Heartbeat, Registration } from "./payloads.ts";
import type { Topic } from "./topics.ts";

export interface DevicePort {
  /** Throws HubError where it is refused. */
  register(registration: Registration, pluginId: string): void;
  unregister(deviceId: string, pluginId: string): void;
  state(
    deviceId: string,
    attributes: JsonObject,
    from: { pluginId: string; partial: boolean; change?: JsonObject; retained?: boolean; lasting?: boolean },
  ): void;
  /** `retained`, `lasting` (also of a state): what an external broker has kept, and would have changed when the device left. */
  availability(
    deviceId: string,
    available: boolean,
    pluginId: string,
    from?: { retained: boolean; lasting: boolean },
  ): void;
  schema(deviceId: string, schema: JsonObject, pluginId: string): void;
  /** Any message of the plugin or account about one of its devices. */
  markSeen(pluginId: string): void;
  ownerOf(deviceId: string): string | undefined;
  /** Somebody is there who takes its commands: it is again what it was before the hub's restart. */
  attended(deviceId: string): void;
  /** Those of before the hub's restart that were not seen since, and that nobody attends to. */
  unattended(): Iterable<{ readonly id: string; readonly pluginId: string }>;
}

export interface PluginPort {
  heartbeat(pluginId: string, heartbeat: Heartbeat): void;
  /** `byWill`: the broker said so for the plugin, whose connection broke off; undefined where that is not known. */
  status(pluginId: string, status: "active" | "degraded" | "offline", byWill?: boolean): void;
  registered(pluginId: string, deviceId: string): void;
  /** It sent any message. */
  markSeen(pluginId: string): void;
  /** One of its devices reported, over another account. */
  markDeviceSeen(pluginId: string): void;
  capabilities(pluginId: string, capabilities: JsonObject): Rejection;
  response(pluginId: string, response: JsonObject): Rejection;
  /** How far an action is. */
  report(pluginId: string, requestId: string, report: JsonObject): Rejection;
}

/** A message that its client may publish. */
export interface ReceivedMessage {
  account: Account;
  clientId: string;
  /** The topic as text. */
  name: string;
  topic: Topic;
  payload: Uint8Array;
  qos: number;
  retain: boolean;
  /** The broker publishes it for a client that is gone; undefined where an external one does not say. */
  byWill?: boolean;
  /** An external broker had kept it: it says how things are, and is neither an event nor a sign of life. */
  kept?: true;
}

/** Why a message is ignored, for the log; undefined where it is not. */
export type Rejection = string | undefined;
