// Comparing what a device reports with what is held.
import { type JsonObject, jsonEqual } from "../core/json.ts";

export interface AttributeChange {
  current: JsonObject;
  /** Names of attributes that are new, different or gone; empty when nothing changed. */
  changed: string[];
}

/** `partial` merges (null removes an attribute); otherwise the report replaces all, and becomes what is held. */
export function changeAttributes(held: JsonObject, report: JsonObject, partial: boolean): AttributeChange {
  return partial ? merge(held, report) : replace(held, report);
}

function merge(held: JsonObject, report: JsonObject): AttributeChange {
  const current: JsonObject = { ...held };
  const changed: string[] = [];
  for (const [name, value] of Object.entries(report)) {
    const was = Object.hasOwn(held, name);
    if (value === null ? !was : was && jsonEqual(held[name], value)) continue;
    if (value === null) delete current[name];
    else current[name] = value;
    changed.push(name);
  }
  return { current, changed };
}

function replace(held: JsonObject, report: JsonObject): AttributeChange {
  const changed: string[] = [];
  for (const name in report) if (!Object.hasOwn(held, name) || !jsonEqual(held[name], report[name])) changed.push(name);
  for (const name in held) if (!Object.hasOwn(report, name)) changed.push(name);
  return { current: report, changed };
}
