// A rule written as TOML tables: the parser's value as JSON with its places, and its complaints in our words. What JSON
// cannot hold is a flaw; dates and times, which JSON does not know, become the texts they look like.
import { parse, TomlDate, TomlError } from "smol-toml";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Mark } from "../../core/text-mark.ts";
import type { Flaw } from "../../core/text-problem.ts";
import { scanToml } from "../../core/toml-scan.ts";
import { FORBIDDEN_KEYS } from "./shape.ts";

// A hundred actions inside each other, each with its list.
const MAX_DEPTH = 256;

export interface TomlTree {
  /** Not to be used where there are flaws. */
  value: JsonObject;
  mark: Mark;
  flaws: Flaw[];
}

export function readToml(text: string): TomlTree {
  let table: unknown;
  try {
    table = parse(text, { integersAsBigInt: "asNeeded", maxDepth: MAX_DEPTH });
  } catch (error) {
    return { value: {}, mark: { at: 0, start: -1, end: -1 }, flaws: [syntaxFlaw(text, error)] };
  }
  const mark = scanToml(text);
  const flaws: Flaw[] = [];
  const value = toJson({ flaws, depth: 0 }, table, mark);
  return { value: isObject(value) ? value : {}, mark, flaws };
}

interface Context {
  flaws: Flaw[];
  depth: number;
}

function toJson(context: Context, value: unknown, mark: Mark): Json {
  const flaw = (message: string): null => {
    context.flaws.push({ offset: Math.max(mark.start, mark.at), message });
    return null;
  };
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return Number.isFinite(value) ? value : flaw("a rule cannot hold inf or nan: give a number");
  if (typeof value === "bigint") return isExact(value) ? Number(value) : flaw(INEXACT);
  if (value instanceof TomlDate) return value.toISOString().replace(/\.000(?=Z|[+-]|$)/, "");
  if (context.depth >= MAX_DEPTH) return flaw(`tables nested deeper than ${MAX_DEPTH} are not read`);
  const inner = { flaws: context.flaws, depth: context.depth + 1 };
  if (Array.isArray(value)) return value.map((item, index) => toJson(inner, item, mark.items?.[index] ?? mark));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, member]) => {
      const place = mark.keys?.get(key) ?? mark;
      if (FORBIDDEN_KEYS.has(key))
        context.flaws.push({ offset: place.at, message: `the key \`${key}\` is not allowed` });
      return [key, toJson(inner, member, place)];
    }),
  );
}

// One of some three hundred digits is infinite as a number, which is no BigInt.
function isExact(value: bigint): boolean {
  const number = Number(value);
  return Number.isFinite(number) && BigInt(number) === value;
}

const INEXACT = "this number cannot be held exactly (beyond ±2^53): write it as a text, in quotes";

function syntaxFlaw(text: string, error: unknown): Flaw {
  if (!(error instanceof TomlError)) return { offset: 0, message: "this is neither RON nor TOML" };
  let lineStart = 0;
  for (let line = 1; line < error.line; line++) lineStart = text.indexOf("\n", lineStart) + 1;
  const offset = lineStart + error.column - 1;
  const what = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
  return { offset, message: hintFor(text, lineStart) ?? `this is not valid TOML: ${what}` };
}

/** What was probably meant by a line that is no TOML. */
function hintFor(text: string, lineStart: number): string | undefined {
  const newline = text.indexOf("\n", lineStart);
  const line = text.slice(lineStart, Math.min(newline < 0 ? text.length : newline, lineStart + 300)).trim();
  if (line.startsWith("//") || line.startsWith("/*")) return "a comment begins with `#` in TOML";
  if (/=\s*[“”„‟‘’‚«»]/.test(line)) return 'typographic quotation marks: texts stand in straight quotes, "…"';
  const colon = /^([A-Za-z0-9_-]+)\s*:/.exec(line);
  if (colon !== null) return `TOML writes \`${colon[1]} = …\`, with \`=\` and not \`:\``;
  if (/=\s*(?:True|False|TRUE|FALSE)\b/.test(line)) return "true and false are written in small letters";
  if (/=\s*(?:null|nil|None)\b/.test(line)) return "TOML knows no empty value: leave the key out";
  if (/=\s*\p{L}[^"'=]*$/u.test(line) && !/=\s*(?:true|false|inf|nan)\b/.test(line))
    return 'a text stands in quotes: "…"';
  return undefined;
}
