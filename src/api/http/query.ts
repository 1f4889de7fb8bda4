// Numbers in a query, keys that are given twice, and the link to the next page. Elysia reads the numbers, but its error does not
// name the key whose number is out of range; `inRange` does.
import { t } from "elysia";
import { HELD_TO } from "../../kit/schema/schema.ts";
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

/** How many a caller wants at most, in a query; read it with `atMost`. */
export function limitUpTo({ from, to }: Range, options: { default?: number; description?: string } = {}) {
  const description = [options.description, `more than ${to} is ${to}`].filter(Boolean).join("; ");
  return t.Integer({ ...options, description, [HELD_TO]: { minimum: from } });
}

/** As many as are wanted, and no more than there may be. Throws HubError `invalid` with the key where it is below the range. */
export function atMost(key: string, wanted: number, { from, to }: Range): number {
  if (wanted < from) throw invalid([{ path: key, message: `must be a whole number not below ${from}` }]);
  return Math.min(wanted, to);
}

/** Throws HubError `invalid` where a key is there more than once: only one of its values would be read. */
export function refuseRepeatedKeys(query: string): void {
  if (!query.includes("&")) return;
  const keys = [...new URLSearchParams(query).keys()];
  const repeated = keys.find((key, at) => keys.indexOf(key) !== at);
  if (repeated === undefined) return;
  const message =
    "is in the query more than once: give it once; where it takes several values, with commas between them";
  throw invalid([{ path: repeated.slice(0, 100), message }]);
}

/** A `Link` header: the same address with these changes to its query. */
export function linkToNext(url: string, changes: Readonly<Record<string, string>>): string {
  const { path, query } = splitUrl(url);
  const searchParams = new URLSearchParams(query);
  for (const [key, value] of Object.entries(changes)) searchParams.set(key, value);
  return `<${path}?${searchParams}>; rel="next"`;
}
