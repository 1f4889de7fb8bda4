// JSON as a template sees it: a number that is written with a fraction or an exponent is a float, 21.0 too.
import type { Json } from "../../../kit/schema/json.ts";
import {
  floatText,
  fromBigInt,
  fromJson,
  Moment,
  PyFloat,
  PyTuple,
  str,
  TemplateError,
  typeName,
  type Value,
} from "./values.ts";

type WithSource = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Throws SyntaxError. */
export function fromJsonText(text: string): Value {
  const mark: WithSource = (_key, value, context) => {
    if (typeof value !== "number") return value;
    const source = context?.source ?? "";
    if (/[.eE]/.test(source)) return new PyFloat(value);
    return Number.isSafeInteger(value) || source.length > 20 ? value : BigInt(source);
  };
  return convert(JSON.parse(text, mark as Parameters<typeof JSON.parse>[1]));
}

function convert(value: unknown): Value {
  if (value instanceof PyFloat) return value;
  if (typeof value === "bigint") return fromBigInt(value);
  if (Array.isArray(value)) return value.map(convert);
  if (value === null || typeof value !== "object") return fromJson(value as Json);
  return new Map(Object.entries(value).map(([key, one]): [Value, Value] => [key, convert(one)]));
}

export interface JsonStyle {
  /** What stands between items, and behind a key. */
  comma: string;
  colon: string;
  isAscii?: boolean;
  isSorted?: boolean;
  /** On lines of their own, by two characters further in. */
  isIndented?: boolean;
}

/** Throws TemplateError for what JSON does not have. */
export function toJsonText(value: Value, style: JsonStyle, indent = "\n"): string {
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "bigint")
    return String(value);
  if (typeof value === "string") return textOf(value, style);
  if (value instanceof PyFloat) return numberText(value.value, style);
  if (value instanceof Moment && value.part === undefined && style.comma === ",")
    return JSON.stringify(value.text("T"));
  const inner = `${indent}  `;
  const wrap = (open: string, items: string[], close: string): string => {
    if (items.length === 0) return open + close;
    return style.isIndented
      ? open + inner + items.join(`,${inner}`) + indent + close
      : open + items.join(style.comma) + close;
  };
  if (Array.isArray(value) || value instanceof PyTuple) {
    const items = Array.isArray(value) ? value : value.items;
    return wrap(
      "[",
      items.map((one) => toJsonText(one, style, inner)),
      "]",
    );
  }
  if (!(value instanceof Map)) throw new TemplateError(`a ${typeName(value)} cannot be written as JSON`);
  const entries = [...value].map(([key, one]): [string, Value] => [keyText(key), one]);
  if (style.isSorted) entries.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  const colon = style.isIndented ? ": " : style.colon;
  return wrap(
    "{",
    entries.map(([key, one]) => textOf(key, style) + colon + toJsonText(one, style, inner)),
    "}",
  );
}

function keyText(key: Value): string {
  if (key === null || typeof key === "boolean") return String(key);
  if (typeof key === "string" || typeof key === "number" || key instanceof PyFloat) return str(key);
  throw new TemplateError(`a ${typeName(key)} cannot be a key in JSON`);
}

function numberText(value: number, { comma }: JsonStyle): string {
  if (Number.isFinite(value))
    return comma === "," ? floatText(value).replace("e+", "e").replace(/e-0/, "e-") : floatText(value);
  if (comma === ",") return "null";
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

function textOf(text: string, { isAscii }: JsonStyle): string {
  const quoted = JSON.stringify(text);
  return isAscii
    ? quoted.replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : quoted;
}
