// The topics of the plugin protocol: text to meaning and back. Who may use which is left to rights.ts.
import { isValidId } from "../core/ids.ts";

export type PluginRow =
  | "register"
  | "unregister"
  | "heartbeat"
  | "status"
  | "capabilities"
  | "manage/cmd"
  | "manage/response"
  | "logs";
export type DeviceRow = "state" | "state/partial" | "availability" | "schema" | "cmd";

/** What a topic is about; `other` is everything outside the protocol. */
export type Topic =
  | { kind: "plugin"; pluginId: string; row: PluginRow }
  | { kind: "request"; pluginId: string; request: string }
  | { kind: "device"; deviceId: string; row: DeviceRow }
  | { kind: "event"; eventType: string }
  | { kind: "other" };

const PLUGIN_ROWS: ReadonlySet<string> = new Set<PluginRow>([
  "register",
  "unregister",
  "heartbeat",
  "status",
  "capabilities",
  "manage/cmd",
  "manage/response",
  "logs",
]);
const DEVICE_ROWS: ReadonlySet<string> = new Set<DeviceRow>([
  "state",
  "state/partial",
  "availability",
  "schema",
  "cmd",
]);
const OTHER: Topic = { kind: "other" };
// MQTT's own limit on a topic, in bytes; our ids keep ours far below.

export function parseTopic(prefix: string, topic: string): Topic {
  if (topic.charCodeAt(prefix.length) !== 47 || !topic.startsWith(prefix)) return OTHER;
  const families = prefix.length + 1;
  const first = topic.indexOf("/", families);
  if (first < 0) return OTHER;
  const family = topic.slice(families, first);
  if (family === "events") {
    const eventType = topic.slice(first + 1);
    return isValidId(eventType) ? { kind: "event", eventType } : OTHER;
  }
  const second = topic.indexOf("/", first + 1);
  if (second < 0) return OTHER;
  const id = topic.slice(first + 1, second);
  if (!isValidId(id)) return OTHER;
  const row = topic.slice(second + 1);
  if (family === "devices") {
    return DEVICE_ROWS.has(row) ? { kind: "device", deviceId: id, row: row as DeviceRow } : OTHER;
  }
  return family === "plugins" ? pluginTopic(id, row) : OTHER;
}

function pluginTopic(pluginId: string, row: string): Topic {
  if (PLUGIN_ROWS.has(row)) return { kind: "plugin", pluginId, row: row as PluginRow };
  const request = /^commands\/([^/]+)\/events$/.exec(row)?.[1];
  return request && isValidId(request) ? { kind: "request", pluginId, request } : OTHER;
}

/** The text of a topic of the protocol. */
export function formatTopic(prefix: string, topic: Exclude<Topic, { kind: "other" }>): string {
  switch (topic.kind) {
    case "plugin":
      return `${prefix}/plugins/${topic.pluginId}/${topic.row}`;
    case "request":
      return `${prefix}/plugins/${topic.pluginId}/commands/${topic.request}/events`;
    case "device":
      return `${prefix}/devices/${topic.deviceId}/${topic.row}`;
    case "event":
      return `${prefix}/events/${topic.eventType}`;
  }
}
