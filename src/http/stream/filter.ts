// Which events a reader wants, and the broadcast topics for exactly those.
import type { Envelope, KeptEvent } from "../../events/feed.ts";

export interface StreamFilter {
  /** undefined: all types but `mqtt_message`. */
  types: ReadonlySet<string> | undefined;
  deviceId: string | undefined;
}

/** `types` is comma-separated; blanks and empty names are ignored. */
export function parseFilter(types: string | undefined, deviceId: string | undefined): StreamFilter {
  const names = (types ?? "").split(",").flatMap((name) => name.trim() || []);
  return { types: names.length > 0 ? new Set(names) : undefined, deviceId: deviceId || undefined };
}

export function matches({ types, deviceId }: StreamFilter, envelope: KeptEvent): boolean {
  if (types ? !types.has(envelope.type) : envelope.type === "mqtt_message") return false;
  return deviceId === undefined || envelope.deviceId === deviceId;
}

/**
 * The form an event is sent in. Without secrets there is one, `common`. With secrets there are two: `open` for readers who may
 * see them, `veiled` for the others.
 */
export type Rendition = "common" | "open" | "veiled";

export function topicIn(rendition: Rendition, topic: string): string {
  return `${rendition}/${topic}`;
}

/** The topics a reader subscribes to. At most one of them is among the topics of any event. */
export function topicsOf({ types, deviceId }: StreamFilter, isOpen: boolean): string[] {
  const topics = types
    ? [...types].map((type) => (deviceId === undefined ? `type/${type}` : `both/${type}/${deviceId}`))
    : [deviceId === undefined ? "all" : `device/${deviceId}`];
  return topics.flatMap((topic) => [topicIn("common", topic), topicIn(isOpen ? "open" : "veiled", topic)]);
}

/** The topics an event is published on, each in its renditions. Their number does not grow with the filters. */
export function topicsFor({ type, deviceId }: Envelope): string[] {
  const topics = type === "mqtt_message" ? [`type/${type}`] : ["all", `type/${type}`];
  if (deviceId !== undefined && type !== "mqtt_message") topics.push(`device/${deviceId}`, `both/${type}/${deviceId}`);
  return topics;
}
