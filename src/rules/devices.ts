// Which events concern a trigger (about one device, several, or any; or about something else by its name), and what those
// about a device tell the rule.
import type { JsonObject } from "../core/json.ts";
import type { EventType, HubEvent, Stamp } from "../events/catalog.ts";
import type { Envelope } from "../events/feed.ts";
import type { Interest } from "./define.ts";
import type { RuleHost } from "./host.ts";
import { checkNotBoth } from "./values.ts";

export interface SomeDevices {
  device_id?: string | undefined;
  device_ids?: readonly string[] | undefined;
}

/** Undefined: any. */
export function devicesOf({ device_id, device_ids }: SomeDevices): readonly string[] | undefined {
  return device_id === undefined ? device_ids : [device_id];
}

export function checkDevices(spec: SomeDevices): void {
  checkNotBoth({ ...spec }, ["device_id", "device_ids"]);
}

export function deviceInterests(event: EventType, spec: SomeDevices): Interest[] {
  const devices = devicesOf(spec);
  return devices === undefined ? [{ event }] : [...new Set(devices)].map((deviceId) => ({ event, deviceId }));
}

/** In events of this type; with a value, only in those that have it in this field. */
export function interestIn(event: EventType, field: string, value: string | undefined): Interest {
  return value === undefined ? { event } : { event, where: { field, value } };
}

/** `hall_lamp`, `hall_lamp or desk_lamp`, `any device`. */
export function whichDevices(spec: SomeDevices): string {
  return devicesOf(spec)?.join(" or ") ?? "any device";
}

type EventOfType<T extends EventType> = Extract<HubEvent, { type: T }> & Stamp;

/** The event if it is of this type. */
export function eventOf<T extends EventType>(type: T, { event }: Envelope): EventOfType<T> | undefined {
  return event.type === type ? (event as unknown as EventOfType<T>) : undefined;
}

/** The event if it is of this type and about one of the devices. */
export function deviceEventOf<T extends EventType>(
  type: T,
  envelope: Envelope,
  spec: SomeDevices,
): EventOfType<T> | undefined {
  const { deviceId } = envelope;
  if (deviceId === undefined) return undefined;
  const devices = devicesOf(spec);
  return devices === undefined || devices.includes(deviceId) ? eventOf(type, envelope) : undefined;
}

/** What every trigger about a device tells the rule, before its own. */
export function deviceContext(host: RuleHost, deviceId: string): JsonObject {
  return { device_id: deviceId, device_name: host.device(deviceId)?.name ?? deviceId };
}
