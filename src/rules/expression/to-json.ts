// The result of an expression as JSON.
import { Duration, UnsignedInt } from "@marcbachmann/cel-js/evaluator";
import type { Json } from "../../kit/schema/json.ts";
import { isMap, keysOf, lookUp } from "./maps.ts";
import { durationText, timestampJson } from "./times.ts";

/** Throws a plain Error for what JSON cannot hold. The value has been weighed: it is neither too deep nor too large. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return finite(value);
  if (typeof value === "bigint") return whole(value);
  if (value instanceof UnsignedInt) return whole(value.value);
  if (value instanceof Date) return timestamp(value);
  // A number of milliseconds would have no unit; CEL reads this form back.
  if (value instanceof Duration) return durationText(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (isMap(value)) return Object.fromEntries(keysOf(value).map((key) => [String(key), toJson(lookUp(value, key))]));
  if (value instanceof Uint8Array) throw new Error("gives bytes; put string(…) around them");
  throw new Error("gives a value that is neither text, number, true or false, list nor map");
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new Error("gives a number that is infinite or none at all; was something divided by 0?");
}

function whole(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new Error("gives a whole number beyond 2^53, which JSON cannot hold exactly");
}

function timestamp(value: Date): string {
  if (Number.isNaN(value.getTime())) throw new Error("gives a time that does not exist");
  return timestampJson(value);
}
