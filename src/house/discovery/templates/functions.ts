// What a template may call, beside methods and `now`; and the names of constants.
import { argumentsOf, type Filter, itemsOf, NO_ARGUMENTS, parseFloatText } from "./arguments.ts";
import { FILTERS, toFloat, toInt } from "./filters/filters.ts";
import { setOf } from "./filters/math-filters.ts";
import { timedelta } from "./time.ts";
import {
  type Callable,
  Moment,
  Namespace,
  NO_WORK,
  PyBytes,
  PyFloat,
  PyTuple,
  str,
  TemplateError,
  type Value,
  type Work,
} from "./values.ts";

function applied(called: Value, args: readonly Value[], named: ReadonlyMap<string, Value>, work: Work): Value {
  if (typeof called !== "function") throw new TemplateError("apply needs a function");
  return called(args, named, work);
}

const MAX_ITEMS = 10_000;

export const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
  ["pi", new PyFloat(Math.PI)],
  ["e", new PyFloat(Math.E)],
  ["tau", new PyFloat(2 * Math.PI)],
]);

const asFilter =
  (filter: Filter): Callable =>
  ([value, ...rest], named, work) =>
    filter(value, argumentsOf(rest, named), work);

// What Home Assistant has as a filter and as a function.
const BOTH = [
  ...[
    "acos",
    "as_datetime",
    "as_local",
    "as_timedelta",
    "as_timestamp",
    "asin",
    "atan",
    "atan2",
    "average",
    "bitwise_and",
  ],
  ...[
    "bitwise_or",
    "bitwise_xor",
    "clamp",
    "combine",
    "cos",
    "difference",
    "flatten",
    "iif",
    "intersect",
    "is_number",
    "log",
  ],
  ...["md5", "median", "pack", "relative_time", "remap", "sha1", "sha256", "sha512", "sin", "slugify", "sqrt"],
  ...[
    "statistical_mode",
    "symmetric_difference",
    "tan",
    "time_since",
    "time_until",
    "today_at",
    "typeof",
    "union",
    "unpack",
  ],
  ...["version", "wrap", "strptime", "timestamp_custom", "timestamp_local", "timestamp_utc", "bool"],
];

/** Of a dict, as bytes. */
function urlencode([value]: readonly Value[]): Value {
  const text = str(FILTERS.urlencode?.(value, NO_ARGUMENTS, NO_WORK));
  return new PyBytes(new TextEncoder().encode(text));
}

function range(args: readonly Value[]): Value {
  const [a = 0, b, c = 1] = args.map((one) => parseFloatText(one) ?? 0);
  const [from, to, by] = b === undefined ? [0, a, 1] : [a, b, c];
  if (by === 0) throw new TemplateError("range: the step cannot be 0");
  const length = Math.max(0, Math.ceil((to - from) / by));
  if (length > MAX_ITEMS) throw new TemplateError(`range: more than ${MAX_ITEMS} items`);
  return Array.from({ length }, (_, at) => from + at * by);
}

export const FUNCTIONS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ["float", asFilter(toFloat)],
  ["int", asFilter(toInt)],
  ...BOTH.map((name): [string, Callable] => [name, asFilter(FILTERS[name] as Filter)]),
  ["timedelta", timedelta],
  ["urlencode", urlencode],
  ["as_function", asFilter(FILTERS.as_function as Filter)],
  ["now", (_args, _named, { time }) => new Moment(time.at, time.offsetMs(time.at))],
  ["utcnow", (_args, _named, { time }) => new Moment(time.at, 0)],
  ["set", ([value]) => setOf(value)],
  ["tuple", ([value]) => new PyTuple(itemsOf(value, "tuple"))],
  ["apply", ([value, called, ...rest], named, work) => applied(called, [value, ...rest], named, work)],
  ["str", ([value]) => str(value)],
  ["range", range],
  ["dict", (_args, named) => new Map<Value, Value>(named)],
  ["list", ([value]) => [...itemsOf(value, "list")]],
  ["min", (args) => FILTERS.min?.(args.length === 1 ? args[0] : [...args], NO_ARGUMENTS, NO_WORK)],
  ["max", (args) => FILTERS.max?.(args.length === 1 ? args[0] : [...args], NO_ARGUMENTS, NO_WORK)],
  ["cycler", cycler],
  ["joiner", joiner],
  ["zip", (args) => zipped(args.map((one) => itemsOf(one, "zip")))],
  [
    "namespace",
    (_args, named) => {
      const made = new Namespace();
      for (const [key, value] of named) made.fields.set(key, value);
      return made;
    },
  ],
]);

/** Each in turn, with `next()`. */
function cycler(items: readonly Value[]): Value {
  if (items.length === 0) throw new TemplateError("cycler needs values");
  const made = new Namespace();
  let at = 0;
  const step = (by: number): Value => {
    const before = items[at];
    at = by === 0 ? 0 : (at + by) % items.length;
    made.fields.set("current", items[at]);
    return by === 0 ? null : before;
  };
  step(0);
  made.fields.set("next", () => step(1));
  made.fields.set("reset", () => step(0));
  return made;
}

/** Nothing when it is called first, then what stands between. */
function joiner([between = ", "]: readonly Value[]): Callable {
  let isFirst = true;
  return () => {
    const given = isFirst ? "" : between;
    isFirst = false;
    return given;
  };
}

function zipped(lists: readonly (readonly Value[])[]): Value {
  const length = Math.min(...lists.map((list) => list.length));
  if (!Number.isFinite(length)) return [];
  return Array.from({ length }, (_, at) => new PyTuple(lists.map((list) => list[at])));
}
