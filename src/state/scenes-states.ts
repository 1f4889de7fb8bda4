// What a scene may hold: for each of its devices, the command that brings it into the wanted state.
import { Type } from "@sinclair/typebox";
import { HubError } from "../core/errors.ts";
import { ID_PATTERN, isValidId } from "../core/ids.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { MASK } from "../core/masking.ts";
import { HELD_TO, type Problem } from "../core/schema.ts";
import { frozen } from "./frozen.ts";

/** Device id → command. Frozen where it is held. */
export type SceneStates = Readonly<Record<string, JsonObject>>;

export const MOST_SCENE_DEVICES = 500;
const MOST_BYTES = 64 * 1024;

/** readSceneStates holds them to the rest, and names all that is wrong at once. */
export const States = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Unknown(), { [HELD_TO]: { minProperties: 1 } }),
  {
    [HELD_TO]: { maxProperties: MOST_SCENE_DEVICES, propertyNames: { type: "string", pattern: ID_PATTERN } },
    description: "Device → the wanted state, or a command; at most 64 KiB as text",
  },
);

/** A frozen copy. Throws HubError: `invalid` with all problems, `too_large`. */
export function readSceneStates(given: Readonly<Record<string, unknown>>): SceneStates {
  const entries = Object.entries(given);
  if (entries.length > MOST_SCENE_DEVICES) {
    throw new HubError("invalid", `states: ${entries.length} devices; a scene has at most ${MOST_SCENE_DEVICES}`);
  }
  const problems = entries.flatMap(([deviceId, command]) => problemsOf(deviceId, command));
  if (problems.length > 0) {
    const message = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    throw new HubError("invalid", message, { details: { problems } });
  }
  const text = JSON.stringify(given);
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw new HubError("too_large", `states: as text they have more than the ${MOST_BYTES} bytes of a scene`);
  }
  return frozen(JSON.parse(text) as SceneStates);
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
