// Comparing what a device reports with what is held.
import { type JsonObject, jsonEqual } from "../core/json.ts";

export interface AttributeChange {
  current: JsonObject;
  /** Names of attributes that are new, different or gone; empty when nothing changed. */
  changed: string[];
}

/** `partial` merges (null removes an attribute); otherwise the report replaces all. */
export function changeAttributes(held: JsonObject, report: JsonObject, partial: boolean): AttributeChange {
  const current: JsonObject = partial ? { ...held } : {};
  for (const [name, value] of Object.entries(report)) {
    if (partial && value === null) delete current[name];
    else current[name] = value;
  }
  const names = new Set([...Object.keys(held), ...Object.keys(current)]);
  return { current, changed: [...names].filter((name) => !sameAttribute(held, current, name)) };
}

function sameAttribute(a: JsonObject, b: JsonObject, name: string): boolean {
  return Object.hasOwn(a, name) === Object.hasOwn(b, name) && jsonEqual(a[name], b[name]);
}
