// What kinds about devices share: which events concern a trigger, the context they give to the rule, and commanding several
// devices.
import { HubError, messageOf } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { EventType, HubEvent, Stamp } from "../../events/catalog.ts";
import type { Envelope } from "../../events/feed.ts";
import { checkNotBoth } from "./checks.ts";
import type { ActionScope, Interest, Typed } from "./define.ts";
import type { Offline, RuleHost } from "./host.ts";

export interface SomeDevices {
  device_id?: string | undefined;
  device_ids?: readonly string[] | undefined;
}

/** Undefined means any device. */
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

/** Events of this type; with a value, only those with this value in the field. */
export function interestIn(event: EventType, field: string, value: string | undefined): Interest {
  return value === undefined ? { event } : { event, where: { field, value } };
}

/** The device of a trigger context or a condition. */
export function deviceOf({ device_id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof device_id === "string" ? device_id : undefined;
}

/** Also looks into conditions that have conditions inside. */
export function firstDeviceOf(conditions: readonly Typed[]): string | undefined {
  for (const condition of conditions) {
    const inside = Array.isArray(condition.conditions) ? (condition.conditions as Typed[]) : [];
    const found = deviceOf(condition) ?? firstDeviceOf(inside);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `hall_lamp`, `hall_lamp or desk_lamp`, `any device`. */
export function whichDevices(spec: SomeDevices): string {
  return devicesOf(spec)?.join(" or ") ?? "any device";
}

export type EventOfType<T extends EventType> = Extract<HubEvent, { type: T }> & Stamp;

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

/** What triggers about an attribute of a device give. */
export const DEVICE_CONTEXT_KEYS = ["device_id", "device_name", "attribute", "value"] as const;

/** What the context of every trigger about a device starts with. */
export function deviceContext(host: RuleHost, deviceId: string): JsonObject {
  return { device_id: deviceId, device_name: host.device(deviceId)?.name ?? deviceId };
}

/** Sends the command to all of them. Then throws one HubError that names every refusal. */
export async function commandDevices(
  deviceIds: readonly string[],
  command: JsonObject,
  scope: Pick<ActionScope, "host" | "actor">,
  offline?: Offline,
): Promise<void> {
  await commandEach(Object.fromEntries(deviceIds.map((id) => [id, command])), scope, offline);
}

/** As `commandDevices`, with a command for each device. */
export async function commandEach(
  commands: Readonly<Record<string, JsonObject>>,
  { host, actor }: Pick<ActionScope, "host" | "actor">,
  offline: Offline = "send",
): Promise<void> {
  const entries = Object.entries(commands);
  const results = await Promise.allSettled(
    entries.map(async ([id, command]) => host.command(id, command, actor, { offline })),
  );
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  const [first] = reasons;
  if (first === undefined) return;
  if (entries.length === 1) throw first;
  const code = first instanceof HubError ? first.code : "upstream_failed";
  const texts = reasons.map(messageOf).join("; ");
  throw new HubError(code, `${reasons.length} of ${entries.length} devices refused the command: ${texts}`, {
    cause: first,
  });
}
