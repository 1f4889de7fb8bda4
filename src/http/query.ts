// Numbers in a query. Elysia reads them; it does not name the key whose number is out of range, so that is told here.
import { t } from "elysia";
import { HELD_TO } from "../core/schema.ts";
import { invalid } from "./errors.ts";

export interface Range {
  from: number;
  to: number;
}

/** A whole number in a query; check it with `inRange`. */
export function wholeNumber({ from, to }: Range, options: { default?: number; description?: string } = {}) {
  return t.Integer({ ...options, [HELD_TO]: { minimum: from, maximum: to } });
}

/** The number, or HubError `invalid` naming the key. */
export function inRange(key: string, value: number, { from, to }: Range): number {
  if (value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `not below ${from}` : `from ${from} to ${to}`;
  throw invalid([{ path: key, message: `must be a whole number ${range}` }]);
}
