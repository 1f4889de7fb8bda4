// The tests of templates: `is defined`, `is none`, …
import { type Arguments, isNumberText, itemsOf, numberArgument } from "./arguments.ts";
import { searched } from "./filters/regex-filters.ts";
import {
  compare,
  isEqual,
  isNumber,
  listOf,
  PyBytes,
  PySet,
  str,
  TemplateError,
  typeName,
  type Value,
  type Work,
} from "./values.ts";

export type Test = (value: Value, args: Arguments, work: Work) => boolean;

const is =
  (type: string) =>
  (value: Value): boolean =>
    typeName(value) === type;

export const TESTS: Readonly<Record<string, Test>> = {
  __proto__: null as never,
  boolean: is("bool"),
  defined: (value) => value !== undefined,
  divisibleby: (value, args) =>
    numberArgument(value, "divisibleby") % numberArgument(args.get(0, "num"), "divisibleby") === 0,
  eq: (value, args) => isEqual(value, args.get(0, "other")),
  equalto: (value, args) => isEqual(value, args.get(0, "other")),
  escaped: () => false,
  even: (value) => numberArgument(value, "even") % 2 === 0,
  false: (value) => value === false,
  float: is("float"),
  ge: (value, args) => compare(value, args.get(0, "other")) >= 0,
  gt: (value, args) => compare(value, args.get(0, "other")) > 0,
  in: (value, args) => contains(args.get(0, "seq"), value),
  integer: is("int"),
  iterable: (value) =>
    typeof value === "string" || value instanceof Map || value instanceof PySet || listOf(value) !== undefined,
  le: (value, args) => compare(value, args.get(0, "other")) <= 0,
  lower: (value) => str(value) === str(value).toLowerCase(),
  lt: (value, args) => compare(value, args.get(0, "other")) < 0,
  mapping: is("dict"),
  ne: (value, args) => !isEqual(value, args.get(0, "other")),
  none: (value) => value === null,
  number: isNumber,
  odd: (value) => Math.abs(numberArgument(value, "odd") % 2) === 1,
  sequence: (value) => typeof value === "string" || value instanceof Map || listOf(value) !== undefined,
  string: is("text"),
  true: (value) => value === true,
  callable: is("function"),
  contains: (value, args) => contains(value, args.get(0, "compare")),
  datetime: is("datetime"),
  greaterthan: (value, args) => compare(value, args.get(0, "other")) > 0,
  is_number: isNumberText,
  lessthan: (value, args) => compare(value, args.get(0, "other")) < 0,
  list: is("list"),
  match: (value, args, work) => searched(value, args, work, true),
  sameas: (value, args) => typeName(value) === typeName(args.get(0, "other")) && isEqual(value, args.get(0, "other")),
  search: (value, args, work) => searched(value, args, work, false),
  set: is("set"),
  string_like: (value) => typeof value === "string" || value instanceof PyBytes,
  tuple: is("tuple"),
  "==": (value, args) => isEqual(value, args.get(0, "other")),
  "!=": (value, args) => !isEqual(value, args.get(0, "other")),
  ">": (value, args) => compare(value, args.get(0, "other")) > 0,
  ">=": (value, args) => compare(value, args.get(0, "other")) >= 0,
  "<": (value, args) => compare(value, args.get(0, "other")) < 0,
  "<=": (value, args) => compare(value, args.get(0, "other")) <= 0,
  undefined: (value) => value === undefined,
  upper: (value) => str(value) === str(value).toUpperCase(),
};

export function contains(whole: Value, part: Value): boolean {
  if (typeof whole === "string") {
    if (typeof part !== "string") throw new TemplateError(`a text cannot contain a ${typeName(part)}`);
    return whole.includes(part);
  }
  return itemsOf(whole, "in").some((one) => isEqual(one, part));
}
