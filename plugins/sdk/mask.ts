// Secrets of a configuration that is shown and edited: masked when it is shown, restored when the mask comes back.
import { isObject, type Json, type JsonObject } from "./json.ts";

export const MASK = "********";
const SECRET_KEY = /password|token|secret|key/i;

/** A copy in which every value under a key that is named like a secret is MASK. */
export function maskSecrets(config: JsonObject): JsonObject {
  return mapEntries(config, (key, value) => (SECRET_KEY.test(key) ? hide(value) : mask(value)));
}

/** Replaces the masks in `edited` by the stored secrets. `lost`: the paths of masks without a stored secret. */
export function restoreSecrets(edited: JsonObject, stored: JsonObject): { config: JsonObject; lost: string[] } {
  const lost: string[] = [];
  function restore(value: Json, old: Json | undefined, path: string): Json {
    if (value === MASK && typeof old !== "string" && typeof old !== "number") lost.push(path);
    if (value === MASK) return old ?? MASK;
    if (Array.isArray(value))
      return value.map((item, at) => restore(item, partner(item, at, value, old), `${path}[${at}]`));
    if (!isObject(value)) return value;
    return mapEntries(value, (key, inner) => restore(inner, isObject(old) ? old[key] : undefined, `${path}.${key}`));
  }
  const config = mapEntries(edited, (key, value) => restore(value, stored[key], key));
  return { config, lost };
}

// Tables of a list are matched by id or name; without one by position, unless the length of the list has changed.
function partner(item: Json, at: number, items: Json[], old: Json | undefined): Json | undefined {
  if (!Array.isArray(old)) return undefined;
  for (const label of ["id", "name"]) {
    if (isObject(item) && item[label] !== undefined)
      return old.find((candidate) => isObject(candidate) && candidate[label] === item[label]);
  }
  return old.length === items.length ? old[at] : undefined;
}

function mask(value: Json): Json {
  if (Array.isArray(value)) return value.map(mask);
  return isObject(value) ? maskSecrets(value) : value;
}

function hide(value: Json): Json {
  if (Array.isArray(value)) return value.map(hide);
  if (isObject(value)) return mapEntries(value, (_key, inner) => hide(inner));
  return value === "" || value === null || typeof value === "boolean" ? value : MASK;
}

function mapEntries(object: JsonObject, change: (key: string, value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));
}
