// Numbers from devices and from people.
import type { Json } from "../../kit/schema/json.ts";
import { wrong } from "./words.ts";

/** Also of a text that is a number; undefined for all else. */
export function numberIn(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Throws HubError `invalid` unless the value is a number in the range. */
export function within(name: string, value: Json, { min, max }: { min: number; max: number }): number {
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw wrong(name, `must be a number from ${min} to ${max}`);
}
