// Which devices a part of a rule is about: those it names, or those that are found by area, tag and type at the moment it
// runs. A device that joins an area counts at once.
import type { JsonObject } from "../../kit/schema/json.ts";
import { checkNotBoth, invalid } from "./checks.ts";
import type { HouseReads, RuleDevice } from "./host.ts";

type OneOrMore = string | readonly string[];

export interface SomeDevices {
  device_id?: string | undefined;
  device_ids?: readonly string[] | undefined;
  /** Of several of these three, all must fit; of several values of one, any. */
  area?: OneOrMore | undefined;
  tag?: OneOrMore | undefined;
  device_type?: OneOrMore | undefined;
}

/** What devices are found by. */
export const FOUND_BY = ["area", "tag", "device_type"] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** The devices that are named; undefined if they are found, or any will do. */
export function devicesOf({ device_id, device_ids }: SomeDevices): readonly string[] | undefined {
  return device_id === undefined ? device_ids : [device_id];
}

/** Whether devices are found by area, tag or type. */
export function isFound(spec: SomeDevices): boolean {
  return FOUND_BY.some((key) => spec[key] !== undefined);
}

/** Refuses two ways at once to say which devices. */
export function checkDevices(spec: SomeDevices): void {
  checkNotBoth({ ...spec }, ["device_id", "device_ids"]);
  const by = FOUND_BY.find((key) => spec[key] !== undefined);
  if (by !== undefined && devicesOf(spec) !== undefined)
    throw invalid(by, "finds devices by itself: leave it out, or the ids");
}

/** As `checkDevices`, and some must be given. */
export function requireDevices(spec: SomeDevices): void {
  checkDevices(spec);
  if (devicesOf(spec) === undefined && !isFound(spec))
    throw invalid("", "give `device_id` or `device_ids`, or find devices by `area`, `tag` or `device_type`");
}

/** Whether the device is one of them. Without any key, every device is. */
export function concerns(spec: SomeDevices, deviceId: string, host: Pick<HouseReads, "device">): boolean {
  const named = devicesOf(spec);
  if (named !== undefined) return named.includes(deviceId);
  if (!isFound(spec)) return true;
  const device = host.device(deviceId);
  return device !== undefined && fits(spec, device);
}

/** The ids of the devices now, as named or in the order of the house. Named ones need not exist. */
export function resolveDevices(spec: SomeDevices, host: Pick<HouseReads, "devices">): readonly string[] {
  const named = devicesOf(spec);
  if (named !== undefined) return named;
  return foundDevices(spec, host).map(({ id }) => id);
}

export function foundDevices(spec: SomeDevices, host: Pick<HouseReads, "devices">): RuleDevice[] {
  const found: RuleDevice[] = [];
  for (const device of host.devices()) if (fits(spec, device)) found.push(device);
  return found;
}

export interface Commandable {
  readonly ids: readonly string[];
  /** Those found that know none of the attributes, such as the sensors of an area whose lamps go off. */
  readonly left: number;
}

/** The devices that a command is for. Named ones get it in any case. */
export function devicesFor(spec: SomeDevices, command: JsonObject, host: Pick<HouseReads, "devices">): Commandable {
  const named = devicesOf(spec);
  if (named !== undefined) return { ids: named, left: 0 };
  const found = foundDevices(spec, host);
  const taking = found.filter((device) => takes(device, command));
  return { ids: taking.map(({ id }) => id), left: found.length - taking.length };
}

/** `hall_lamp or desk_lamp`, `any light in hall`, `any device`. */
export function whichDevices(spec: SomeDevices): string {
  return devicesOf(spec)?.join(" or ") ?? `any ${targetWords(spec)}`;
}

/** `light in hall or kitchen`, `device tagged xmas`. */
export function targetWords({ area, tag, device_type }: SomeDevices): string {
  const either = (values: OneOrMore): string => [values].flat().join(" or ");
  return [
    device_type === undefined ? "device" : either(device_type),
    ...(area === undefined ? [] : [`in ${either(area)}`]),
    ...(tag === undefined ? [] : [`tagged ${either(tag)}`]),
  ].join(" ");
}

function fits({ area, tag, device_type }: SomeDevices, device: RuleDevice): boolean {
  if (area !== undefined && !includes(area, device.area)) return false;
  if (device_type !== undefined && !includes(device_type, device.deviceType)) return false;
  return tag === undefined || device.tags.some((one) => includes(tag, one));
}

function includes(wanted: OneOrMore, value: string | undefined): boolean {
  return typeof wanted === "string" ? wanted === value : value !== undefined && wanted.includes(value);
}

function takes(device: RuleDevice, command: JsonObject): boolean {
  if (Object.hasOwn(command, "command") || Object.keys(device.attributes).length === 0) return true;
  return Object.keys(command).some((name) => {
    const described = describedIn(device, name);
    return described === undefined ? Object.hasOwn(device.attributes, name) : described.readOnly !== true;
  });
}

function describedIn({ details }: RuleDevice, name: string): JsonObject | undefined {
  for (const schema of [details?.schema, details?.capabilities]) {
    const properties = schema?.properties as JsonObject | undefined;
    if (typeof properties === "object" && Object.hasOwn(properties, name)) return properties[name] as JsonObject;
  }
  return undefined;
}
