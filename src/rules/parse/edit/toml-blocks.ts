// The tables of a TOML rule as blocks of lines: a header, what is under it, and the comments right above it.
import { isObject, type Json, type JsonObject, jsonEqual } from "../../../kit/schema/json.ts";
import type { Mark } from "../../../kit/schema/text-places.ts";
import { stringifyToml } from "../../../kit/schema/toml.ts";
import { numberLiteral, quote } from "../ron/write.ts";

export interface Blocks {
  texts: string[];
  start: number;
  end: number;
}

/** The blocks of a list of tables; undefined where they are not written so, or others stand between them. */
export function blocksOf(text: string, root: Mark, key: string): Blocks | undefined {
  const starts = tableStarts(root).map((at) => withComments(text, at));
  const list = root.keys?.get(key) ?? (key === "triggers" ? root.keys?.get("trigger") : undefined);
  if (list === undefined) {
    const end = insertionPlace(text, root, key);
    return { texts: [], start: end, end };
  }
  if (list.start >= 0) return undefined;
  const own = (list.items ?? [list]).map(({ at }) => withComments(text, at));
  const ends = own.map((start) => starts.find((other) => other > start) ?? text.length);
  const [start = 0] = own;
  const isTogether = ends.slice(0, -1).every((end, at) => end === own[at + 1]);
  return isTogether
    ? { texts: own.map((from, at) => text.slice(from, ends[at])), start, end: ends.at(-1) ?? start }
    : undefined;
}

/** New conditions go before the actions. */
function insertionPlace(text: string, root: Mark, key: string): number {
  const next = key === "actions" ? undefined : root.keys?.get("actions");
  const at = next?.items?.[0]?.at ?? next?.at;
  return at === undefined || (next?.start ?? -1) >= 0 ? text.length : withComments(text, at);
}

function tableStarts({ keys }: Mark): number[] {
  const tables = [...(keys?.values() ?? [])].filter(({ start }) => start < 0);
  return tables.flatMap(({ items, at }) => items?.map((item) => item.at) ?? [at]).sort((a, b) => a - b);
}

/** The beginning of the comment lines that end right above. */
function withComments(text: string, at: number): number {
  let start = text.lastIndexOf("\n", at - 1) + 1;
  for (;;) {
    const before = text.lastIndexOf("\n", start - 2) + 1;
    if (start === 0 || !/^[ \t]*#/.test(text.slice(before, start))) return start;
    start = before;
  }
}

interface Arrangement {
  key: string;
  old: readonly Json[];
  next: readonly JsonObject[];
}

export function tomlBlocks(text: string, { texts, start, end }: Blocks, { key, old, next }: Arrangement): string {
  const left = old.map((value, at) => ({ value, text: texts[at] ?? "" }));
  const blocks = next.map((value) => {
    const found = left.findIndex((one) => jsonEqual(one.value, value));
    const [known] = found < 0 ? [] : left.splice(found, 1);
    // A single trigger may be a table of another name.
    return known === undefined
      ? stringifyToml({ [key]: [value] })
      : known.text.replace(/^\[trigger\]/m, "[[triggers]]");
  });
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const joined = blocks.map((block) => `${block.trimEnd()}\n`).join("\n");
  const head = before === "" || before.endsWith("\n\n") || joined === "" ? before : `${before.trimEnd()}\n\n`;
  return `${head}${joined}${after === "" || joined === "" ? after : `\n${after}`}`;
}

/** A value in one line. */
export function tomlValue(value: Json): string {
  if (typeof value === "string") return quote(value, (hex) => `\\u${hex.padStart(4, "0")}`);
  if (typeof value === "number") return numberLiteral(value);
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([key, inner]) => `${tomlKey(key)} = ${tomlValue(inner)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlValue(key);
}
