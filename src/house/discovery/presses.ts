// What a message says beside a press: how long it took, which plate was read, how far a knob was turned.
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";

/** A press by its name alone, or with what the message says beside it. */
export type Press = string | { action: string; data: JsonObject };

export const pressWith = (action: string, data: JsonObject): Press =>
  Object.keys(data).length > 0 ? { action, data } : action;

const MAX_KEYS = 50;
const MAX_KEY_LENGTH = 100;
const MAX_DATA_LENGTH = 4096;
const DEEPEST = 5;
const MAX_ACTION_LENGTH = 500;
const MAX_NAMED = 5;
const MAX_NAMED_LENGTH = 40;

/** What a device calls it; a scanned tag may be of any length. */
export const actionOf = (press: Press): string =>
  (typeof press === "string" ? press : press.action).slice(0, MAX_ACTION_LENGTH);

/** A press as the house is notified of it. */
export interface ActionFields {
  action: string;
  data?: JsonObject;
  /** For people: how many keys of `data` were too much, and the first of them. */
  left_out?: string;
}

export function actionFieldsOf(press: Press): ActionFields {
  const action = actionOf(press);
  if (typeof press === "string") return { action };
  const { kept, left } = bounded(press.data);
  const fields = { action, ...(kept.length > 0 && { data: Object.fromEntries(kept) }) };
  if (left.length === 0) return fields;
  const names = left.slice(0, MAX_NAMED).map((key) => printable(key.slice(0, MAX_NAMED_LENGTH)) || '""');
  const more = left.length > names.length ? ", …" : "";
  return { ...fields, left_out: `${left.length} of ${kept.length + left.length} keys: ${names.join(", ")}${more}` };
}

/** The first keys that have room: whole values, never parts of one. */
function bounded(data: JsonObject): { kept: [string, Json][]; left: string[] } {
  const kept: [string, Json][] = [];
  const left: string[] = [];
  let room = MAX_DATA_LENGTH;
  for (const key in data) {
    const value = data[key];
    if (value === undefined) continue;
    const isUsable = kept.length < MAX_KEYS && key !== "" && key !== "__proto__" && key.length <= MAX_KEY_LENGTH;
    const length =
      isUsable && depthOf(value) <= DEEPEST ? key.length + JSON.stringify(value).length : Number.POSITIVE_INFINITY;
    if (length > room) left.push(key);
    else {
      room -= length;
      kept.push([key, value]);
    }
  }
  return { kept, left };
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
