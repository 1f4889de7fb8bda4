// The present state of devices as what a scene would ask of them.
import { HubError } from "../core/errors.ts";
import { HUB_PLUGIN_ID } from "../core/ids.ts";
import { isObject, type Json, type JsonObject } from "../core/json.ts";
import { isBatteryAttribute } from "./battery-level.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";
import type { SceneStates } from "./scenes-states.ts";

export interface CaptureRequest {
  /** What the scene holds so far. */
  held: SceneStates;
  /** The devices it is to have; those it has, when absent. */
  deviceIds?: readonly string[] | undefined;
}

/**
 * Throws HubError: `not_found` for a device that is named and unknown, `conflict` for one whose state cannot be wished for.
 * A device that the scene has and the hub does not know stays as it is.
 */
export function captureStates(
  registry: Pick<Registry, "get" | "ownerOf">,
  { held, deviceIds }: CaptureRequest,
): SceneStates {
  const known = (id: string): boolean => registry.ownerOf(id) !== undefined;
  const ids = new Set(deviceIds ?? Object.keys(held));
  const states = [...ids].map((id): [string, JsonObject] => {
    const before = Object.hasOwn(held, id) ? held[id] : undefined;
    if (!before) return [id, wishFor(registry.get(id))];
    return [id, deviceIds || known(id) ? renewed(before, registry.get(id)) : before];
  });
  return Object.fromEntries(states);
}

/** What the scene names of the device, as it is now. What the device does not report (a transition, …) stays. */
function renewed(before: JsonObject, { attributes }: Device): JsonObject {
  // A command is something to do, whatever the device has reported meanwhile.
  if (Object.hasOwn(before, "command")) return before;
  return Object.fromEntries(Object.entries(before).map(([name, value]) => [name, present(attributes, name) ?? value]));
}

function present(attributes: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function wishFor(device: Device): JsonObject {
  const { id, pluginId, attributes } = device;
  if (pluginId === HUB_PLUGIN_ID) return wishForOwn(device);
  const readOnly = readOnlyAttributes(device);
  const wanted = Object.entries(attributes).filter(
    ([name, value]) => value !== null && !readOnly.has(name) && !isBatteryAttribute(name),
  );
  if (wanted.length > 0) return Object.fromEntries(wanted);
  throw new HubError("conflict", `the device "${id}" reports nothing that could be wanted of it: leave it out`);
}

function wishForOwn({ id, deviceType, attributes }: Device): JsonObject {
  const { on } = attributes;
  if (deviceType !== "timer" && on !== undefined) return { on };
  throw new HubError(
    "conflict",
    `the state of the ${deviceType ?? "device"} "${id}" is not something one can wish for: put a command into the scene by hand, such as {"command":"cancel"}`,
  );
}

/** Marked `readOnly` in the JSON Schema of its attributes. */
function readOnlyAttributes({ details: { capabilities, schema } }: Device): Set<string> {
  return new Set(
    [capabilities, schema].flatMap((described) =>
      isObject(described) && isObject(described.properties)
        ? Object.entries(described.properties).flatMap(([name, one]) =>
            isObject(one) && one.readOnly === true ? [name] : [],
          )
        : [],
    ),
  );
}
