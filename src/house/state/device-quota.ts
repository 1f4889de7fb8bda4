// Limits the number of devices and the memory they take: of one device, of each plugin's, and of all. A change that does not
// fit is refused as a whole, with the reason; a change that takes no more memory than before always fits.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import { createShares, type Shares } from "../../kit/lifecycle/shares.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { jsonBytes, keyBytes } from "../../kit/schema/memory-size.ts";
import type { DevicesSection } from "./config.ts";
import type { AttributeChange, Device } from "./device.ts";

/** The memory of a device, for its description and its attributes. */
export interface DeviceBytes {
  description: number;
  attributes: number;
}

type Owned = Pick<Device, "id" | "pluginId">;

// A device without attributes, with its entries in the hub's maps.
const EMPTY_DEVICE_BYTES = 1024;
// An attribute's time of change.
const TIME_BYTES = 48;
const NOTHING: DeviceBytes = { description: 0, attributes: 0 };

export class DeviceQuota {
  readonly #limits: Limits;
  readonly #sizes = new Map<string, DeviceBytes>();
  /** By plugin. */
  readonly #memory: Shares;
  readonly #counts: Shares;
  readonly #maxOfOne: number;

  constructor(config: DevicesSection, limits: Limits) {
    this.#limits = limits;
    this.#memory = createShares({ each: config.max_mb_per_account * 1_048_576, all: config.max_mb * 1_048_576 });
    this.#counts = createShares({ each: config.max_devices_per_account, all: config.max_devices });
    this.#maxOfOne = config.max_device_kb * 1024;
  }

  of(id: string): DeviceBytes {
    return this.#sizes.get(id) ?? NOTHING;
  }

  /** Throws HubError `too_large` for this device, or `conflict` for its plugin's devices or all together. */
  check({ id, pluginId }: Owned, bytes: DeviceBytes): void {
    const wanted = sum(bytes);
    const more = EMPTY_DEVICE_BYTES + wanted - this.#counted(id);
    // The hub's own devices are made by people, and are small.
    if (more <= 0 || pluginId === HUB_PLUGIN_ID) return;
    if (!this.#sizes.has(id)) this.#checkCount({ id, pluginId });
    if (wanted > this.#maxOfOne) {
      const what = `the device "${id}" would take ${kb(wanted)}, and one may take ${kb(this.#maxOfOne)}`;
      throw this.#refusal("too_large", "max_device_kb", pluginId, what);
    }
    const exceeded = this.#memory.lacks(pluginId, more);
    const another = `and "${id}" would take another ${kb(more)}`;
    if (exceeded === "each") {
      const what = `the devices of "${pluginId}" take ${kb(this.#memory.of(pluginId))}, ${another}`;
      throw this.#refusal("conflict", "max_mb_per_account", pluginId, what);
    }
    if (exceeded === "all") {
      const what = `all devices take ${kb(this.#memory.total)}, ${another}`;
      throw this.#refusal("conflict", "max_mb", "all", what);
    }
  }

  set({ id, pluginId }: Owned, bytes: DeviceBytes): void {
    this.#memory.add(pluginId, EMPTY_DEVICE_BYTES + sum(bytes) - this.#counted(id));
    if (!this.#sizes.has(id)) this.#counts.add(pluginId, 1);
    this.#sizes.set(id, bytes);
  }

  delete({ id, pluginId }: Owned): void {
    this.#memory.add(pluginId, -this.#counted(id));
    if (this.#sizes.delete(id)) this.#counts.add(pluginId, -1);
  }

  #counted(id: string): number {
    const bytes = this.#sizes.get(id);
    return bytes ? EMPTY_DEVICE_BYTES + sum(bytes) : 0;
  }

  #checkCount({ id, pluginId }: Owned): void {
    const exceeded = this.#counts.lacks(pluginId, 1);
    if (exceeded === "each") {
      const what = `"${pluginId}" has ${this.#counts.of(pluginId)} devices, and "${id}" would be another`;
      throw this.#refusal("conflict", "max_devices_per_account", pluginId, what);
    }
    if (exceeded === "all") {
      const what = `there are ${this.#counts.total} devices, and "${id}" of "${pluginId}" would be another`;
      throw this.#refusal("conflict", "max_devices", "all", what);
    }
  }

  #refusal(code: "too_large" | "conflict", key: keyof DevicesSection, account: string, what: string): HubError {
    this.#limits.reached({ limit: `[devices] ${key}`, account, message: what });
    return new HubError(code, `${what} ([devices] ${key})`);
  }
}

/** The whole memory of an existing device. */
export function bytesOf(device: Device): DeviceBytes {
  let attributes = 0;
  for (const name in device.attributes) attributes += attributeBytes(device.attributes, name);
  return { description: descriptionBytes(device), attributes };
}

export function descriptionBytes({ name, area, deviceType, details }: Device): number {
  return jsonBytes([name, area, deviceType, details]);
}

/** The memory after a change, computed from the changed attributes alone. */
export function bytesAfter(
  bytes: DeviceBytes,
  previous: JsonObject,
  { current, changed }: AttributeChange,
): DeviceBytes {
  let { attributes } = bytes;
  for (const name of changed) attributes += attributeBytes(current, name) - attributeBytes(previous, name);
  return { description: bytes.description, attributes };
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
