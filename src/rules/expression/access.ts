// Members of values: `x.name`, `x[key]` and `has(x.name)`. Only maps and lists have any, and only their own: an
// expression never reaches JavaScript's.
import { EvaluationError } from "@marcbachmann/cel-js";
import { didYouMean } from "../../core/did-you-mean.ts";
import type { CelNode, Evaluator, Macro, Run, TypeChecker } from "./cel-tree.ts";

const MOST_NAMES_SHOWN = 12;

export const attributeAccess: Run = (evaluator, node, variables) => {
  const [left, name] = node.args as [CelNode, string];
  return reach({ container: evaluator.run(left, variables), key: name, left, node });
};

export const indexAccess: Run = (evaluator, node, variables) => {
  const [left, right] = node.args as [CelNode, CelNode];
  const container = evaluator.run(left, variables);
  return reach({ container, key: evaluator.run(right, variables), left, node });
};

/** CEL's own `has` needs a variable at its root; here the root is mostly `device_state("…")`. */
export function hasMacro(argument: CelNode): Macro & { async: boolean } {
  const [left, name] = argument.args as [CelNode, string];
  return {
    async: false,
    typeCheck(checker: TypeChecker, _macro: Macro, variables: unknown) {
      checker.check(left, variables);
      return checker.getType("bool");
    },
    evaluate(evaluator: Evaluator, _macro: Macro, variables: unknown) {
      const container = evaluator.run(left, variables);
      if (!isMap(container)) throw failure(argument, `${sourceOf(left)} is ${kindOf(container)} and has no attributes`);
      return Object.hasOwn(container, name);
    },
  };
}

interface Reach {
  container: unknown;
  key: unknown;
  left: CelNode;
  node: CelNode;
}

function reach({ container, key, left, node }: Reach): unknown {
  if (Array.isArray(container)) return item(container, { key, left, node });
  if (!isMap(container)) throw failure(node, `${sourceOf(left)} is ${kindOf(container)} and has no attributes`);
  const name = typeof key === "bigint" ? String(key) : key;
  if (typeof name === "string" && Object.hasOwn(container, name)) return container[name];
  throw failure(node, `${sourceOf(left)} has no "${String(name)}"${othersOf(container, String(name))}`);
}

function item(list: readonly unknown[], { key, left, node }: Omit<Reach, "container">): unknown {
  const index = typeof key === "bigint" || typeof key === "number" ? Number(key) : Number.NaN;
  if (!Number.isInteger(index)) throw failure(node, `${sourceOf(left)} is a list: its items are counted from 0`);
  if (index >= 0 && index < list.length) return list[index];
  throw failure(node, `${sourceOf(left)} has ${list.length} items; ${index} is not one of 0 to ${list.length - 1}`);
}

function othersOf(container: object, name: string): string {
  const names = Object.keys(container);
  if (names.length === 0) return " (it is empty)";
  const more = names.length > MOST_NAMES_SHOWN ? ", …" : "";
  return `${didYouMean(name, names)} (it has ${names.slice(0, MOST_NAMES_SHOWN).join(", ")}${more})`;
}

/** Whether it is a plain map: not a timestamp, not a prototype. */
function isMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || value === Object.prototype) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a timestamp";
  if (typeof value === "string") return "a text";
  if (typeof value === "boolean") return "true or false";
  if (typeof value === "number" || typeof value === "bigint") return "a number";
  return isMap(value) ? "a map" : "of another kind";
}

function sourceOf(node: CelNode): string {
  const source = node.input.slice(node.start, node.end);
  return source.length > 60 ? `${source.slice(0, 57)}…` : source;
}

function failure(node: CelNode, message: string): EvaluationError {
  // Its types want a node of the public kind, which this is at run time.
  return new EvaluationError({ code: "no_such_key", message, node: node as never });
}
