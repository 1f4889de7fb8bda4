// JSON as a template sees it: a number that is written with a fraction or an exponent is a float, 21.0 too.
import type { Json } from "../../core/json.ts";
import { fromJson, PyFloat, type Value } from "./values.ts";

type WithSource = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Throws SyntaxError. */
export function fromJsonText(text: string): Value {
  const mark: WithSource = (_key, value, context) =>
    typeof value === "number" && /[.eE]/.test(context?.source ?? "") ? new PyFloat(value) : value;
  return convert(JSON.parse(text, mark as Parameters<typeof JSON.parse>[1]));
}

function convert(value: unknown): Value {
  if (value instanceof PyFloat) return value;
  if (Array.isArray(value)) return value.map(convert);
  if (value === null || typeof value !== "object") return fromJson(value as Json);
  return new Map(Object.entries(value).map(([key, one]): [Value, Value] => [key, convert(one)]));
}
