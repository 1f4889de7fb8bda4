// Parses and formats the topics of the plugin protocol. Who may use which is in rights.ts.
import { isValidId } from "../../kit/schema/ids.ts";

/** The last levels of a plugin's topics. */
export type PluginSubtopic =
  | "register"
  | "unregister"
  | "heartbeat"
  | "status"
  | "capabilities"
  | "manage/cmd"
  | "manage/response"
  | "logs"
  | "state";
/** The last levels of a device's topics. */
export type DeviceSubtopic = "state" | "state/partial" | "availability" | "schema" | "cmd";

/** A parsed topic; `other` is everything outside the protocol. */
export type Topic =
  | { kind: "plugin"; pluginId: string; subtopic: PluginSubtopic }
  | { kind: "request"; pluginId: string; request: string }
  | { kind: "device"; deviceId: string; subtopic: DeviceSubtopic }
  | { kind: "event"; eventType: string }
  | { kind: "other" };

/** Of what a plugin keeps on its topic `state`. */
export const MAX_MEMORY_BYTES = 1_048_576;

const PLUGIN_SUBTOPICS: ReadonlySet<string> = new Set<PluginSubtopic>([
  "register",
  "unregister",
  "heartbeat",
  "status",
  "capabilities",
  "manage/cmd",
  "manage/response",
  "logs",
  "state",
]);
const DEVICE_SUBTOPICS: ReadonlySet<string> = new Set<DeviceSubtopic>([
  "state",
  "state/partial",
  "availability",
  "schema",
  "cmd",
]);
const OTHER: Topic = { kind: "other" };

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
  const subtopic = topic.slice(second + 1);
  if (family === "devices") {
    return DEVICE_SUBTOPICS.has(subtopic)
      ? { kind: "device", deviceId: id, subtopic: subtopic as DeviceSubtopic }
      : OTHER;
  }
  return family === "plugins" ? pluginTopic(id, subtopic) : OTHER;
}

/** Longer topics are read each time. */
const MAX_KNOWN_LENGTH = 200;
const MAX_KNOWN = 1000;

/** `parseTopic` for what comes again and again: devices report on the same topics all day. */
export function createTopicReader(prefix: string): (topic: string) => Topic {
  const known = new Map<string, Topic>();
  return function read(topic) {
    const found = known.get(topic);
    if (found) return found;
    const parsed = parseTopic(prefix, topic);
    if (topic.length > MAX_KNOWN_LENGTH) return parsed;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(topic, parsed);
    return parsed;
  };
}

function pluginTopic(pluginId: string, subtopic: string): Topic {
  if (PLUGIN_SUBTOPICS.has(subtopic)) return { kind: "plugin", pluginId, subtopic: subtopic as PluginSubtopic };
  const request = /^commands\/([^/]+)\/events$/.exec(subtopic)?.[1];
  return request && isValidId(request) ? { kind: "request", pluginId, request } : OTHER;
}

/** The text of a topic. */
export function formatTopic(prefix: string, topic: Exclude<Topic, { kind: "other" }>): string {
  switch (topic.kind) {
    case "plugin":
      return `${prefix}/plugins/${topic.pluginId}/${topic.subtopic}`;
    case "request":
      return `${prefix}/plugins/${topic.pluginId}/commands/${topic.request}/events`;
    case "device":
      return `${prefix}/devices/${topic.deviceId}/${topic.subtopic}`;
    case "event":
      return `${prefix}/events/${topic.eventType}`;
  }
}

/** Whether it is what a plugin keeps for itself over restarts: `{p}/plugins/{id}/state`. */
export function isPluginMemory(topic: Topic): boolean {
  return topic.kind === "plugin" && topic.subtopic === "state";
}
