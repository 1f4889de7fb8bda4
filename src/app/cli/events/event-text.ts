// An event on one line for people: when, what, of whom, and its fields.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { valueText } from "../devices.ts";
import type { TraceTextOptions } from "../rules/trace-text.ts";

const COMMON = new Set(["type", "timestamp", "seq"]);
const TYPE_WIDTH = "device_availability_changed".length;
const MAX_FIELD_LENGTH = 60;

export function eventText(event: JsonObject, { clockface, paint }: TraceTextOptions): string {
  const type = String(event.type);
  const fields = type === "device_state_changed" ? stateFields(event) : event;
  const shown = Object.entries(fields).filter(([name]) => !COMMON.has(name));
  const text = shown.map(([name, value]) => `${printable(name)}=${shortened(value)}`).join(" ");
  const at = clockface.at(String(event.timestamp));
  return `${paint("dim", at)}  ${printable(type).padEnd(TYPE_WIDTH)}  ${text}`.trimEnd();
}

/** The new values of what changed, in place of the whole device before and after. */
function stateFields({ device_id, current, changed }: JsonObject): JsonObject {
  const values = isObject(current) ? current : {};
  const names = Array.isArray(changed) ? changed.map(String) : [];
  return { device_id: device_id ?? null, ...Object.fromEntries(names.map((name) => [name, values[name] ?? null])) };
}

function shortened(value: Json): string {
  const text = valueText(value);
  return text.length > MAX_FIELD_LENGTH ? `${text.slice(0, MAX_FIELD_LENGTH - 1)}…` : text;
}
