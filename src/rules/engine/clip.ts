// What goes into a trace is for people to read: large values are cut, so that fifty traces of a rule stay small.
import type { Json, JsonObject } from "../../core/json.ts";
import { ownBeginning } from "../../core/memory-size.ts";
import type { ConditionTrace } from "../trace.ts";

const MOST_TEXT = 500;
const MOST_JSON = 1000;

export function clipText(text: string): string {
  return text.length > MOST_TEXT ? `${ownBeginning(text, MOST_TEXT)}…` : text;
}

export function clip(value: Json): Json {
  if (typeof value === "string") return clipText(value);
  if (typeof value !== "object" || value === null) return value ?? null;
  const text = JSON.stringify(value);
  return text.length > MOST_JSON ? clipText(text) : value;
}

/** Each field for itself: what is small stays readable beside what is large. */
export function clipContext(context: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(context).map(([key, value]) => [key, clip(value)]));
}

export function clipCondition(trace: ConditionTrace): ConditionTrace {
  return { ...trace, expected: clipText(trace.expected), actual: clip(trace.actual) };
}
