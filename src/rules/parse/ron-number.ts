// RON's numbers: decimal, hexadecimal, octal, binary, floats, `_` anywhere after a digit, and Rust's type suffixes.
// What JavaScript would round is refused, never changed: an integer must come out as it was written.
import { type Cursor, report, takeMatch } from "./ron-cursor.ts";
import type { RonNode } from "./ron-tree.ts";

/** Everything that could belong to a number, so that `12abc` is one wrong number and not a number and a word. */
const NUMBER_LIKE =
  /[+-]?(?:\.?[0-9]|(?=(?:inf|NaN)(?:f32|f64)?(?!\p{XIDC})))(?:[eE][+-](?=[0-9_])|[0-9A-Za-z_.%°])*/uy;
const BEGINNINGS: ReadonlySet<string> = new Set("+-.0123456789iN");
const SMALL_INTEGER = /^[0-9]{1,15}$/;
const INTEGER =
  /^([+-]?)(0x[0-9a-fA-F][0-9a-fA-F_]*|0o[0-7][0-7_]*|0b[01][01_]*|[0-9][0-9_]*)([iu](?:8|16|32|64|128))?$/;
const FLOAT =
  /^[+-]?(?:inf|NaN|(?:[0-9][0-9_]*(?:\.(?:[0-9][0-9_]*)?)?|\.[0-9][0-9_]*)(?:[eE][+-]?_*[0-9][0-9_]*)?)(?:f32|f64)?$/;
// The longest integer RON knows has 128 binary digits.
const MAX_DIGITS = "0b".length + 128;

/** A number, or undefined where none begins. A wrong one is reported and stands for 0. */
export function takeNumber(cursor: Cursor): RonNode | undefined {
  const start = cursor.at;
  if (!BEGINNINGS.has(cursor.text[start] ?? "")) return undefined;
  const raw = takeMatch(cursor, NUMBER_LIKE)?.[0];
  if (raw === undefined) return undefined;
  const value = parseNumber(raw);
  if (typeof value === "string") report(cursor, start, value);
  return { kind: "number", value: typeof value === "string" ? 0 : value, start, end: cursor.at };
}

/** The number, or what is wrong with it. */
function parseNumber(raw: string): number | string {
  if (SMALL_INTEGER.test(raw)) return Number(raw);
  const integer = INTEGER.exec(raw);
  if (integer !== null) return integerOf(raw, integer);
  if (!FLOAT.test(raw)) return wrongNumber(raw);
  const value = floatOf(raw);
  const isLiteral = /inf|NaN/.test(raw);
  return Number.isFinite(value) || isLiteral ? value : `${shorten(raw)} is too large for a number`;
}

function floatOf(raw: string): number {
  const digits = raw.replace(/f(?:32|64)$/, "").replaceAll("_", "");
  if (digits.endsWith("inf")) return digits.startsWith("-") ? -Infinity : Infinity;
  return Number(digits.replace(/^\+/, ""));
}

function integerOf(raw: string, [, sign, magnitude = "", suffix]: RegExpExecArray): number | string {
  const digits = magnitude.replaceAll("_", "");
  if (digits.length > MAX_DIGITS) return `${shorten(raw)} is too large for a number`;
  const exact = BigInt(digits) * (sign === "-" ? -1n : 1n);
  if (suffix !== undefined && !fits(exact, suffix)) return `${shorten(raw)} does not fit into ${suffix}`;
  const value = Number(exact);
  return BigInt(value) === exact
    ? value
    : `${shorten(raw)} cannot be held exactly (beyond ±2^53): write it as a text, "${shorten(raw)}"`;
}

function fits(value: bigint, suffix: string): boolean {
  const bits = Number(suffix.slice(1));
  return value === (suffix.startsWith("i") ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
}

function wrongNumber(raw: string): string {
  const unit = /^[+-]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:ms|s|sec|secs|min|m|h|d|°?[CF]|°|W|V|%)$/.test(raw);
  if (unit)
    return `a number carries no unit: ${shorten(raw.replace(/[A-Za-z%°]+$/, ""))} alone, in the unit the key asks for`;
  return `${shorten(raw)} is not a number; numbers look like 90, -5, 21.5, 1e3, 1_000 or 0xff`;
}

function shorten(raw: string): string {
  return raw.length > 40 ? `${raw.slice(0, 40)}…` : raw;
}
