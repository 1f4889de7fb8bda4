// What a message says beside a press: how long it took, which plate was read, how far a knob was turned.
import { isObject, type Json, type JsonObject } from "../core/json.ts";

/** A press by its name alone, or with what the message says beside it. */
export type Press = string | { action: string; data: JsonObject };

const MAX_KEYS = 50;
const MAX_KEY_LENGTH = 100;
const MAX_DATA_LENGTH = 4096;
const DEEPEST = 5;

export const actionOf = (press: Press): string => (typeof press === "string" ? press : press.action);

/** As it is told to the house; what is too much of it is left out. */
export function actionFieldsOf(press: Press): { action: string; data?: JsonObject } {
  if (typeof press === "string") return { action: press };
  const data = bounded(press.data);
  return { action: press.action, ...(Object.keys(data).length > 0 && { data }) };
}

/** The first keys that have room: whole values, never parts of one. */
function bounded(data: JsonObject): JsonObject {
  const kept: [string, Json][] = [];
  let left = MAX_DATA_LENGTH;
  for (const key in data) {
    if (kept.length >= MAX_KEYS) break;
    const value = data[key] as Json;
    if (
      value === undefined ||
      key === "" ||
      key === "__proto__" ||
      key.length > MAX_KEY_LENGTH ||
      depthOf(value) > DEEPEST
    )
      continue;
    const length = key.length + JSON.stringify(value).length;
    if (length > left) continue;
    left -= length;
    kept.push([key, value]);
  }
  return Object.fromEntries(kept);
}

/** No deeper than it has to look. */
function depthOf(value: Json, at = 0): number {
  if (at > DEEPEST || value === null || typeof value !== "object") return at;
  const values = isObject(value) ? Object.values(value) : value;
  return values.reduce((deepest: number, one) => Math.max(deepest, depthOf(one as Json, at + 1)), at);
}

/** What devices name after the press itself: `action_duration`, `action_angle`, … */
export function besideAction(json: Json | undefined): JsonObject {
  const all = isObject(json) ? Object.entries(json) : [];
  return Object.fromEntries(all.filter(([key, value]) => key.startsWith("action_") && value !== null)) as JsonObject;
}
