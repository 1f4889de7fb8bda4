// What filters, tests and functions read their arguments with.
import {
  isNumber,
  listOf,
  numberOf,
  PyBytes,
  PySet,
  TemplateError,
  typeName,
  type Value,
  type Work,
} from "./values.ts";

export interface Arguments {
  /** By position, else by name. */
  get(at: number, name: string): Value;
  has(at: number, name: string): boolean;
}

/** Of the value before it. Throws TemplateError. */
export type Filter = (value: Value, args: Arguments, work: Work) => Value;

/** Of a call: those without a name, then those with one. */
export function argumentsOf(positional: readonly Value[], named: ReadonlyMap<string, Value>): Arguments {
  return {
    get: (at, name) => (at < positional.length ? positional[at] : named.get(name)),
    has: (at, name) => at < positional.length || named.has(name),
  };
}

export const NO_ARGUMENTS = argumentsOf([], new Map());

const FLOAT = /^\s*[+-]?(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$|^\s*[+-]?(inf|infinity|nan)\s*$/i;

/** Undefined where it is no number. Throws TemplateError where there is no value at all, as in Jinja. */
export function parseFloatText(value: Value): number | undefined {
  if (value === undefined) throw new TemplateError("there is no such value");
  if (isNumber(value)) return numberOf(value);
  if (typeof value !== "string" || !FLOAT.test(value)) return undefined;
  const text = value.trim().toLowerCase().replaceAll("_", "");
  if (text.endsWith("nan")) return Number.NaN;
  if (text.includes("inf")) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

export function numberArgument(value: Value, what: string): number {
  const found = parseFloatText(value);
  if (found === undefined) throw new TemplateError(`${what} needs a number, not a ${typeName(value)}`);
  return found;
}

const MAX_CHARACTERS = 10_000;

/** The items of a list or tuple, the keys of a dict, the characters of a text; none of something undefined. Throws TemplateError. */
export function itemsOf(value: Value, what: string): readonly Value[] {
  if (value instanceof Map) return [...value.keys()];
  if (value instanceof PySet) return value.items;
  if (value instanceof PyBytes) return [...value.bytes];
  if (typeof value === "string" && value.length > MAX_CHARACTERS)
    throw new TemplateError(`${what} takes the characters of a text of at most ${MAX_CHARACTERS}`);
  const list = typeof value === "string" ? [...value] : value === undefined ? [] : listOf(value);
  if (list === undefined) throw new TemplateError(`${what} needs a list, not a ${typeName(value)}`);
  return list;
}

/** What `float` reads as a finite number. */
export function isNumberText(value: Value): boolean {
  const found = parseFloatText(value);
  return found !== undefined && Number.isFinite(found);
}
