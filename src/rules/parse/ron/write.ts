// A rule as RON, the way a person would write it: `DeviceStateChanged(device_id: "x")` for what has a `type`, one line
// for what is short. What is written here is read back as the same JSON; what could not be is refused.
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { MAX_RULE_BYTES } from "../read.ts";
import { defaultShape, FORBIDDEN_KEYS, nameOfType, type Place, placeUnder, type RuleShape } from "../shape.ts";

// A hundred actions inside each other, each with its list.
const MAX_DEPTH = 256;
const MAX_WIDTH = 100;
const INDENT = "    ";

interface Context {
  shape: RuleShape;
  depth: number;
}

/** Throws HubError `invalid` for what no RON file can hold, `too_large` beyond a megabyte. */
export function writeRon(rule: JsonObject, shape: RuleShape = defaultShape): string {
  const text = `${write({ shape, depth: 0 }, rule, "rule")}\n`;
  if (Buffer.byteLength(text) > MAX_RULE_BYTES)
    throw new HubError("too_large", "this rule is larger than a rule file may be (a megabyte): split it");
  return text;
}

/** A value within a rule, for a line that is `depth` levels deep. Throws HubError as `writeRon`. */
export function writeRonPart(value: Json, { place, ...context }: Context & { place: Place }): string {
  return write(context, value, place);
}

function write(context: Context, value: Json, place: Place): string {
  if (context.depth > MAX_DEPTH)
    throw new HubError("invalid", `this rule is nested deeper than ${MAX_DEPTH} levels: make it flatter`);
  if (typeof value === "string") return ronText(value);
  if (typeof value === "number") return numberLiteral(value);
  if (typeof value === "boolean") return String(value);
  if (value === null) return "()";
  return Array.isArray(value) ? writeList(context, value, place) : writeObject(context, value, place);
}

function writeList(context: Context, items: Json[], place: Place): string {
  const written = items.map((item) => write(deeper(context), item, place));
  return enclose({ open: "[", close: "]", parts: written, depth: context.depth, long: items.some(isObject) });
}

function writeObject(context: Context, value: JsonObject, place: Place): string {
  const keys = Object.keys(value);
  const forbidden = keys.find((key) => FORBIDDEN_KEYS.has(key));
  if (forbidden !== undefined) throw new HubError("invalid", `the key "${forbidden}" is not allowed: leave it out`);
  const asMap = needsMap(value, place);
  const name = !asMap && place === "variant" && typeof value.type === "string" ? nameOfType(value.type) : undefined;
  const members = name === undefined ? keys : keys.filter((key) => key !== "type");
  const written = members.map((key) => {
    const content = write(deeper(context), value[key] ?? null, placeUnder(context.shape, { key, place }));
    return `${asMap ? ronText(key) : key}: ${content}`;
  });
  if (name !== undefined && written.length === 0) return name;
  const brackets = asMap ? { open: "{", close: "}" } : { open: `${name ?? ""}(`, close: ")" };
  return enclose({ ...brackets, parts: written, depth: context.depth, long: place === "rule" });
}

// `()` would be nothing, and a struct without a type could be taken for a wrapper around what it holds.
function needsMap(value: JsonObject, place: Place): boolean {
  const keys = Object.keys(value);
  if (!keys.every(isPlainName)) return true;
  if (place === "rule") return false;
  return keys.length === 0 || (place === "variant" && !Object.hasOwn(value, "type"));
}

function deeper({ shape, depth }: Context): Context {
  return { shape, depth: depth + 1 };
}

interface Enclosed {
  open: string;
  close: string;
  parts: string[];
  depth: number;
  /** One line for each part, however short they are. */
  long: boolean;
}

function enclose({ open, close, parts, depth, long }: Enclosed): string {
  const width = parts.reduce((sum, part) => sum + part.length + 2, INDENT.length * depth + open.length);
  if (parts.length === 0 || (!long && width <= MAX_WIDTH && !parts.some((part) => part.includes("\n"))))
    return `${open}${parts.join(", ")}${close}`;
  const indent = INDENT.repeat(depth + 1);
  return `${open}\n${parts.map((part) => `${indent}${part},\n`).join("")}${INDENT.repeat(depth)}${close}`;
}

// Invisible characters are written as escapes, so that one sees what a text holds.
const INVISIBLE = /[\p{Cc}\u00a0\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function ronText(text: string): string {
  return quote(text, (hex) => `\\u{${hex}}`);
}

/** `escapeCode` is the language's escape for a character by its number, in hexadecimal. */
export function quote(text: string, escapeCode: (hex: string) => string): string {
  if (!text.isWellFormed())
    throw new HubError("invalid", "a text holds half of a character (a lone surrogate), which no file can: replace it");
  const inner = text
    .replace(/["\\]/g, "\\$&")
    .replace(INVISIBLE, (char) => NAMED[char] ?? escapeCode(char.charCodeAt(0).toString(16)));
  return `"${inner}"`;
}

/** The same in RON, TOML and JavaScript. Whole numbers beyond 2^53 are floats, which need not be exact. */
export function numberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new HubError("invalid", `a rule cannot hold ${value}: give a finite number`);
  if (Object.is(value, -0)) return "-0.0";
  const literal = String(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !literal.includes("e") ? `${literal}.0` : literal;
}

/** Whether a key needs no quotes in a struct. RON has raw ones (`r#a-b`) too, but they are hard to read. */
function isPlainName(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key);
}
