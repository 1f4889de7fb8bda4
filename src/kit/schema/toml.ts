// The only door to TOML: the values of a text, and the place of every key and value in it. smol-toml alone decides what
// a text says. toml-scan.ts reads the same text for places, and each place is compared with its value: where the two
// readers differ, the value counts, its place is not used, and a problem says so.
import { readFileSync, statSync } from "node:fs";
import { parse, stringify, TomlError } from "smol-toml";
import { decodeText } from "./decode-text.ts";
import { isObject, type JsonObject } from "./json.ts";
import type { Problem } from "./schema.ts";
import { type Flaw, findMark, type Mark, positionAt } from "./text-places.ts";
import { scanToml } from "./toml-scan.ts";
import { syntaxFlaw } from "./toml-syntax.ts";

export { afterTomlVoid } from "./toml-scan.ts";

export type TomlDocument =
  | {
      ok: true;
      /** Dates and times are `Date`s whose `toISOString` is as it was written; whole numbers beyond 2^53 are `bigint`s. */
      table: JsonObject;
      mark: Mark;
      unplaced: Unplaced[];
    }
  | { ok: false; flaw: Flaw };

/** A value whose place in the text is not known. `at`: the nearest place around it. */
export interface Unplaced {
  path: string;
  at: number;
}

export const UNPLACED = "the hub does not find its place in the file, which is a fault of the hub; its value is used";

/** A hundred actions inside each other, each with its list. What walks the table may recurse. */
const MAX_DEPTH = 256;
const OPTIONS = { integersAsBigInt: "asNeeded", maxDepth: MAX_DEPTH } as const;

/** Never throws. The text may begin with a byte order mark. */
export function parseToml(text: string): TomlDocument {
  try {
    const table = parse(text, OPTIONS) as JsonObject;
    const mark = scanToml(text);
    const deep = Object.keys(table).find((key) => isDeeper(table[key], MAX_DEPTH));
    if (deep === undefined) return { ok: true, table, mark, unplaced: comparePlaces(text, table, mark) };
    const message = `tables nested deeper than ${MAX_DEPTH} are not read: make it flatter`;
    return { ok: false, flaw: { offset: mark.keys?.get(deep)?.at ?? 0, message } };
  } catch (error) {
    const flaw = error instanceof TomlError ? syntaxFlaw(text, error) : { offset: 0, message: "it cannot be read" };
    return { ok: false, flaw };
  }
}

/** The values alone of a text that is known to be right; throws for any other. */
export function parseTomlTable(text: string): JsonObject {
  return parse(text, OPTIONS) as JsonObject;
}

/** The text of a table; throws for what TOML cannot hold. */
export function stringifyToml(table: JsonObject): string {
  return stringify(table);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null || value instanceof Date) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** Takes out of the mark, which becomes that of the table, every place that is not its value's, and returns their paths. */
export function comparePlaces(text: string, table: JsonObject, mark: Mark): Unplaced[] {
  const unplaced: Unplaced[] = [];
  const fill = (path: string, value: unknown, own: Mark): boolean => {
    if (Array.isArray(value)) {
      if (own.items?.length !== value.length || !isEnclosed(text, own, "[]")) return false;
      own.items = own.items.map((item, index) => checked(`${path}[${index}]`, value[index], item, own.at));
      return true;
    }
    if (typeof value !== "object" || value === null || value instanceof Date)
      return !own.keys && !own.items && isWritten(text.slice(own.start, own.end), value);
    if (own.items || !isEnclosed(text, own, "{}")) return false;
    const entries = Object.entries(value).map(([key, member]): [string, Mark] => {
      const place = own.keys?.get(key);
      const known = place && isKeyAt(text, place.at, key) ? place : undefined;
      return [key, checked(path === "" ? key : `${path}.${key}`, member, known, own.at)];
    });
    own.keys = new Map(entries);
    return true;
  };
  const checked = (path: string, value: unknown, own: Mark | undefined, at: number): Mark => {
    if (own && fill(path, value, own)) return own;
    unplaced.push({ path, at });
    return { at, start: -1, end: -1 };
  };
  fill("", table, mark);
  return unplaced;
}

/** Whether a list or table that is written in one piece is written in its brackets. */
function isEnclosed(text: string, { start, end }: Mark, brackets: string): boolean {
  return start < 0 || (text[start] === brackets[0] && text[end - 1] === brackets[1]);
}

/** A plain key, one in quotes, or the heading of a table. */
function isKeyAt(text: string, at: number, key: string): boolean {
  return text.startsWith(key, at) || "\"'[".includes(text[at] ?? " ");
}

const PLAIN_INTEGER = /^-?[1-9][0-9]{0,14}$/;

/** Whether a value is written so. */
function isWritten(source: string, value: unknown): boolean {
  const [quote = ""] = source;
  if (typeof value === "string" && !source.includes("\\") && !source.startsWith(quote.repeat(3)))
    return (quote === '"' || quote === "'") && source.endsWith(quote) && source.slice(1, -1) === value;
  if (typeof value === "boolean") return source === String(value);
  if (typeof value === "number" && PLAIN_INTEGER.test(source)) return Number(source) === value;
  if (source.trim() !== source) return false;
  try {
    // In brackets, so that a comment behind it would not pass.
    const [only, ...more] = parse(`x = [${source}]`, OPTIONS).x as unknown[];
    if (more.length > 0) return false;
    if (!(value instanceof Date)) return Object.is(only, value);
    return only instanceof Date && only.toISOString() === value.toISOString();
  } catch {
    return false;
  }
}

export interface LineProblem extends Problem {
  /** 1-based. */
  line?: number | undefined;
}

/** A file of TOML as a whole: hub.toml or modes.toml. */
export type TomlFile =
  | {
      ok: true;
      table: JsonObject;
      /** Keys that no table may have, which are taken out of it, and values without a place. */
      problems: Problem[];
      /** The 1-based line of a dotted path, `notify.channels[1].smtp.port`, or of the nearest table around it. */
      locate(path: string): number | undefined;
    }
  | { ok: false; problem: LineProblem };

const MAX_BYTES = 1024 * 1024;
const TOO_LARGE: LineProblem = { path: "", message: "is larger than a megabyte" };

/** Throws the system's error where the file cannot be read. */
export function readTomlFile(path: string): TomlFile {
  const stat = statSync(path);
  // Opening what is no file, such as a pipe, could wait for ever.
  if (!stat.isFile()) return refused({ path: "", message: "is no file" });
  return stat.size > MAX_BYTES ? refused(TOO_LARGE) : readToml(readFileSync(path));
}

/** The same of what such a file holds. Never throws: anything but UTF-8 is a problem with its place. */
export function readToml(given: Uint8Array | string): TomlFile {
  const bytes = typeof given === "string" ? Buffer.from(given) : given;
  if (bytes.byteLength > MAX_BYTES) return refused(TOO_LARGE);
  const decoded = decodeText(bytes);
  if (!decoded.ok) {
    const { line, column, message } = decoded.problem;
    return refused({ path: "", line, message: `${message} (column ${column})` });
  }
  const { text } = decoded;
  const read = parseToml(text);
  if (!read.ok) {
    const { line, column } = positionAt(text, read.flaw.offset);
    return refused({ path: "", line, message: `is not valid TOML: ${read.flaw.message} (column ${column})` });
  }
  const { table, mark, unplaced } = read;
  const lost = unplaced.map(({ path }): Problem => ({ path, message: UNPLACED, warning: true }));
  return {
    ok: true,
    table,
    problems: [...takeOutPrototypes(table, ""), ...lost],
    locate(path) {
      const found = findMark(mark, path);
      return found === mark ? undefined : positionAt(text, found.at).line;
    },
  };
}

function refused(problem: LineProblem): TomlFile {
  return { ok: false, problem: { ...problem, message: `${problem.message}; nothing of the file is used` } };
}

/** `__proto__` would be lost without a word wherever a table is copied. */
function takeOutPrototypes(value: unknown, path: string): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => takeOutPrototypes(item, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const at = path === "" ? key : `${path}.${key}`;
    if (key !== "__proto__") return takeOutPrototypes(value[key], at);
    delete value[key];
    return [{ path: at, message: "the key `__proto__` is not allowed: choose another name" }];
  });
}
