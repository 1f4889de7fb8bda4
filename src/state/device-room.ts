// How many devices there are and how much memory they take: one, those of a plugin, and all. What does not fit is refused as a
// whole, with the reason; what takes no more than before always fits.
import { HubError } from "../core/errors.ts";
import { HUB_PLUGIN_ID } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { jsonBytes, keyBytes } from "../core/json-bytes.ts";
import type { Limits } from "../core/limits.ts";
import { createShares } from "../core/shares.ts";
import type { AttributeChange } from "./attributes.ts";
import type { Device } from "./device.ts";
import type { DevicesSection } from "./devices-config.ts";

/** What a device takes: what it is described by, and what it reports. */
export interface DeviceBytes {
  description: number;
  attributes: number;
}

type Whose = Pick<Device, "id" | "pluginId">;

export interface DeviceRoom {
  of(id: string): DeviceBytes;
  /** Throws HubError `too_large`, or `conflict` where the plugin's devices or all together are too many or take too much. */
  check(device: Whose, bytes: DeviceBytes): void;
  set(device: Whose, bytes: DeviceBytes): void;
  drop(device: Whose): void;
}

// A device with nothing to say, in the maps it stands in.
const EMPTY_DEVICE_BYTES = 1024;
// The time of its last change.
const TIME_BYTES = 48;
const NOTHING: DeviceBytes = { description: 0, attributes: 0 };

export function createDeviceRoom(
  { max_device_kb, max_devices_per_account, max_devices, max_mb_per_account, max_mb }: DevicesSection,
  limits: Limits,
): DeviceRoom {
  const sizes = new Map<string, DeviceBytes>();
  const shares = createShares({ each: max_mb_per_account * 1_048_576, all: max_mb * 1_048_576 });
  const counts = createShares({ each: max_devices_per_account, all: max_devices });
  const most = max_device_kb * 1024;

  const of = (id: string): DeviceBytes => sizes.get(id) ?? NOTHING;
  const held = (id: string): number => (sizes.has(id) ? EMPTY_DEVICE_BYTES + sum(of(id)) : 0);

  function refuse(code: "too_large" | "conflict", key: keyof DevicesSection, account: string, what: string): never {
    limits.reached({ limit: `[devices] ${key}`, account, message: what });
    throw new HubError(code, `${what} ([devices] ${key})`);
  }

  function checkCount({ id, pluginId }: Whose): void {
    const lacks = counts.lacks(pluginId, 1);
    if (lacks === "each") {
      const what = `"${pluginId}" has ${counts.of(pluginId)} devices, and "${id}" would be another`;
      refuse("conflict", "max_devices_per_account", pluginId, what);
    }
    if (lacks === "all") {
      const what = `there are ${counts.total} devices, and "${id}" of "${pluginId}" would be another`;
      refuse("conflict", "max_devices", "all", what);
    }
  }

  return {
    of,
    check({ id, pluginId }, bytes) {
      const wanted = sum(bytes);
      const more = EMPTY_DEVICE_BYTES + wanted - held(id);
      // The hub's own are made by people, and are small.
      if (more <= 0 || pluginId === HUB_PLUGIN_ID) return;
      if (!sizes.has(id)) checkCount({ id, pluginId });
      if (wanted > most) {
        const what = `the device "${id}" would take ${kb(wanted)}, and one may take ${kb(most)}`;
        refuse("too_large", "max_device_kb", pluginId, what);
      }
      const lacks = shares.lacks(pluginId, more);
      if (lacks === "each") {
        const what = `the devices of "${pluginId}" take ${kb(shares.of(pluginId))}, and "${id}" would take another ${kb(more)}`;
        refuse("conflict", "max_mb_per_account", pluginId, what);
      }
      if (lacks === "all") {
        const what = `all devices take ${kb(shares.total)}, and "${id}" would take another ${kb(more)}`;
        refuse("conflict", "max_mb", "all", what);
      }
    },
    set({ id, pluginId }, bytes) {
      shares.add(pluginId, EMPTY_DEVICE_BYTES + sum(bytes) - held(id));
      if (!sizes.has(id)) counts.add(pluginId, 1);
      sizes.set(id, bytes);
    },
    drop({ id, pluginId }) {
      shares.add(pluginId, -held(id));
      if (sizes.delete(id)) counts.add(pluginId, -1);
    },
  };
}

/** All it takes, for a device that is there already. */
export function bytesOf(device: Device): DeviceBytes {
  let attributes = 0;
  for (const name in device.attributes) attributes += attributeBytes(device.attributes, name);
  return { description: descriptionBytes(device), attributes };
}

export function descriptionBytes({ name, area, deviceType, details }: Device): number {
  return jsonBytes([name, area, deviceType, details]);
}

/** After a change: only what changed is looked at. */
export function bytesAfter(
  bytes: DeviceBytes,
  previous: JsonObject,
  { current, changed }: AttributeChange,
): DeviceBytes {
  let { attributes } = bytes;
  for (const name of changed) attributes += attributeBytes(current, name) - attributeBytes(previous, name);
  return { ...bytes, attributes };
}

function attributeBytes(attributes: JsonObject, name: string): number {
  return Object.hasOwn(attributes, name) ? TIME_BYTES + keyBytes(name) + jsonBytes(attributes[name]) : 0;
}

function sum({ description, attributes }: DeviceBytes): number {
  return description + attributes;
}

function kb(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} kB`;
}
