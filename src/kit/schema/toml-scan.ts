// The places of the keys and values of a TOML text, to the character. Only for kit/schema/toml.ts, which has parsed the text
// before and compares the places with its values: nothing is checked here.
import { parse } from "smol-toml";
import type { Mark } from "./text-places.ts";

/** Offset of the next thing that is neither white space nor comment. */
export function afterTomlVoid(text: string, offset: number): number {
  const scan = { text, at: offset };
  skipVoid(scan);
  return scan.at;
}

interface Scan {
  readonly text: string;
  at: number;
}

const VOID = /[ \t\r\n\ufeff]*(?:#[^\n]*)?/y;
const BLANK = /[ \t]*/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BARE_VALUE = /[^,\]}#\r\n]*/y;

export function scanToml(text: string): Mark {
  const scan: Scan = { text, at: 0 };
  const root: Mark = { at: 0, start: -1, end: -1, keys: new Map() };
  let table = root;
  for (skipVoid(scan); scan.at < text.length; skipVoid(scan)) {
    const before = scan.at;
    if (text[scan.at] === "[") table = header(scan, root);
    else member(scan, table);
    // A text that is not TOML must not keep this going.
    if (scan.at === before) break;
  }
  return root;
}

/** White space, line ends and comments. */
function skipVoid(scan: Scan): void {
  while (skip(scan, VOID) !== "");
}

function skip(scan: Scan, pattern: RegExp): string {
  pattern.lastIndex = scan.at;
  const match = pattern.exec(scan.text)?.[0] ?? "";
  scan.at += match.length;
  return match;
}

function take(scan: Scan, char: string): boolean {
  if (scan.text[scan.at] !== char) return false;
  scan.at++;
  return true;
}

function header(scan: Scan, root: Mark): Mark {
  const at = scan.at++;
  const isList = take(scan, "[");
  const keys = keyPath(scan);
  take(scan, "]");
  if (isList) take(scan, "]");
  const last = keys.pop()?.name ?? "";
  const mark = child(
    keys.reduce((parent, { name }) => child(parent, name, at), root),
    last,
    at,
  );
  if (!isList) return Object.assign(mark, { at });
  const item: Mark = { at, start: -1, end: -1, keys: new Map() };
  mark.items ??= [];
  mark.items.push(item);
  return item;
}

/** The member of a table; in a list of tables, of its last one. */
function child(parent: Mark, name: string, at: number): Mark {
  const table = parent.items?.at(-1) ?? parent;
  table.keys ??= new Map();
  const known = table.keys.get(name);
  if (known !== undefined) return known;
  const made: Mark = { at, start: -1, end: -1 };
  table.keys.set(name, made);
  return made;
}

/** `key = value`, also inside an inline table. */
function member(scan: Scan, table: Mark): void {
  const keys = keyPath(scan);
  const { name, at } = keys.pop() ?? { name: "", at: scan.at };
  const parent = keys.reduce((mark, key) => child(mark, key.name, key.at), table);
  take(scan, "=");
  skip(scan, BLANK);
  Object.assign(child(parent, name, at), value(scan), { at });
}

function keyPath(scan: Scan): { name: string; at: number }[] {
  const keys: { name: string; at: number }[] = [];
  do {
    skip(scan, BLANK);
    const at = scan.at;
    const name = quotedEnd(scan) ? plainKey(scan.text.slice(at, scan.at)) : skip(scan, BARE_KEY);
    keys.push({ at, name });
    skip(scan, BLANK);
  } while (take(scan, "."));
  return keys;
}

function plainKey(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return Object.keys(parse(`${quoted} = 0`))[0] ?? "";
  } catch {
    return "";
  }
}

function value(scan: Scan): Mark {
  const start = scan.at;
  const mark: Mark = { at: start, start, end: start };
  if (take(scan, "[")) mark.items = array(scan);
  else if (take(scan, "{")) inlineTable(scan, mark);
  else if (!quotedEnd(scan)) scan.at = start + skip(scan, BARE_VALUE).trimEnd().length;
  mark.end = scan.at;
  return mark;
}

function array(scan: Scan): Mark[] {
  const items: Mark[] = [];
  for (skipVoid(scan); scan.at < scan.text.length && !take(scan, "]"); skipVoid(scan)) {
    items.push(value(scan));
    skipVoid(scan);
    if (!take(scan, ",") && scan.text[scan.at] !== "]") break;
  }
  return items;
}

function inlineTable(scan: Scan, mark: Mark): void {
  mark.keys = new Map();
  for (skipVoid(scan); scan.at < scan.text.length && !take(scan, "}"); skipVoid(scan)) {
    member(scan, mark);
    skipVoid(scan);
    if (!take(scan, ",") && scan.text[scan.at] !== "}") break;
  }
}

/** Moves past the quoted text that begins here; false when none does. */
function quotedEnd(scan: Scan): boolean {
  const { text, at } = scan;
  const quote = text[at];
  if (quote !== '"' && quote !== "'") return false;
  const closing = quote.repeat(text.startsWith(quote.repeat(3), at) ? 3 : 1);
  let end = at + closing.length;
  while (end < text.length && !text.startsWith(closing, end)) end = afterRun(text, end, quote);
  end += closing.length;
  // Up to two quotation marks may come before the three that close.
  for (let extra = 0; closing.length === 3 && extra < 2 && text[end] === quote; extra++) end++;
  scan.at = Math.min(end, text.length);
  return true;
}

/** The offset past an escape or a quotation mark that does not close, and on to the next of either. */
function afterRun(text: string, at: number, quote: string): number {
  const run = quote === '"' ? /(?:\\[\s\S]|[\s\S])[^"\\]*/y : /[\s\S][^']*/y;
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : text.length;
}
