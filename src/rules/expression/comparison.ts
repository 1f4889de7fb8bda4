// `==`, `!=`, `in`, `<` and its like. Numbers of all kinds are compared as numbers, also within lists and maps; what is of
// different kinds is not equal. What can be seen to be different from the text alone is refused before it runs.
import { Duration } from "@marcbachmann/cel-js/evaluator";
import type { CelNode, CelType, TypeChecker } from "./cel-tree.ts";
import { isMap, keysOf, lookUp } from "./maps.ts";
import { compareTimestamps, nanosecondsOf } from "./times.ts";
import { numberIn, sameNumber } from "./values.ts";

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const number = numberIn(a);
  if (number !== undefined) {
    const other = numberIn(b);
    return other !== undefined && sameNumber(number, other);
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (a instanceof Date) return b instanceof Date && compareTimestamps(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && nanosecondsOf(a) === nanosecondsOf(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  return isMap(a) && isMap(b) && isSameMap(a, b);
}

function isSameMap(a: Parameters<typeof keysOf>[0], b: Parameters<typeof keysOf>[0]): boolean {
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every((key) => isEqual(lookUp(a, key), lookUp(b, key)));
}

/** Undefined where the container is neither a list nor a map. */
export function isIn(item: unknown, container: unknown): boolean | undefined {
  if (Array.isArray(container)) return container.some((one) => isEqual(item, one));
  return isMap(container) ? lookUp(container, item) !== undefined : undefined;
}

/** `a < b` and its like, of two numbers or timestamps; undefined for anything else. */
export function compareOrdered(operator: string, a: unknown, b: unknown): boolean | undefined {
  let x = numberIn(a);
  let y = numberIn(b);
  if (x === undefined || y === undefined)
    return a instanceof Date && b instanceof Date ? compareOrdered(operator, compareTimestamps(a, b), 0) : undefined;
  // Of a fractional one and one of 64 bits, both as fractional ones, so that no two numbers are equal and yet in an order.
  if (typeof x !== typeof y) [x, y] = [Number(x), Number(y)];
  if (operator === "<") return x < y;
  if (operator === "<=") return x <= y;
  if (operator === ">") return x > y;
  return operator === ">=" ? x >= y : undefined;
}

/** Gives `==`, `!=` and `in` the type they have here. Before type-checking. */
export function checkComparison(node: CelNode): void {
  const { check } = node;
  node.check = function checkCompared(checker: TypeChecker, ast: CelNode, variables: unknown) {
    const [left, right] = (node.args as [CelNode, CelNode]).map((side) => checker.check(side, variables)) as [
      CelType,
      CelType,
    ];
    const isPossible = node.op === "in" ? mayHold(right, left) : mayEqual(left, right);
    // Or the library's own refusal.
    if (!isPossible) return check.call(node, checker, ast, variables);
    node.setMeta("async", false);
    return checker.getType("bool");
  };
}

const NUMBERS = ["int", "uint", "double"];

function mayEqual(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || b.kind === "dyn" || a.kind === "param" || b.kind === "param") return true;
  if (NUMBERS.includes(a.name) && NUMBERS.includes(b.name)) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === "list") return mayEqual(a.valueType as CelType, b.valueType as CelType);
  if (a.kind !== "map") return a.name === b.name;
  return (
    mayEqual(a.keyType as CelType, b.keyType as CelType) && mayEqual(a.valueType as CelType, b.valueType as CelType)
  );
}

function mayHold(container: CelType, item: CelType): boolean {
  if (container.kind === "dyn") return true;
  if (container.kind === "list") return mayEqual(container.valueType as CelType, item);
  return container.kind === "map" && mayEqual(container.keyType as CelType, item);
}
