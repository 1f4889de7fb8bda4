// Which events a reader wants.
import type { KeptEvent } from "../../../server/events/feed.ts";

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
