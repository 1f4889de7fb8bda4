// The methods of texts and dicts that templates call.
import { itemsOf, parseFloatText } from "./arguments.ts";
import { replaced, trimmed } from "./filters.ts";
import { MOMENT_METHODS } from "./time.ts";
import { entryOf, hasKey, Moment, PyTuple, str, TemplateError, typeName, type Value } from "./values.ts";

type Method<T> = (owner: T, args: readonly Value[]) => Value;

const textOr = (value: Value): string | undefined => (value === undefined || value === null ? undefined : str(value));

const TEXT_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ["capitalize", (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()],
  ["count", (text, [part]) => text.split(str(part)).length - 1],
  ["endswith", (text, [end]) => text.endsWith(str(end))],
  ["find", (text, [part]) => text.indexOf(str(part))],
  ["isdigit", (text) => /^\d+$/.test(text)],
  ["join", (text, [items]) => itemsOf(items, "join").map(str).join(text)],
  ["lower", (text) => text.toLowerCase()],
  ["lstrip", (text, [chars]) => trimmed(text, textOr(chars), "start")],
  ["replace", (text, [from, to]) => replaced(text, str(from), str(to))],
  ["rstrip", (text, [chars]) => trimmed(text, textOr(chars), "end")],
  ["split", (text, [separator, most]) => split(text, textOr(separator), most)],
  ["splitlines", (text) => text.split(/\r\n|\n|\r/)],
  ["startswith", (text, [start]) => text.startsWith(str(start))],
  ["strip", (text, [chars]) => trimmed(text, textOr(chars))],
  ["title", (text) => text.toLowerCase().replace(/[\p{L}]+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1))],
  ["upper", (text) => text.toUpperCase()],
  ["zfill", (text, [width]) => text.padStart(Math.min(parseFloatText(width) ?? 0, 1000), "0")],
]);

const DICT_METHODS: ReadonlyMap<string, Method<Map<Value, Value>>> = new Map<string, Method<Map<Value, Value>>>([
  ["get", (dict, [key, otherwise = null]) => (hasKey(dict, key) ? entryOf(dict, key) : otherwise)],
  ["items", (dict) => [...dict].map((pair) => new PyTuple(pair))],
  ["keys", (dict) => [...dict.keys()]],
  ["values", (dict) => [...dict.values()]],
]);

/** Throws TemplateError for what the value has not. */
export function callMethod(owner: Value, name: string, args: readonly Value[]): Value {
  if (typeof owner === "string") {
    const method = TEXT_METHODS.get(name);
    if (method) return method(owner, args);
  } else if (owner instanceof Map) {
    const method = DICT_METHODS.get(name);
    if (method) return method(owner, args);
  } else if (owner instanceof Moment) {
    const method = MOMENT_METHODS.get(name);
    if (method) return method(owner, args);
  }
  throw new TemplateError(`a ${typeName(owner)} has no method "${name}"`);
}

export const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...TEXT_METHODS.keys(),
  ...DICT_METHODS.keys(),
  ...MOMENT_METHODS.keys(),
]);

function split(text: string, separator: string | undefined, most: Value): Value[] {
  const limit = most === undefined ? -1 : (parseFloatText(most) ?? -1);
  if (separator === "") throw new TemplateError("split: the separator is empty");
  if (separator === undefined && limit < 0) return text.trim() === "" ? [] : text.trim().split(/\s+/);
  const parts = text.split(separator ?? " ");
  return limit < 0 || parts.length <= limit + 1
    ? parts
    : [...parts.slice(0, limit), parts.slice(limit).join(separator ?? " ")];
}
