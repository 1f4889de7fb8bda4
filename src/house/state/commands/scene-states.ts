// What a scene holds: for each of its devices, the command that brings it into the wanted state. It is given, or captured
// from the present state of the devices.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID, ID_PATTERN, isValidId } from "../../../kit/schema/ids.ts";
import { deepFreeze, isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { HELD_TO, type Problem } from "../../../kit/schema/schema.ts";
import { MASK } from "../../../kit/text/masking.ts";
import { isBatteryAttribute } from "../battery.ts";
import { type Device, isGroup } from "../device.ts";
import type { Registry } from "../registry.ts";
import { describedAttribute } from "./command-check.ts";

/** Device id → command. */
export type SceneStates = Readonly<Record<string, JsonObject>>;

export const MAX_SCENE_DEVICES = 500;
const MAX_BYTES = 64 * 1024;

/** Only the outer form: `readSceneStates` checks the rest, and reports all problems at once. */
export const States = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Unknown(), { [HELD_TO]: { minProperties: 1 } }),
  {
    [HELD_TO]: { maxProperties: MAX_SCENE_DEVICES, propertyNames: { type: "string", pattern: ID_PATTERN } },
    description: "Device → the wanted state, or a command; at most 64 KiB as text",
  },
);

/** A frozen copy. Throws HubError: `invalid` with all problems, `too_large`. */
export function readSceneStates(given: Readonly<Record<string, unknown>>): SceneStates {
  const entries = Object.entries(given);
  if (entries.length > MAX_SCENE_DEVICES) {
    throw new HubError("invalid", `states: ${entries.length} devices; a scene has at most ${MAX_SCENE_DEVICES}`);
  }
  const problems = entries.flatMap(([deviceId, command]) => problemsOf(deviceId, command));
  if (problems.length > 0) {
    const message = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    throw new HubError("invalid", message, { details: { problems } });
  }
  const text = JSON.stringify(given);
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new HubError("too_large", `states: as text they have more than the ${MAX_BYTES} bytes of a scene`);
  }
  return deepFreeze(JSON.parse(text) as SceneStates);
}

function problemsOf(deviceId: string, command: unknown): Problem[] {
  const path = `states.${deviceId}`;
  if (!isValidId(deviceId)) return [{ path, message: "this cannot be a device's id" }];
  if (!isObject(command) || Object.keys(command).length === 0) {
    return [{ path, message: "must be an object with at least one attribute or a command" }];
  }
  if (JSON.stringify(command).includes(`"${MASK}"`)) {
    return [{ path, message: `"${MASK}" stands for what you may not see: write the value itself` }];
  }
  if (!Object.hasOwn(command, "_hc")) return [];
  return [{ path: `${path}._hc`, message: "is for the hub's own use: leave it out" }];
}

export interface CaptureRequest {
  /** The states of the scene so far. */
  previous: SceneStates;
  /** The devices the scene is to have; those it has, when absent. */
  deviceIds?: readonly string[] | undefined;
}

/**
 * The present state of devices, as a scene. Throws HubError: `not_found` for an unknown device in `deviceIds`, `conflict`
 * for a device without an attribute that can be commanded. A device of the scene that the hub does not know keeps its state.
 */
export function captureStates(
  registry: Pick<Registry, "get" | "ownerOf">,
  { previous, deviceIds }: CaptureRequest,
): SceneStates {
  const isKnown = (id: string): boolean => registry.ownerOf(id) !== undefined;
  const ids = new Set(deviceIds ?? Object.keys(previous));
  const states = [...ids].map((id): [string, JsonObject] => {
    const before = Object.hasOwn(previous, id) ? previous[id] : undefined;
    if (!before) return [id, captureDevice(registry.get(id))];
    return [id, deviceIds || isKnown(id) ? updateState(before, registry.get(id)) : before];
  });
  return Object.fromEntries(states);
}

/** The attributes that the scene has already, with their present values. One that the device does not report stays. */
function updateState(before: JsonObject, { attributes }: Device): JsonObject {
  // A command is an action, whatever the device reports.
  if (Object.hasOwn(before, "command")) return before;
  const present = (name: string): Json | undefined => (Object.hasOwn(attributes, name) ? attributes[name] : undefined);
  return Object.fromEntries(Object.entries(before).map(([name, value]) => [name, present(name) ?? value]));
}

/** All attributes of a device that can be commanded. */
function captureDevice(device: Device): JsonObject {
  const { id, pluginId, attributes } = device;
  if (pluginId === HUB_PLUGIN_ID && !isGroup(device)) return captureOwnDevice(device);
  const wanted = Object.entries(attributes).filter(
    ([name, value]) =>
      value !== null && isOfScene(device, name) && !isOverridden(attributes, name) && !isBatteryAttribute(name),
  );
  if (wanted.length > 0) return Object.fromEntries(wanted);
  throw new HubError("conflict", `the device "${id}" reports nothing that a scene could set: leave it out`);
}

function captureOwnDevice({ id, deviceType, attributes }: Device): JsonObject {
  const { on, enabled } = attributes;
  if (deviceType === "schedule" && enabled !== undefined) return { enabled };
  if (["switch", "mode"].includes(deviceType ?? "") && on !== undefined) return { on };
  throw new HubError(
    "conflict",
    `the state of the ${deviceType ?? "device"} "${id}" cannot be set by a scene: put a command into the scene by hand, such as {"command":"cancel"}`,
  );
}

/** Not what can only be read, what says the same as another attribute, and the settings of the device itself. */
function isOfScene({ details }: Device, name: string): boolean {
  const rest = details.schema?.additionalProperties;
  const described = describedAttribute(details, name) ?? (isObject(rest) ? rest : {});
  return !(described.readOnly === true || described.derived === true || described.category !== undefined);
}

const TEMPERATURES: readonly string[] = ["color_temp", "color_temp_k"];
const COLORS: readonly string[] = ["color", "color_xy", "color_hs", "color_rgb"];

/** A light that reports a colour and a colour temperature has one of them: `color_mode` says which. */
function isOverridden({ color_mode: mode }: JsonObject, name: string): boolean {
  if (mode === "color_temp") return COLORS.includes(name);
  return typeof mode === "string" && COLORS.includes(`color_${mode}`) && TEMPERATURES.includes(name);
}
