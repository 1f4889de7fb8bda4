// What this room asks of the rest of the hub, and what its own parts hand each other.
import type { JsonObject } from "../core/json.ts";
import type { Account } from "./accounts.ts";
import type { Heartbeat, Registration } from "./messages.ts";
import type { Topic } from "./topics.ts";

export interface DevicePort {
  /** Throws HubError when refused. */
  register(registration: Registration, pluginId: string): void;
  unregister(deviceId: string, pluginId: string): void;
  state(
    deviceId: string,
    attributes: JsonObject,
    from: { pluginId: string; partial: boolean; change?: JsonObject },
  ): void;
  availability(deviceId: string, available: boolean, pluginId: string): void;
  schema(deviceId: string, schema: JsonObject, pluginId: string): void;
  ownerOf(deviceId: string): string | undefined;
}

export interface PluginPort {
  heartbeat(pluginId: string, heartbeat: Heartbeat): void;
  status(pluginId: string, status: "active" | "degraded" | "offline"): void;
  registered(pluginId: string, deviceId: string): void;
  capabilities(pluginId: string, capabilities: JsonObject): void;
  response(pluginId: string, response: JsonObject): void;
}

/** One message of a client that was allowed to send it. */
export interface Heard {
  account: Account;
  clientId: string;
  /** The topic as text. */
  name: string;
  topic: Topic;
  payload: Uint8Array;
  qos: number;
  retain: boolean;
}

/** What is wrong with a message, for the log; undefined when it was taken. */
export type Outcome = string | undefined;
