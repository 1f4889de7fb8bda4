// What tools answer with: names and values come from devices and from people, and an assistant may take a text for an order. They
// are handed over as JSON data, without secrets, short, and not many.
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { masked } from "../../kit/text/masking.ts";

const MAX_TEXT = 200;
/** What follows the host may be a key, and what is before it a password. */
const ADDRESS = /\b([a-z][a-z\d+.-]*:\/\/)(?:[^\s/?#"'@]*@)?([^\s/?#"']+)[/?#][^\s"']+/gi;
export const MAX_ENTRIES = 100;
const DEEPEST = 12;
/** Of the JSON of a whole list, in characters. */
const MAX_LIST = 15_000;

/** The value with its secrets masked, its texts cut, and what is too deep or too many left out. */
export function harmless(value: unknown): Json {
  return short(masked(value), DEEPEST);
}

export function shortText(text: string): string {
  const plain = text.replace(/\p{Cc}/gu, " ").replace(ADDRESS, "$1$2/…");
  return plain.length <= MAX_TEXT ? plain : `${plain.slice(0, MAX_TEXT - 1).toWellFormed()}…`;
}

export interface SomeOf {
  items: JsonObject[];
  /** Whether there are more than these. */
  more: boolean;
}

/** As many of them as fit into an answer. */
export function someOf(values: Iterable<unknown>, most = MAX_ENTRIES): SomeOf {
  const items: JsonObject[] = [];
  let length = 0;
  for (const value of values) {
    if (items.length >= most) return { items, more: true };
    const item = harmless(value) as JsonObject;
    length += JSON.stringify(item).length;
    if (length > MAX_LIST && items.length > 0) return { items, more: true };
    items.push(item);
  }
  return { items, more: false };
}

function short(value: unknown, depth: number): Json {
  if (typeof value === "string") return shortText(value);
  if (Array.isArray(value))
    return depth === 0 ? "…" : value.slice(0, MAX_ENTRIES).map((item) => short(item, depth - 1));
  if (!isObject(value)) return typeof value === "number" || typeof value === "boolean" ? value : null;
  if (depth === 0) return "…";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    entries.slice(0, MAX_ENTRIES).map(([key, item]) => [shortText(key), short(item, depth - 1)]),
  );
}
