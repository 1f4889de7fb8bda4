// Numbers in a query, and the link to the next page. Elysia reads the numbers, but its error does not name the key whose number
// is out of range; `inRange` does.
import { t } from "elysia";
import { HELD_TO } from "../core/schema.ts";
import { invalid } from "./errors.ts";
import { splitUrl } from "./request-url.ts";

export interface Range {
  from: number;
  to: number;
}

/** A whole number in a query; check it with `inRange`. */
export function wholeNumber({ from, to }: Range, options: { default?: number; description?: string } = {}) {
  return t.Integer({ ...options, [HELD_TO]: { minimum: from, maximum: to } });
}

/** The number; throws HubError `invalid` with the key where it is out of range. */
export function inRange(key: string, value: number, { from, to }: Range): number {
  if (value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `not below ${from}` : `from ${from} to ${to}`;
  throw invalid([{ path: key, message: `must be a whole number ${range}` }]);
}

/** A `Link` header: the same address with these changes to its query. */
export function linkToNext(url: string, changes: Readonly<Record<string, string>>): string {
  const { path, query } = splitUrl(url);
  const searchParams = new URLSearchParams(query);
  for (const [key, value] of Object.entries(changes)) searchParams.set(key, value);
  return `<${path}?${searchParams}>; rel="next"`;
}
