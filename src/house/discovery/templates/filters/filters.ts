// The filters and tests that devices' templates use, as Jinja and Home Assistant define them.

import {
  type Arguments,
  type Filter,
  isNumberText,
  itemsOf,
  NO_ARGUMENTS,
  numberArgument,
  parseFloatText,
} from "../arguments.ts";
import { fixed, formatted } from "../format.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { memberOf } from "../members.ts";
import { binary } from "../operators.ts";
import { contains, TESTS } from "../tests.ts";
import { TIME_FILTERS } from "../time.ts";
import {
  type Callable,
  compare,
  type Dict,
  fromWhole,
  isEqual,
  isNumber,
  isTrue,
  listOf,
  PyFloat,
  PyTuple,
  setEntry,
  str,
  TemplateError,
  typeName,
  type Value,
  type Work,
} from "../values.ts";
import { Version } from "../version.ts";
import { BYTE_FILTERS } from "./byte-filters.ts";
import { MARKUP_FILTERS } from "./markup-filters.ts";
import { MATH_FILTERS } from "./math-filters.ts";
import { REGEX_FILTERS } from "./regex-filters.ts";
import { attributeOf, TEXT_FILTERS } from "./text-filters.ts";

const MAX_TEXT = 65_536;
const MAX_DIGITS = 20;

function withDefault(value: Value, args: Arguments, what: string, read: () => Value): Value {
  const found = read();
  if (found !== undefined) return found;
  if (args.has(0, "default")) return args.get(0, "default");
  throw new TemplateError(`${str(value) === "" ? typeName(value) : `"${str(value).slice(0, 50)}"`} is no ${what}`);
}

export function toFloat(value: Value, args: Arguments): Value {
  return withDefault(value, args, "number", () => {
    const found = parseFloatText(value);
    return found === undefined ? undefined : new PyFloat(found);
  });
}

export function toInt(value: Value, args: Arguments): Value {
  return withDefault(value, args, "whole number", () => {
    const base = args.has(1, "base") ? args.get(1, "base") : 10;
    if (typeof value === "string" && base !== 10) {
      const read = Number.parseInt(value, typeof base === "number" ? base : 10);
      return Number.isNaN(read) ? undefined : fromWhole(read);
    }
    if (typeof value === "bigint") return value;
    const found = parseFloatText(value);
    return found === undefined || !Number.isFinite(found) ? undefined : fromWhole(Math.trunc(found));
  });
}

/** Halves go to the even neighbour, as Python rounds. */
function roundEven(value: number, digits: number): number {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e21) return value;
  if (digits >= 0) return Number(fixed(value, digits));
  const factor = 10 ** -digits;
  return Number(fixed(value / factor, 0)) * factor;
}

function round(value: Value, args: Arguments): Value {
  const number = parseFloatText(value);
  if (number === undefined) {
    if (args.has(2, "default")) return args.get(2, "default");
    throw new TemplateError(`"${str(value)}" cannot be rounded: it is no number`);
  }
  const wanted = args.has(0, "precision") ? numberArgument(args.get(0, "precision"), "round") : 0;
  const digits = Math.trunc(Math.min(MAX_DIGITS, Math.max(-MAX_DIGITS, wanted || 0)));
  const method = args.has(1, "method") ? str(args.get(1, "method")) : "common";
  const factor = 10 ** digits;
  const rounders: Record<string, () => number> = {
    ceil: () => Math.ceil(number * factor) / factor,
    floor: () => Math.floor(number * factor) / factor,
    half: () => Math.round(number * 2) / 2,
  };
  const rounded = rounders[method]?.() ?? roundEven(number, digits);
  return digits === 0 ? Math.trunc(rounded) : new PyFloat(rounded);
}

function truncate(value: Value, args: Arguments): Value {
  const text = str(value);
  const length = args.has(0, "length") ? numberArgument(args.get(0, "length"), "truncate") : 255;
  const end = args.has(2, "end") ? str(args.get(2, "end")) : "...";
  const leeway = args.has(3, "leeway") ? numberArgument(args.get(3, "leeway"), "truncate") : 5;
  if (text.length <= length + leeway) return text;
  const cut = text.slice(0, Math.max(0, length - end.length));
  if (isTrue(args.get(1, "killwords"))) return cut + end;
  const words = cut.lastIndexOf(" ");
  return (words < 0 ? cut : cut.slice(0, words)) + end;
}

function joined(value: Value, args: Arguments): Value {
  const text = itemsOf(value, "join")
    .map(str)
    .join(args.has(0, "d") ? str(args.get(0, "d")) : "");
  if (text.length > MAX_TEXT) throw new TemplateError("join makes a text that is too long");
  return text;
}

const COMPACT = { comma: ",", colon: ":" };

function json(value: Value, args: Arguments): string {
  if (value === undefined) throw new TemplateError("an undefined value cannot be written as JSON");
  const style =
    args.has(0, "ensure_ascii") && isTrue(args.get(0, "ensure_ascii"))
      ? { comma: ", ", colon: ": ", isAscii: true }
      : COMPACT;
  return toJsonText(value, {
    ...style,
    ...{ isIndented: isTrue(args.get(1, "pretty_print")), isSorted: isTrue(args.get(2, "sort_keys")) },
  });
}

function mapped(value: Value, args: Arguments, work: Work): Value {
  if (args.has(9, "attribute")) {
    const name = args.get(9, "attribute");
    return itemsOf(value, "map").map((one) => attributeOf(one, name) ?? args.get(9, "default"));
  }
  const filter = FILTERS[str(args.get(0, "filter"))];
  if (!filter) throw new TemplateError(`map does not know the filter "${str(args.get(0, "filter"))}"`);
  const rest: Arguments = { get: (at, name) => args.get(at + 1, name), has: (at, name) => args.has(at + 1, name) };
  return itemsOf(value, "map").map((one) => {
    work.spend(1);
    return filter(one, rest, work);
  });
}

/** select, reject (of the item), selectattr, rejectattr (of an attribute of it). */
function selected(byAttribute: boolean, keep: boolean): Filter {
  return (value, args, work) => {
    const first = byAttribute ? 1 : 0;
    const name = args.has(first, "test") ? str(args.get(first, "test")) : undefined;
    const test = name === undefined ? (one: Value) => isTrue(one) : TESTS[name];
    if (!test) throw new TemplateError(`there is no test "${name}"`);
    const rest: Arguments = {
      get: (at, key) => args.get(at + first + 1, key),
      has: (at, key) => args.has(at + first + 1, key),
    };
    return itemsOf(value, "select").filter((one) => {
      const tested = byAttribute ? attributeOf(one, args.get(0, "attribute")) : one;
      work.spend(1);
      return test(tested, rest, work) === keep;
    });
  };
}

function extreme(sign: number): Filter {
  return (value, args) => {
    const by = args.get(1, "attribute");
    const key = (one: Value): Value => {
      const found = by === undefined ? one : attributeOf(one, by);
      return typeof found === "string" && !isTrue(args.get(0, "case_sensitive")) ? found.toLowerCase() : found;
    };
    const [first, ...others] = itemsOf(value, sign > 0 ? "max" : "min");
    return others.reduce((best, one) => (compare(key(one), key(best)) * sign > 0 ? one : best), first);
  };
}

function toBool(value: Value, args: Arguments): Value {
  const word = str(value).trim().toLowerCase();
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return numberArgument(value, "bool") !== 0;
  if (typeof value === "string" && ["true", "1", "yes", "on", "enable"].includes(word)) return true;
  if (typeof value === "string" && ["false", "0", "no", "off", "disable"].includes(word)) return false;
  if (args.has(0, "default")) return args.get(0, "default");
  throw new TemplateError(`"${word.slice(0, 50)}" is neither true nor false`);
}

function orDefault(value: Value, args: Arguments): Value {
  const missing = value === undefined || (isTrue(args.get(1, "boolean")) && !isTrue(value));
  return missing ? (args.has(0, "default_value") ? args.get(0, "default_value") : "") : value;
}

/** Of a macro, which hands what it returns to its argument `returns`. */
function asFunction(macro: Value): Value {
  if (typeof macro !== "function") throw new TemplateError("as_function needs a macro");
  return (args, named, work) => {
    let found: Value = null;
    const returns: Callable = ([value]) => {
      found = value;
      return value;
    };
    macro(args, new Map([...named, ["returns", returns]]), work);
    return found;
  };
}

/** `iif(yes, no, none)`. */
function iif(value: Value, args: Arguments): Value {
  if (value === null && args.has(2, "if_none")) return args.get(2, "if_none");
  if (isTrue(value)) return args.has(0, "if_true") ? args.get(0, "if_true") : true;
  return args.has(1, "if_false") ? args.get(1, "if_false") : false;
}

const PYTHON_NAMES: Readonly<Record<string, string>> = {
  text: "str",
  None: "NoneType",
  "undefined value": "LoggingUndefined",
};

function sorted(value: Value, args: Arguments): Value[] {
  const by = args.get(2, "attribute");
  const key = (one: Value): Value => {
    const found = by === undefined ? one : attributeOf(one, by);
    return typeof found === "string" && !isTrue(args.get(1, "case_sensitive")) ? found.toLowerCase() : found;
  };
  const sign = isTrue(args.get(0, "reverse")) ? -1 : 1;
  return [...itemsOf(value, "sort")].sort((a, b) => sign * compare(key(a), key(b)));
}

function combined(value: Value, args: Arguments): Value {
  const dict: Dict = new Map();
  for (let at = -1; at < 0 || (args.has(at, "") && at < 100); at++) {
    const one = at < 0 ? value : args.get(at, "");
    if (!(one instanceof Map)) throw new TemplateError(`combine needs dicts, not a ${typeName(one)}`);
    for (const [key, item] of one) setEntry(dict, key, item);
  }
  return dict;
}

function flat(value: Value, levels = 20): Value[] {
  return itemsOf(value, "flatten").flatMap((one) => (listOf(one) && levels > 0 ? flat(one, levels - 1) : [one]));
}

export const FILTERS: Readonly<Record<string, Filter>> = {
  __proto__: null as never,
  abs: (value) => {
    const size = Math.abs(numberArgument(value, "abs"));
    return value instanceof PyFloat || !Number.isInteger(size) ? new PyFloat(size) : size;
  },
  // Not the keys of a dict.
  attr: (value, args) =>
    value instanceof Map || listOf(value) || typeof value === "string"
      ? undefined
      : memberOf(value, args.get(0, "name")),
  bool: toBool,
  capitalize: (value) => str(value).charAt(0).toUpperCase() + str(value).slice(1).toLowerCase(),
  count: (value) => lengthOf(value),
  d: orDefault,
  default: orDefault,
  first: (value) => itemsOf(value, "first")[0],
  float: toFloat,
  format: (value, args) => {
    const values: Value[] = [];
    for (let at = 0; args.has(at, ""); at++) values.push(args.get(at, ""));
    return formatted(str(value), values);
  },
  from_json: (value, args) => {
    try {
      return fromJsonText(str(value));
    } catch {
      if (args.has(0, "default")) return args.get(0, "default");
      throw new TemplateError("from_json: this is no JSON");
    }
  },
  int: toInt,
  is_defined: (value) => {
    if (value === undefined) throw new TemplateError("the message has no such value");
    return value;
  },
  items: (value) => (value instanceof Map ? [...value].map(([key, one]): Value[] => [key, one]) : []),
  join: joined,
  last: (value) => itemsOf(value, "last").at(-1),
  length: (value) => lengthOf(value),
  list: (value) => [...itemsOf(value, "list")],
  lower: (value) => str(value).toLowerCase(),
  map: mapped,
  max: extreme(1),
  min: extreme(-1),
  multiply: (value, args) =>
    new PyFloat(numberArgument(value, "multiply") * numberArgument(args.get(0, "amount"), "multiply")),
  reject: selected(false, false),
  rejectattr: selected(true, false),
  replace: (value, args) => replaced(str(value), str(args.get(0, "old")), str(args.get(1, "new"))),
  reverse: (value) =>
    typeof value === "string" ? [...value].reverse().join("") : [...itemsOf(value, "reverse")].reverse(),
  round,
  select: selected(false, true),
  selectattr: selected(true, true),
  combine: combined,
  contains: (value, args) => contains(value, args.get(0, "compare")),
  dictsort: (value) => sorted(value instanceof Map ? [...value].map((pair) => new PyTuple(pair)) : value, NO_ARGUMENTS),
  flatten: (value, args) =>
    flat(value, Math.min(20, args.has(0, "levels") ? numberArgument(args.get(0, "levels"), "flatten") : 20)),
  as_function: asFunction,
  apply: (value, args, work) => {
    const called = args.get(0, "fn");
    if (typeof called !== "function") throw new TemplateError("apply needs a function");
    const rest: Value[] = [];
    while (args.has(rest.length + 1, "")) rest.push(args.get(rest.length + 1, ""));
    return called([value, ...rest], new Map(), work);
  },
  iif,
  is_number: isNumberText,
  ordinal: (value) => {
    const text = str(value);
    const teen = ["11", "12", "13"].includes(text.slice(-2));
    return text + (teen ? "th" : (["th", "st", "nd", "rd"][Number(text.slice(-1))] ?? "th"));
  },
  sort: sorted,
  typeof: (value) => PYTHON_NAMES[typeName(value)] ?? typeName(value),
  version: (value) => new Version(str(value)),
  wordcount: (value) => (str(value).match(/\w+/g) ?? []).length,
  ...{ ...MATH_FILTERS, ...BYTE_FILTERS, ...REGEX_FILTERS, ...TEXT_FILTERS, ...MARKUP_FILTERS },
  ...Object.fromEntries(
    Object.entries(TIME_FILTERS).map(([name, filter]): [string, Filter] => [
      name,
      (value, args, { time }) => filter(time, value, args),
    ]),
  ),
  string: str,
  sum: (value, args) => {
    const items = itemsOf(value, "sum");
    const by = args.get(0, "attribute");
    const start = args.has(1, "start") ? args.get(1, "start") : 0;
    return items
      .map((one) => (by === undefined ? one : attributeOf(one, by)))
      .reduce((sum, one) => binary("+", sum, one), start);
  },
  to_json: json,
  tojson: (value, args) => {
    if (value === undefined) throw new TemplateError("an undefined value cannot be written as JSON");
    const isIndented = isTrue(args.get(0, "indent"));
    const text = toJsonText(value, { comma: ", ", colon: ": ", isAscii: true, isSorted: true, isIndented });
    return text.replace(/[<>&']/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
  },
  trim: (value, args) => trimmed(str(value), args.has(0, "chars") ? str(args.get(0, "chars")) : undefined),
  truncate,
  unique: (value) => unique(itemsOf(value, "unique")),
  upper: (value) => str(value).toUpperCase(),
};

const MAX_UNIQUE = 500;

function unique(items: readonly Value[]): Value[] {
  const [seen, found] = [new Set<Value>(), [] as Value[]];
  for (const one of items) {
    if (seen.has(one)) continue;
    seen.add(one);
    // A text equals only itself: it needs no comparing.
    if (typeof one !== "string" && found.some((known) => isEqual(known, one))) continue;
    found.push(one);
    if (typeof one !== "string" && found.length > MAX_UNIQUE) throw new TemplateError("unique has too many items");
  }
  return found;
}

function lengthOf(value: Value): number {
  return value instanceof Map ? value.size : itemsOf(value, "length").length;
}

export function replaced(text: string, from: string, to: string): string {
  const times = from === "" ? text.length + 1 : text.split(from).length - 1;
  if (text.length + times * to.length > MAX_TEXT) throw new TemplateError("replace makes a text that is too long");
  return text.replaceAll(from, () => to);
}

export function trimmed(text: string, chars = " \t\n\r\v\f", ends: "both" | "start" | "end" = "both"): string {
  let [from, to] = [0, text.length];
  if (ends !== "end") while (from < to && chars.includes(text.charAt(from))) from++;
  if (ends !== "start") while (to > from && chars.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
