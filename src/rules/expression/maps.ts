// Maps: JSON's objects, whose keys are texts, and the maps that an expression writes down, whose keys may also be whole numbers
// or true and false. Where a key is not found as it is, 1 and "1" are the same: JSON has no other way to write a number.
import { UnsignedInt } from "@marcbachmann/cel-js/evaluator";
import { type CelNode, failure, type Run } from "./cel-tree.ts";
import { kindOf, numberIn, sameNumber } from "./values.ts";

export type CelMap = Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown>;

/** Whether it is a map: not a timestamp, not a prototype. */
export function isMap(value: unknown): value is CelMap {
  if (typeof value !== "object" || value === null || value === Object.prototype) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === Map.prototype;
}

export function keysOf(map: CelMap): unknown[] {
  return map instanceof Map ? [...map.keys()] : Object.keys(map);
}

/** Undefined where it has no such key; no value of CEL is. */
export function lookUp(map: CelMap, key: unknown): unknown {
  if (map instanceof Map) return exactly(map, key) ?? byName(map, nameOf(key));
  const name = nameOf(key);
  return name !== undefined && Object.hasOwn(map, name) ? (map as Record<string, unknown>)[name] : undefined;
}

/** `{…}`: a plain object if its keys are texts. */
export const mapLiteral: Run = (evaluator, node, variables) => {
  const map = new Map<unknown, unknown>();
  let isPlain = true;
  for (const [keyNode, valueNode] of node.args as [CelNode, CelNode][]) {
    const key = keyOf(evaluator.run(keyNode, variables), keyNode);
    if (exactly(map, key) !== undefined) throw failure(keyNode, `the map has the key ${String(key)} twice`);
    // What reads an object's constructor would find the value of that key.
    isPlain &&= typeof key === "string" && key !== "constructor" && key !== "__proto__";
    map.set(key, evaluator.run(valueNode, variables));
  }
  return isPlain ? Object.fromEntries(map as Map<string, unknown>) : map;
};

function keyOf(value: unknown, node: CelNode): unknown {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (value instanceof UnsignedInt) return value;
  // A number from JSON; one that is written with a point is not meant as a key.
  if (typeof value === "number" && Number.isInteger(value) && node.checkedType?.name !== "double") return BigInt(value);
  const kind = typeof value === "number" ? "a fractional number" : kindOf(value);
  throw failure(node, `a key of a map is a text, a whole number, or true or false, and this is ${kind}`);
}

/** Maps with keys that are not texts are written by hand, so they are short enough to go through. */
function exactly(map: ReadonlyMap<unknown, unknown>, key: unknown): unknown {
  const found = map.get(key);
  const number = numberIn(key);
  if (found !== undefined || number === undefined) return found;
  for (const [own, value] of map) {
    const other = numberIn(own);
    if (other !== undefined && sameNumber(number, other)) return value;
  }
  return undefined;
}

function byName(map: ReadonlyMap<unknown, unknown>, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  for (const [own, value] of map) if (nameOf(own) === name) return value;
  return undefined;
}

function nameOf(key: unknown): string | undefined {
  if (typeof key === "string") return key;
  if (typeof key === "boolean") return String(key);
  const number = numberIn(key);
  return typeof number === "bigint" || Number.isInteger(number) ? String(number) : undefined;
}
