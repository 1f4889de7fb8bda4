// What a device is.
import type { JsonObject } from "../core/json.ts";

/** Who the device says it is; from its registration. */
export interface DeviceDetails {
  manufacturer?: string;
  model?: string;
  sw_version?: string;
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
  /** A person gave the name: a registration no longer changes it. */
  nameIsUsers: boolean;
  area: string | undefined;
  areaIsUsers: boolean;
  deviceType: string | undefined;
  details: DeviceDetails;
  available: boolean;
  attributes: JsonObject;
  /** Attribute → epoch ms of its last change. */
  lastChanged: Record<string, number>;
  /** Epoch ms of the last sign of life; undefined before the first. */
  lastSeen: number | undefined;
}

/** What the owner says when it registers a device; absent fields keep their value. */
export interface DeviceRegistration {
  device_id: string;
  name?: string;
  area?: string;
  device_type?: string;
  capabilities?: JsonObject;
  manufacturer?: string;
  model?: string;
  sw_version?: string;
  parent_device_id?: string;
}

export function newDevice(id: string, pluginId: string): Device {
  return {
    id,
    pluginId,
    name: id,
    nameIsUsers: false,
    area: undefined,
    areaIsUsers: false,
    deviceType: undefined,
    details: {},
    available: true,
    attributes: {},
    lastChanged: {},
    lastSeen: undefined,
  };
}

/** Takes over what a registration says; true when anything changed. A name or area a person gave stays. */
export function applyRegistration(device: Device, registration: DeviceRegistration): boolean {
  const before = JSON.stringify(identityOf(device));
  if (registration.name && !device.nameIsUsers) device.name = registration.name;
  if (registration.area && !device.areaIsUsers) device.area = registration.area;
  if (registration.device_type) device.deviceType = registration.device_type;
  for (const key of ["manufacturer", "model", "sw_version", "parent_device_id", "capabilities"] as const) {
    if (registration[key] !== undefined) device.details = { ...device.details, [key]: registration[key] };
  }
  return JSON.stringify(identityOf(device)) !== before;
}

function identityOf({ name, area, deviceType, details }: Device): unknown {
  return [name, area, deviceType, details];
}
