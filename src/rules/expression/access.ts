// Members of values: `x.name`, `x[key]` and `has(x.name)`. Only maps and lists have any, and only their own: an
// expression never reaches JavaScript's.
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { type CelNode, type Evaluator, failure, type Macro, type Run, type TypeChecker } from "./cel-tree.ts";
import { type CelMap, isMap, keysOf, lookUp } from "./maps.ts";
import { kindOf, numberIn } from "./values.ts";

const MAX_NAMES_SHOWN = 12;

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
      return lookUp(container, name) !== undefined;
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
  const value = lookUp(container, key);
  if (value !== undefined) return value;
  throw failure(node, `${sourceOf(left)} has no "${String(key)}"${othersOf(container, String(key))}`);
}

function item(list: readonly unknown[], { key, left, node }: Omit<Reach, "container">): unknown {
  const index = Number(numberIn(key) ?? Number.NaN);
  if (!Number.isInteger(index)) throw failure(node, `${sourceOf(left)} is a list: its items are counted from 0`);
  if (index >= 0 && index < list.length) return list[index];
  const has =
    list.length === 0 ? "is empty" : `has ${list.length} items; ${index} is not one of 0 to ${list.length - 1}`;
  throw failure(node, `${sourceOf(left)} ${has}`);
}

function othersOf(container: CelMap, name: string): string {
  const names = keysOf(container).map(String);
  if (names.length === 0) return " (it is empty)";
  const more = names.length > MAX_NAMES_SHOWN ? ", …" : "";
  return `${didYouMean(name, names)} (it has ${names.slice(0, MAX_NAMES_SHOWN).join(", ")}${more})`;
}

function sourceOf(node: CelNode): string {
  const source = node.input.slice(node.start, node.end);
  return source.length > 60 ? `${source.slice(0, 57)}…` : source;
}
