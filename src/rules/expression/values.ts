// What kind of value it is in words, and its number, if it is one.
import { Duration, UnsignedInt } from "@marcbachmann/cel-js/evaluator";

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a timestamp";
  if (value instanceof Duration) return "a duration";
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value === "string") return "a text";
  if (typeof value === "boolean") return "true or false";
  if (numberIn(value) !== undefined) return "a number";
  const prototype: unknown = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  const isMap = prototype === Object.prototype || prototype === null || prototype === Map.prototype;
  return isMap ? "a map" : "of another kind";
}

/** Of an `int`, a `uint` or a `double`. */
export function numberIn(value: unknown): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof UnsignedInt ? value.value : undefined;
}

export function sameNumber(a: number | bigint, b: number | bigint): boolean {
  return typeof a === typeof b ? a === b : Number(a) === Number(b);
}
