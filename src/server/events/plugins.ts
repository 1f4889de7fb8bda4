// Events about plugins and their MQTT traffic.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

export const pluginStatus = Type.Union(
  [Type.Literal("starting"), Type.Literal("active"), Type.Literal("offline"), Type.Literal("stopped")],
  { description: "Managed plugin status" },
);

export const pluginRegistered = defineEvent(
  "plugin_registered",
  "A plugin connected and registered devices",
  {
    plugin_id: Type.String(),
    /** The device whose registration announced the plugin. */
    device_id: Type.String(),
  },
  { plugin_id: "zigbee", device_id: "front_door" },
);

export const pluginOffline = defineEvent(
  "plugin_offline",
  "A plugin's heartbeat expired, or its process ended without being asked to",
  {
    plugin_id: Type.String(),
    reason: Type.String(),
  },
  { plugin_id: "zigbee", reason: "no heartbeat for 90 s" },
);

export const pluginHeartbeat = defineEvent(
  "plugin_heartbeat",
  "A plugin sent a liveness heartbeat",
  {
    plugin_id: Type.String(),
    version: Type.Optional(Type.String()),
    uptime_secs: Type.Optional(Type.Number()),
    device_count: Type.Optional(Type.Number()),
  },
  { plugin_id: "zigbee", version: "1.2.0", uptime_secs: 3600, device_count: 12 },
);

export const pluginStatusChanged = defineEvent(
  "plugin_status_changed",
  "A managed plugin's status changed (starting, active, offline, stopped)",
  { plugin_id: Type.String(), previous: pluginStatus, status: pluginStatus, reason: Type.Optional(Type.String()) },
  { plugin_id: "zigbee", previous: "active", status: "offline", reason: "no heartbeat for 90 s" },
);

export const STAGES = ["progress", "item", "warning", "awaiting_user", "complete", "error", "canceled"] as const;
export type ActionStage = (typeof STAGES)[number];

export const pluginAction = defineEvent(
  "plugin_action",
  "A called action of a plugin reported how far it is, asked something (`awaiting_user`), or ended",
  {
    plugin_id: Type.String(),
    action: Type.String(),
    /** From the answer to the call of the action. */
    request_id: Type.String(),
    stage: Type.Union(
      STAGES.map((stage) => Type.Literal(stage)),
      { description: "The last three are the end" },
    ),
    /** What the plugin sent with it; of `complete` the result. */
    data: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.String()),
    /** How many reports before this one were left out, because there were too many. */
    left_out: Type.Optional(Type.Integer()),
  },
  {
    plugin_id: "zigbee",
    action: "permit_join",
    request_id: "8c5f2a0e-0000-4000-8000-000000000001",
    stage: "awaiting_user",
    data: { message: "Press the button of the device" },
  },
);

export const mqttMessage = defineEvent(
  "mqtt_message",
  "Internal only; never forwarded when `type` is omitted",
  {
    topic: Type.String(),
    /** Parsed where the payload is JSON, else its text; absent where it is neither. */
    payload: Type.Optional(Type.Unknown()),
    payload_bytes: Type.Integer(),
    retain: Type.Boolean(),
    qos: Type.Integer(),
    /** Absent where the hub itself published it. */
    client_id: Type.Optional(Type.String()),
  },
  { topic: "tele/plug/SENSOR", payload: { power: 12 }, payload_bytes: 12, retain: false, qos: 0, client_id: "plug" },
);
