// The methods of texts and dicts that templates call.
import { type Arguments, argumentsOf, itemsOf, parseFloatText } from "./arguments.ts";
import { FILTERS, replaced, trimmed } from "./filters/filters.ts";
import { bracesFormatted } from "./format.ts";
import { MOMENT_METHODS, movedTo } from "./time.ts";
import {
  Duration,
  entryOf,
  hasKey,
  isEqual,
  isInt,
  listOf,
  Moment,
  NO_WORK,
  PyBytes,
  PyFloat,
  PyTuple,
  str,
  TemplateError,
  typeName,
  type Value,
  type Work,
} from "./values.ts";

type Method<T> = (owner: T, args: readonly Value[], given: Arguments) => Value;

const textOr = (value: Value): string | undefined => (value === undefined || value === null ? undefined : str(value));

const TEXT_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ["capitalize", (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()],
  ["count", (text, [part]) => text.split(str(part)).length - 1],
  ["endswith", (text, [end]) => text.endsWith(str(end))],
  ["find", (text, [part]) => text.indexOf(str(part))],
  ["format", (text, args, given) => bracesFormatted(text, args, given)],
  ["encode", (text) => new PyBytes(new TextEncoder().encode(text))],
  ["isalpha", (text) => /^\p{L}+$/u.test(text)],
  ["isalnum", (text) => /^[\p{L}\p{N}]+$/u.test(text)],
  ["isnumeric", (text) => /^\p{N}+$/u.test(text)],
  ["isdecimal", (text) => /^\p{Nd}+$/u.test(text)],
  ["islower", (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
  ["isupper", (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
  ["isspace", (text) => /^\s+$/.test(text)],
  [
    "index",
    (text, [part]) => {
      const at = text.indexOf(str(part));
      if (at < 0) throw new TemplateError("index: the text has no such part");
      return at;
    },
  ],
  ["rfind", (text, [part]) => text.lastIndexOf(str(part))],
  ["removeprefix", (text, [part]) => (text.startsWith(str(part)) ? text.slice(str(part).length) : text)],
  [
    "removesuffix",
    (text, [part]) => (str(part) !== "" && text.endsWith(str(part)) ? text.slice(0, -str(part).length) : text),
  ],
  ["rjust", (text, [width, fill]) => text.padStart(Math.min(parseFloatText(width) ?? 0, 1000), textOr(fill) ?? " ")],
  ["ljust", (text, [width, fill]) => text.padEnd(Math.min(parseFloatText(width) ?? 0, 1000), textOr(fill) ?? " ")],
  [
    "partition",
    (text, [separator]) => {
      const at = text.indexOf(str(separator));
      if (str(separator) === "") throw new TemplateError("partition: the separator is empty");
      return new PyTuple(
        at < 0 ? [text, "", ""] : [text.slice(0, at), str(separator), text.slice(at + str(separator).length)],
      );
    },
  ],
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
  [
    "zfill",
    (text, [width]) => {
      const sign = /^[-+]/.exec(text)?.[0] ?? "";
      return sign + text.slice(sign.length).padStart(Math.min(parseFloatText(width) ?? 0, 1000) - sign.length, "0");
    },
  ],
  ["center", (text, [width]) => FILTERS.center?.(text, argumentsOf([width], new Map()), NO_WORK)],
  [
    "swapcase",
    (text) => [...text].map((one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())).join(""),
  ],
  ["rsplit", (text, [separator, most]) => rsplit(text, textOr(separator), most)],
]);

const DICT_METHODS: ReadonlyMap<string, Method<Map<Value, Value>>> = new Map<string, Method<Map<Value, Value>>>([
  ["get", (dict, [key, otherwise = null]) => (hasKey(dict, key) ? entryOf(dict, key) : otherwise)],
  ["items", (dict) => [...dict].map((pair) => new PyTuple(pair))],
  ["keys", (dict) => [...dict.keys()]],
  ["values", (dict) => [...dict.values()]],
]);

/** Throws TemplateError for what the value has not. */
export function callMethod(owner: Value, name: string, given: Arguments, work: Work): Value {
  const args: Value[] = [];
  while (given.has(args.length, "")) args.push(given.get(args.length, ""));
  if (typeof owner === "string") {
    const method = TEXT_METHODS.get(name);
    if (method) return method(owner, args, given);
  } else if (owner instanceof Map) {
    const method = DICT_METHODS.get(name);
    if (method) return method(owner, args, given);
  } else if (listOf(owner)) {
    const method = LIST_METHODS.get(name);
    if (method) return method(listOf(owner) ?? [], args, given);
  } else if (isInt(owner) && name === "bit_length") {
    return owner ? BigInt(owner).toString(2).replace("-", "").length : 0;
  } else if (owner instanceof PyFloat && name === "is_integer") {
    return Number.isInteger(owner.value);
  } else if (owner instanceof Moment && name === "replace") {
    return movedTo(owner, given, work);
  } else if (owner instanceof Moment) {
    const method = MOMENT_METHODS.get(name);
    if (method) return method(owner, args, work);
  } else if (owner instanceof Duration && name === "total_seconds") return new PyFloat(owner.us / 1e6);
  else if (owner instanceof PyBytes && name === "decode") return new TextDecoder().decode(owner.bytes);
  else if (owner instanceof PyBytes && name === "hex") return Buffer.from(owner.bytes).toString("hex");
  throw new TemplateError(`a ${typeName(owner)} has no method "${name}"`);
}

export const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...TEXT_METHODS.keys(),
  ...DICT_METHODS.keys(),
  ...MOMENT_METHODS.keys(),
  ...["total_seconds", "decode", "hex", "cycle", "copy", "bit_length", "is_integer"],
]);

function rsplit(text: string, separator: string | undefined, most: Value): Value[] {
  const parts = split(text, separator, undefined).map(str);
  const limit = most === undefined ? -1 : (parseFloatText(most) ?? -1);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  const kept = parts.length - limit;
  return [parts.slice(0, kept).join(separator ?? " "), ...parts.slice(kept)];
}

const LIST_METHODS: ReadonlyMap<string, Method<readonly Value[]>> = new Map<string, Method<readonly Value[]>>([
  ["count", (list, [item]) => list.filter((one) => isEqual(one, item)).length],
  [
    "index",
    (list, [item]) => {
      const at = list.findIndex((one) => isEqual(one, item));
      if (at < 0) throw new TemplateError("index: the list has no such item");
      return at;
    },
  ],
  ["copy", (list) => [...list]],
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
