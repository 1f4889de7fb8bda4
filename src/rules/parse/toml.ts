// A rule written as TOML tables, as JSON with its places. What JSON cannot hold is a flaw; dates and times become the
// texts that they look like.
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Flaw, Mark } from "../../kit/schema/text-places.ts";
import { parseToml, UNPLACED } from "../../kit/schema/toml.ts";
import { FORBIDDEN_KEYS } from "./shape.ts";

export interface TomlTree {
  /** Not to be used where there are flaws. */
  value: JsonObject;
  mark: Mark;
  flaws: Flaw[];
  /** What does not keep the rule from running. */
  warnings: Flaw[];
}

export function readToml(text: string): TomlTree {
  const read = parseToml(text);
  if (!read.ok) {
    const { offset, message } = read.flaw;
    const flaw = { offset, message: `this is not valid TOML: ${message}` };
    return { value: {}, mark: { at: 0, start: -1, end: -1 }, flaws: [flaw], warnings: [] };
  }
  const flaws: Flaw[] = [];
  const value = toJson(flaws, read.table, read.mark);
  const warnings = read.unplaced.map(({ path, at }): Flaw => ({ offset: at, message: `\`${path}\`: ${UNPLACED}` }));
  return { value: isObject(value) ? value : {}, mark: read.mark, flaws, warnings };
}

function toJson(flaws: Flaw[], value: unknown, mark: Mark): Json {
  const refuse = (message: string): null => {
    flaws.push({ offset: Math.max(mark.start, mark.at), message });
    return null;
  };
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return Number.isFinite(value) ? value : refuse("a rule cannot hold inf or nan: give a number");
  if (typeof value === "bigint") return isExact(value) ? Number(value) : refuse(INEXACT);
  if (value instanceof Date) return value.toISOString().replace(/\.000(?=Z|[+-]|$)/, "");
  if (Array.isArray(value)) return value.map((item, index) => toJson(flaws, item, mark.items?.[index] ?? mark));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, member]) => {
      const place = mark.keys?.get(key) ?? mark;
      if (FORBIDDEN_KEYS.has(key))
        flaws.push({ offset: place.at, message: `the key \`${key}\` is not allowed: choose another name` });
      return [key, toJson(flaws, member, place)];
    }),
  );
}

// One of some three hundred digits is infinite as a number, which is no BigInt.
function isExact(value: bigint): boolean {
  const number = Number(value);
  return Number.isFinite(number) && BigInt(number) === value;
}

const INEXACT = "this number cannot be held exactly (beyond ±2^53): write it as a text, in quotes";
