// What a device is, and how a report changes it.
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import { isObject, type Json, type JsonObject, jsonEqual } from "../../kit/schema/json.ts";

/** What kind of device it is, from its registration. */
export interface DeviceDetails {
  manufacturer?: string;
  model?: string;
  sw_version?: string;
  hw_version?: string;
  serial_number?: string;
  /** The device's own page. */
  configuration_url?: string;
  /** Pairs of a kind and an address: `["mac", "02:5b:…"]`. */
  connections?: [string, string][];
  parent_device_id?: string;
  /** JSON Schema of its attributes. */
  capabilities?: JsonObject;
  /** Attributes and actions as the plugin describes them. */
  schema?: JsonObject;
}

export interface Device {
  readonly id: string;
  pluginId: string;
  name: string;
  /** A person gave the name: registrations no longer change it. */
  nameIsUsers: boolean;
  /** Another name that rules may call it by: the canonical name it had in the hub it was imported from. */
  alias: string | undefined;
  area: string | undefined;
  areaIsUsers: boolean;
  /** False: a person wants nothing of it in the history. */
  recorded: boolean;
  deviceType: string | undefined;
  /** Words that a person gave it, for rules. */
  tags: readonly string[];
  details: DeviceDetails;
  available: boolean;
  /** Attributes that cannot be reached while it is available; not kept over restarts. */
  unavailable: readonly string[];
  attributes: JsonObject;
  /** Attribute → epoch ms of its last change. */
  lastChanged: Record<string, number>;
  /** Who caused the last change, as far as its plugin says; not kept over restarts. */
  lastChange?: JsonObject;
  /** Epoch ms of its last report or registration; undefined before the first. */
  lastSeen: number | undefined;
}

/** What a group of devices has as its `model`: its type is that of its members. */
export const GROUP_MODEL = "group";

export function isGroup({ pluginId, details }: Pick<Device, "pluginId" | "details">): boolean {
  return pluginId === HUB_PLUGIN_ID && details.model === GROUP_MODEL;
}

/** What a person changes; absent fields stay. */
export interface DeviceEdit {
  name?: string;
  /** Null leaves it to the plugin again. */
  area?: string | null;
  history?: boolean;
  tags?: readonly string[];
}

/** What a person's edit makes of it. */
export function afterEdit(device: Device, { name, area, history, tags }: DeviceEdit) {
  return {
    name: name ?? device.name,
    nameIsUsers: name !== undefined || device.nameIsUsers,
    area: area === undefined ? device.area : (area ?? undefined),
    areaIsUsers: area === undefined ? device.areaIsUsers : area !== null,
    recorded: history ?? device.recorded,
    tags: tags === undefined ? device.tags : [...new Set(tags)],
  };
}

/** What a plugin sends to register a device; absent fields keep their value. */
export interface DeviceRegistration extends Omit<DeviceDetails, "schema"> {
  device_id: string;
  name?: string;
  area?: string;
  device_type?: string;
}

const FACTS = [
  ...(["manufacturer", "model", "sw_version", "hw_version", "serial_number", "configuration_url"] as const),
  ...(["connections", "parent_device_id", "capabilities"] as const),
];

export function newDevice(id: string, pluginId: string): Device {
  return {
    id,
    pluginId,
    name: id,
    nameIsUsers: false,
    alias: undefined,
    area: undefined,
    areaIsUsers: false,
    recorded: true,
    deviceType: undefined,
    tags: [],
    details: {},
    available: true,
    unavailable: [],
    attributes: {},
    lastChanged: {},
    lastSeen: undefined,
  };
}

/** Applies a registration; true if anything changed. A name or area that a person gave stays. */
export function applyRegistration(device: Device, registration: DeviceRegistration): boolean {
  const before = JSON.stringify(identityOf(device));
  if (registration.name && !device.nameIsUsers) device.name = registration.name;
  if (registration.area && !device.areaIsUsers) device.area = registration.area;
  if (registration.device_type) device.deviceType = registration.device_type;
  for (const key of FACTS) {
    if (registration[key] !== undefined) device.details = { ...device.details, [key]: registration[key] };
  }
  return JSON.stringify(identityOf(device)) !== before;
}

function identityOf({ name, area, deviceType, details }: Device): unknown {
  return [name, area, deviceType, details];
}

export interface AttributeChange {
  current: JsonObject;
  /** Names of the attributes that are new, different or gone; empty if nothing changed. */
  changed: string[];
}

/** When each attribute changed last, in place. */
export function timesAfter(times: Device["lastChanged"], { current, changed }: AttributeChange, at: number) {
  for (const name of changed) {
    if (Object.hasOwn(current, name)) times[name] = at;
    else delete times[name];
  }
  return times;
}

/** Compares a report with the present attributes. `partial` merges it (null removes an attribute); otherwise it replaces them all. */
export function changeAttributes(previous: JsonObject, report: JsonObject, partial: boolean): AttributeChange {
  return partial ? merge(previous, report) : replace(previous, report);
}

function merge(previous: JsonObject, report: JsonObject): AttributeChange {
  let current = previous;
  const changed: string[] = [];
  for (const name in report) {
    const value = report[name] as Json;
    const existed = Object.hasOwn(previous, name);
    if (value === null ? !existed : existed && jsonEqual(previous[name], value)) continue;
    // Most reports change nothing.
    if (current === previous) current = { ...previous };
    if (value === null) delete current[name];
    else current[name] = value;
    changed.push(name);
  }
  return { current, changed };
}

function replace(previous: JsonObject, report: JsonObject): AttributeChange {
  const changed: string[] = [];
  for (const name in report)
    if (!Object.hasOwn(previous, name) || !jsonEqual(previous[name], report[name])) changed.push(name);
  for (const name in previous) if (!Object.hasOwn(report, name)) changed.push(name);
  return { current: report, changed };
}

/** Whether its schema calls the attribute a setting or diagnostic, or hides it. */
export function isMinor(device: Device | undefined, attribute: string): boolean {
  const properties = isObject(device?.details.schema) ? device.details.schema.properties : undefined;
  const property = isObject(properties) && Object.hasOwn(properties, attribute) ? properties[attribute] : undefined;
  return isObject(property) && (property.category !== undefined || property.hidden === true);
}
