// Whether there is new firmware for a device, beside the object `update` that its state carries.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";

const UPDATE: Attribute = {
  ...{ name: "update", type: "object", readable: true, writable: false, category: "diagnostic" },
  description: "What is known of new firmware",
};
const INSTALL: Attribute = {
  ...{ name: "install_update", type: "boolean", readable: false, writable: true, category: "config" },
  description: "Set to true, it is updated",
};
const PARTS: readonly { attribute: Attribute; of(update: JsonObject): Json | undefined }[] = [
  part({ name: "update_available", type: "boolean" }, ({ state }) =>
    state === undefined ? undefined : state === "available",
  ),
  part({ name: "update_state", type: "string" }, ({ state }) => state),
  part({ name: "update_in_progress", type: "boolean" }, ({ state }) =>
    state === undefined ? undefined : state === "updating",
  ),
  // Only while it is being updated.
  part({ name: "update_progress", type: "number", unit: "%", min: 0, max: 100 }, ({ progress = null }) => progress),
  part({ name: "installed_version", type: "number" }, ({ installed_version: version }) => version),
  part({ name: "latest_version", type: "number" }, ({ latest_version: version }) => version),
];

function part(
  attribute: Pick<Attribute, "name" | "type"> & Partial<Attribute>,
  of: (update: JsonObject) => Json | undefined,
) {
  return {
    attribute: { ...attribute, readable: true, writable: false, category: "diagnostic", derived: true } as Attribute,
    of,
  };
}

export interface Firmware {
  attributes: Attribute[];
  /** Adds to what was read of a state. */
  read(read: JsonObject): void;
}

/** `own`: names of attributes that the device has itself. */
export function firmwareOf(own: ReadonlySet<string>): Firmware {
  const parts = PARTS.filter(({ attribute }) => !own.has(attribute.name));
  return {
    attributes: [...[UPDATE, INSTALL].filter(({ name }) => !own.has(name)), ...parts.map(({ attribute }) => attribute)],
    read(read) {
      const { update } = read;
      if (!isObject(update)) return;
      for (const { attribute, of } of parts) {
        const value = of(update);
        if (value !== undefined) read[attribute.name] = value;
      }
    },
  };
}
