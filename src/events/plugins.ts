// Events about plugins and their MQTT traffic.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

export const pluginStatus = Type.Union(
  [Type.Literal("starting"), Type.Literal("active"), Type.Literal("offline"), Type.Literal("stopped")],
  { description: "Managed plugin status" },
);

export const pluginRegistered = defineEvent("plugin_registered", "A plugin connected and registered devices", {
  plugin_id: Type.String(),
  /** The device whose registration announced the plugin. */
  device_id: Type.String(),
});

export const pluginOffline = defineEvent("plugin_offline", "A plugin's heartbeat expired, or its process ended", {
  plugin_id: Type.String(),
  reason: Type.String(),
});

export const pluginHeartbeat = defineEvent("plugin_heartbeat", "A plugin sent a liveness heartbeat", {
  plugin_id: Type.String(),
  version: Type.Optional(Type.String()),
  uptime_secs: Type.Optional(Type.Number()),
  device_count: Type.Optional(Type.Number()),
});

export const pluginStatusChanged = defineEvent(
  "plugin_status_changed",
  "A managed plugin's status changed (starting, active, offline, stopped)",
  { plugin_id: Type.String(), previous: pluginStatus, status: pluginStatus, reason: Type.Optional(Type.String()) },
);

export const mqttMessage = defineEvent("mqtt_message", "Internal only; never forwarded when `type` is omitted", {
  topic: Type.String(),
  /** Parsed if the payload is JSON, else its text; absent if it is neither. */
  payload: Type.Optional(Type.Unknown()),
  payload_bytes: Type.Integer(),
  retain: Type.Boolean(),
  qos: Type.Integer(),
  client_id: Type.Optional(Type.String()),
});
