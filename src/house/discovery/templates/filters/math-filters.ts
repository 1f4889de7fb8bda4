// Filters on numbers, bits and sets, as Home Assistant defines them.
import { type Arguments, type Filter, itemsOf, numberArgument, parseFloatText } from "../arguments.ts";
import { remainder } from "../operators.ts";
import {
  compare,
  fromBigInt,
  isEqual,
  isInt,
  isNumber,
  PyFloat,
  PySet,
  str,
  TemplateError,
  typeName,
  type Value,
} from "../values.ts";

const MAX_ITEMS = 500;

/** Of one number; where it is none, or the result is none, the `default` behind the `at` arguments. */
function ofNumber(name: string, at: number, work: (value: number, args: Arguments) => number): Filter {
  return (value, args) => {
    const given = parseFloatText(value);
    const result = given === undefined ? Number.NaN : work(given, args);
    if (given !== undefined && (!Number.isNaN(result) || Number.isNaN(given))) return new PyFloat(result);
    if (args.has(at, "default")) return args.get(at, "default");
    throw new TemplateError(`${name} cannot be taken of "${str(value).slice(0, 50)}"`);
  };
}

const number = (args: Arguments, at: number, name: string): number => numberArgument(args.get(at, name), name);

function added(name: string, work: (value: number, amount: number) => number): Filter {
  return (value, args) => {
    const given = parseFloatText(value);
    if (given !== undefined) return new PyFloat(work(given, number(args, 0, "amount")));
    if (args.has(1, "default")) return args.get(1, "default");
    throw new TemplateError(`${name} needs a number, not "${str(value).slice(0, 50)}"`);
  };
}

function bitwise(name: string, work: (a: bigint, b: bigint) => bigint): Filter {
  return (value, args) => {
    const other = args.get(0, "second_value");
    if (!isInt(value) || !isInt(other))
      throw new TemplateError(`${name} needs whole numbers, not a ${typeName(value)}`);
    return fromBigInt(work(BigInt(value), BigInt(other)));
  };
}

/** Of a list, or of several values; the `default` where there are no numbers. */
function statistic(name: string, work: (values: readonly Value[]) => Value): Filter {
  return (value, args) => {
    const isList = typeof value === "object" && value !== null && !(value instanceof PyFloat);
    const values = [...(isList ? itemsOf(value, name) : [value])];
    if (!isList) for (let at = 0; args.has(at, ""); at++) values.push(args.get(at, ""));
    const found = values.length > 0 ? work(values) : undefined;
    if (found !== undefined) return found;
    if (isList && args.has(0, "default")) return args.get(0, "default");
    throw new TemplateError(`${name} needs a list of numbers`);
  };
}

function average(values: readonly Value[]): Value {
  const numbers = values.filter(isNumber).map((one) => numberArgument(one, "average"));
  return numbers.length < values.length
    ? undefined
    : new PyFloat(numbers.reduce((sum, one) => sum + one, 0) / numbers.length);
}

function median(values: readonly Value[]): Value {
  if (!values.every(isNumber)) return undefined;
  const sorted = [...values].sort(compare);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle];
  return new PyFloat((numberArgument(sorted[middle - 1], "median") + numberArgument(sorted[middle], "median")) / 2);
}

function mode(values: readonly Value[]): Value {
  const counted = once(values).map((one) => ({ one, times: values.filter((other) => isEqual(one, other)).length }));
  return counted.reduce((best, next) => (next.times > best.times ? next : best)).one;
}

function once(values: readonly Value[]): Value[] {
  if (values.length > MAX_ITEMS)
    throw new TemplateError(`more than ${MAX_ITEMS} items cannot be compared with each other`);
  return values.filter((one, at) => values.findIndex((other) => isEqual(one, other)) === at);
}

/** The items of both lists that `keep` says, by whether each holds them. */
function ofSets(name: string, keep: (inFirst: boolean, inSecond: boolean) => boolean): Filter {
  return (value, args) => {
    const [first, second] = [value, args.get(0, "other")].map((one) => {
      if (typeof one === "string") throw new TemplateError(`${name} needs lists`);
      return once(itemsOf(one, name));
    }) as [Value[], Value[]];
    const holds = (list: readonly Value[], one: Value): boolean => list.some((other) => isEqual(one, other));
    return once([...first, ...second]).filter((one) => keep(holds(first, one), holds(second, one)));
  };
}

function remap(value: Value, args: Arguments): Value {
  let given = numberArgument(value, "remap");
  const [inMin, inMax, outMin, outMax] = [0, 1, 2, 3].map((at) =>
    number(args, at, ["in_min", "in_max", "out_min", "out_max"][at] ?? ""),
  ) as [number, number, number, number];
  const [steps, edges] = [args.get(9, "steps"), str(args.get(9, "edges"))];
  const size = inMax - inMin;
  if (size === 0) throw new TemplateError("remap: the range is empty");
  const place = (given - inMin) / size;
  if (edges === "clamp") given = Math.max(inMin, Math.min(inMax, given));
  if (edges === "wrap") given = inMin + remainder(given - inMin, size);
  if (edges === "mirror") {
    const within = given - inMin - Math.floor(place) * size;
    given = inMin + (Math.floor(place) % 2 === 0 ? within : size - within);
  }
  const many = isNumber(steps) ? Number(numberArgument(steps, "remap")) : 0;
  if (many <= 0 && inMin === outMin && inMax === outMax) return new PyFloat(given);
  const part = (given - inMin) / size;
  return new PyFloat(outMin + (many > 0 ? Math.round(part * many) / many : part) * (outMax - outMin));
}

export const MATH_FILTERS: Readonly<Record<string, Filter>> = {
  acos: ofNumber("acos", 0, Math.acos),
  add: added("add", (value, amount) => value + amount),
  asin: ofNumber("asin", 0, Math.asin),
  atan: ofNumber("atan", 0, Math.atan),
  atan2: ofNumber("atan2", 1, (value, args) => Math.atan2(value, number(args, 0, "x"))),
  average: statistic("average", average),
  bitwise_and: bitwise("bitwise_and", (a, b) => a & b),
  bitwise_or: bitwise("bitwise_or", (a, b) => a | b),
  bitwise_xor: bitwise("bitwise_xor", (a, b) => a ^ b),
  clamp: (value, args) =>
    new PyFloat(
      Math.max(number(args, 0, "min_value"), Math.min(number(args, 1, "max_value"), numberArgument(value, "clamp"))),
    ),
  cos: ofNumber("cos", 0, Math.cos),
  difference: ofSets("difference", (first, second) => first && !second),
  intersect: ofSets("intersect", (first, second) => first && second),
  log: ofNumber("log", 1, (value, args) => {
    if (value <= 0) return Number.NaN;
    const base = args.has(0, "base") ? number(args, 0, "base") : Math.E;
    if (base === 10) return Math.log10(value);
    return base === 2 ? Math.log2(value) : Math.log(value) / Math.log(base);
  }),
  median: statistic("median", median),
  multiply: added("multiply", (value, amount) => value * amount),
  remap,
  sin: ofNumber("sin", 0, Math.sin),
  sqrt: ofNumber("sqrt", 0, Math.sqrt),
  statistical_mode: statistic("statistical_mode", mode),
  symmetric_difference: ofSets("symmetric_difference", (first, second) => first !== second),
  tan: ofNumber("tan", 0, Math.tan),
  union: ofSets("union", () => true),
  wrap: (value, args) => {
    const [from, to] = [number(args, 0, "min_value"), number(args, 1, "max_value")];
    return new PyFloat(to === from ? from : remainder(numberArgument(value, "wrap") - from, to - from) + from);
  },
};

export const setOf = (value: Value): PySet => new PySet(once(itemsOf(value, "set")));
