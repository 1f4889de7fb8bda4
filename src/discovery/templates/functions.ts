// What a template may call, beside methods and `now`; and the names of constants.
import { type Arguments, argumentsOf, itemsOf, NO_ARGUMENTS, parseFloatText } from "./arguments.ts";
import { FILTERS, toFloat, toInt } from "./filters.ts";
import { type Callable, Namespace, PyFloat, PyTuple, str, TemplateError, type Value } from "./values.ts";

const MOST_ITEMS = 10_000;

export const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
  ["pi", new PyFloat(Math.PI)],
  ["e", new PyFloat(Math.E)],
]);

const asFilter =
  (filter: (value: Value, args: Arguments) => Value): Callable =>
  ([value, ...rest], named) =>
    filter(value, argumentsOf(rest, named));

function range(args: readonly Value[]): Value {
  const [a = 0, b, c = 1] = args.map((one) => parseFloatText(one) ?? 0);
  const [from, to, by] = b === undefined ? [0, a, 1] : [a, b, c];
  if (by === 0) throw new TemplateError("range: the step cannot be 0");
  const length = Math.max(0, Math.ceil((to - from) / by));
  if (length > MOST_ITEMS) throw new TemplateError(`range: more than ${MOST_ITEMS} items`);
  return Array.from({ length }, (_, at) => from + at * by);
}

export const FUNCTIONS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ["float", asFilter(toFloat)],
  ["int", asFilter(toInt)],
  ["bool", asFilter((value) => FILTERS.bool?.(value, NO_ARGUMENTS))],
  ["str", ([value]) => str(value)],
  ["range", range],
  ["dict", (_args, named) => new Map<Value, Value>(named)],
  ["list", ([value]) => [...itemsOf(value, "list")]],
  ["min", (args) => FILTERS.min?.(args.length === 1 ? args[0] : [...args], NO_ARGUMENTS)],
  ["max", (args) => FILTERS.max?.(args.length === 1 ? args[0] : [...args], NO_ARGUMENTS)],
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

function zipped(lists: readonly (readonly Value[])[]): Value {
  const length = Math.min(...lists.map((list) => list.length));
  if (!Number.isFinite(length)) return [];
  return Array.from({ length }, (_, at) => new PyTuple(lists.map((list) => list[at])));
}
