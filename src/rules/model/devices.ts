// What kinds about devices share: which events concern a trigger, the context they give to the rule, and commanding several
// devices.
import type { JsonObject } from "../../kit/schema/json.ts";
import { throwRefusals } from "../../kit/schema/refusals.ts";
import { MASK } from "../../kit/text/masking.ts";
import type { EventType, HubEvent, Stamp } from "../../server/events/catalog.ts";
import type { Envelope } from "../../server/events/feed.ts";
import type { ActionScope, Interest, Typed } from "./define.ts";
import type { HouseReads, Offline } from "./host.ts";
import { concerns, devicesFor, devicesOf, FOUND_BY, type SomeDevices, targetWords } from "./targets.ts";
import { show } from "./values.ts";

export function deviceInterests(event: EventType, spec: SomeDevices): Interest[] {
  const devices = devicesOf(spec);
  if (devices !== undefined) return [...new Set(devices)].map((deviceId) => ({ event, deviceId }));
  const by = FOUND_BY.find((key) => spec[key] !== undefined);
  if (by === undefined) return [{ event }];
  return [...new Set([spec[by] ?? []].flat())].map((value) => ({ event, group: { by, value } }));
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

export type EventOfType<T extends EventType> = Extract<HubEvent, { type: T }> & Stamp;

/** The event if it is of this type. */
export function eventOf<T extends EventType>(type: T, { event }: Envelope): EventOfType<T> | undefined {
  return event.type === type ? (event as unknown as EventOfType<T>) : undefined;
}

/** The event if it is of this type and about one of the devices. */
export function deviceEventOf<T extends EventType>(
  type: T,
  envelope: Envelope,
  { spec, host }: { spec: SomeDevices; host: Pick<HouseReads, "device"> },
): EventOfType<T> | undefined {
  const { deviceId } = envelope;
  if (deviceId === undefined || envelope.type !== type) return undefined;
  return concerns(spec, deviceId, host) ? eventOf(type, envelope) : undefined;
}

/** What triggers about an attribute of a device give. */
export const DEVICE_CONTEXT_KEYS = ["device_id", "device_name", "attribute", "value"] as const;

/** What the context of every trigger about a device starts with. */
export function deviceContext(host: Pick<HouseReads, "device">, deviceId: string): JsonObject {
  return { device_id: deviceId, device_name: host.device(deviceId)?.name ?? deviceId };
}

/** What `commandDevices` takes of the house. */
export type CommandUses = "device" | "devices" | "described" | "command";

/**
 * Sends the command to all of them, and returns what was done for the trace. Then throws one HubError that names every
 * refusal. That no device is found is no error.
 */
export async function commandDevices(
  spec: SomeDevices,
  command: JsonObject,
  scope: Pick<ActionScope<CommandUses>, "host" | "actor">,
  offline?: Offline,
): Promise<string> {
  const { ids, left } = devicesFor(spec, command, scope.host);
  if (ids.length === 0) return nothingFound(spec, left);
  const absent = ids.filter((id) => scope.host.device(id)?.available === false);
  await commandEach(Object.fromEntries(ids.map((id) => [id, command])), scope, offline);
  const others = left === 0 ? "" : `; ${left} more ${targetWords(spec)} without such an attribute`;
  const note = absent.length === 0 ? "" : `, sent though not available: ${absent.join(", ")}`;
  return `${ids.join(", ")} ${show(shown(command, ids, scope.host))}${note}${others}`;
}

/** Without the values of passwords. */
function shown(command: JsonObject, ids: readonly string[], host: Pick<HouseReads, "described">): JsonObject {
  const passwords = Object.keys(command).filter((name) =>
    ids.some((id) => host.described(id)?.[name]?.format === "password"),
  );
  return { ...command, ...Object.fromEntries(passwords.map((name) => [name, MASK])) };
}

/** `left`: those found that cannot take the command. */
export function nothingFound(spec: SomeDevices, left = 0): string {
  if (left === 0) return `nothing: there is no ${targetWords(spec)} at present`;
  return `nothing: no ${targetWords(spec)} has such an attribute`;
}

/** A command for each device. Throws as `commandDevices` does. */
export async function commandEach(
  commands: Readonly<Record<string, JsonObject>>,
  { host, actor }: Pick<ActionScope<"command">, "host" | "actor">,
  offline: Offline = "send",
): Promise<void> {
  const entries = Object.entries(commands);
  const results = await Promise.allSettled(
    entries.map(async ([id, command]) => host.command(id, command, actor, { offline })),
  );
  throwRefusals(results);
}
