// RON's single values. Texts, characters and bytes: "…" with escapes, r#"…"# without, 'x', and each with a b in front.
// Numbers: decimal, hexadecimal, octal, binary, floats, `_` anywhere after a digit, and Rust's type suffixes. What
// JavaScript would round is refused: an integer must come out as it was written.
import { atEnd, type Cursor, found, looksAt, report, stop, take, takeMatch } from "./cursor.ts";
import type { RonNode } from "./tree.ts";

const TEXT_BEGINNINGS: ReadonlySet<string> = new Set("\"'rb“”„‟«»‘’‚‹›");
const RAW_OPENING = /b?r(#*)"/y;
const PLAIN_RUN = /[^"\\]*/y;
const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\}|([nrt0"'\\]))/y;
const SIMPLE: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "0": "\0" };
const CURLY_QUOTED = /([“”„‟«»])([^“”„‟«»"\n]*)[“”„‟«»"]?|([‘’‚‹›])([^‘’‚‹›'\n]*)[‘’‚‹›']?/y;

/** A text, character, byte or byte string, or undefined where none begins. */
export function takeText(cursor: Cursor): RonNode | undefined {
  const start = cursor.at;
  if (!TEXT_BEGINNINGS.has(cursor.text[start] ?? "")) return undefined;
  if (looksAt(cursor, RAW_OPENING)) return raw(cursor);
  if (looksAt(cursor, /b?"/y)) return quoted(cursor);
  if (looksAt(cursor, /b?'/y)) return character(cursor);
  const curly = takeMatch(cursor, CURLY_QUOTED);
  if (curly === undefined) return undefined;
  report(cursor, start, 'this is a typographic quotation mark: a text needs straight ones, "…"');
  return { kind: "string", value: curly[2] ?? curly[4] ?? "", start, end: cursor.at };
}

function quoted(cursor: Cursor): RonNode {
  const start = cursor.at;
  const bytes = take(cursor, "b");
  take(cursor, '"');
  const parts: Part[] = [];
  for (;;) {
    const run = takeMatch(cursor, PLAIN_RUN)?.[0] ?? "";
    if (run !== "") parts.push(run);
    if (take(cursor, '"')) break;
    if (atEnd(cursor)) stop(cursor, start, 'this text is never closed: it begins here and its closing `"` is missing');
    const part = takeEscape(cursor);
    if (part !== undefined) parts.push(part);
  }
  cursor.lastText = { start, end: cursor.at };
  return bytes
    ? { kind: "bytes", value: bytesOf(parts), start, end: cursor.at }
    : { kind: "string", value: textOf(cursor, { parts, start }), start, end: cursor.at };
}

function raw(cursor: Cursor): RonNode {
  const start = cursor.at;
  const bytes = cursor.text[start] === "b";
  const hashes = takeMatch(cursor, RAW_OPENING)?.[1] ?? "";
  const end = cursor.text.indexOf(`"${hashes}`, cursor.at);
  if (end < 0) stop(cursor, start, `this raw text is never closed: \`"${hashes}\` is missing`);
  const value = cursor.text.slice(cursor.at, end);
  cursor.at = end + 1 + hashes.length;
  return bytes
    ? { kind: "bytes", value: Buffer.from(value), start, end: cursor.at }
    : { kind: "string", value, start, end: cursor.at };
}

/** `'x'` is a text of one character, `b'x'` a number. */
function character(cursor: Cursor): RonNode {
  const start = cursor.at;
  const byte = take(cursor, "b");
  take(cursor, "'");
  const part = looksAt(cursor, /\\/y) ? takeEscape(cursor) : takeMatch(cursor, /[^'\\\n]|'(?=')/uy)?.[0];
  if (part === undefined || !take(cursor, "'")) return notOneCharacter(cursor, start);
  const bytes = bytesOf([part]);
  if (!byte) return { kind: "string", value: textOf(cursor, { parts: [part], start }), start, end: cursor.at };
  if (bytes.length > 1)
    report(cursor, start, "b'…' holds one byte, which is one ASCII character or \\x and two digits");
  return { kind: "number", value: bytes[0] ?? 0, start, end: cursor.at };
}

function notOneCharacter(cursor: Cursor, start: number): RonNode {
  cursor.at = start;
  const match = takeMatch(cursor, /b?'([^'\\\n]*(?:\\.[^'\\\n]*)*)'/uy);
  const mend = "single quotes hold one character; a text needs double quotes";
  if (match === undefined) stop(cursor, start, `${mend}, and the closing quote is missing`);
  report(cursor, start, `${mend}: "${(match[1] ?? "").slice(0, 40)}"`);
  return { kind: "string", value: match[1] ?? "", start, end: cursor.at };
}

/** Characters, or a byte that was written as `\xNN`. */
type Part = string | number;

function takeEscape(cursor: Cursor): Part | undefined {
  const start = cursor.at;
  const match = takeMatch(cursor, ESCAPE);
  if (match === undefined) return wrongEscape(cursor);
  const [, byte, codePoint, simple = ""] = match;
  if (byte !== undefined) return Number.parseInt(byte, 16);
  if (codePoint === undefined) return SIMPLE[simple] ?? simple;
  const code = Number.parseInt(codePoint, 16);
  if (code <= 0x10ffff && (code & 0xfffff800) !== 0xd800) return String.fromCodePoint(code);
  report(cursor, start, `\\u{${codePoint}} is not a character`);
  return undefined;
}

function wrongEscape(cursor: Cursor): undefined {
  const start = cursor.at++;
  const hint = looksAt(cursor, /u[0-9A-Fa-f]{4}/y)
    ? "RON writes \\u{…} with braces"
    : looksAt(cursor, /x/y)
      ? "\\x takes two hexadecimal digits"
      : 'RON knows \\n \\r \\t \\0 \\" \\\' \\\\ \\x41 \\u{1F600}; for a backslash itself write \\\\, or a raw text r"…"';
  report(cursor, start, `after this backslash ${found(cursor)} means nothing: ${hint}`);
  takeMatch(cursor, /[\s\S]/uy);
  return undefined;
}

function bytesOf(parts: readonly Part[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part))));
}

// `\x` may spell the bytes of one character in UTF-8, as in Rust's byte strings.
function textOf(cursor: Cursor, { parts, start }: { parts: readonly Part[]; start: number }): string {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(parts));
  } catch {
    report(
      cursor,
      start,
      "the \\x escapes in this text do not make characters: for U+00B0 write \\u{b0} or \\xc2\\xb0",
    );
    return "";
  }
}

/** Everything that could belong to a number, so that `12abc` is one wrong number and not a number and a word. */
const NUMBER_LIKE =
  /[+-]?(?:\.?[0-9]|(?=(?:inf|NaN)(?:f32|f64)?(?!\p{XIDC})))(?:[eE][+-](?=[0-9_])|[0-9A-Za-z_.%°])*/uy;
const NUMBER_BEGINNINGS: ReadonlySet<string> = new Set("+-.0123456789iN");
const SMALL_INTEGER = /^[0-9]{1,15}$/;
const INTEGER =
  /^([+-]?)(0x[0-9a-fA-F][0-9a-fA-F_]*|0o[0-7][0-7_]*|0b[01][01_]*|[0-9][0-9_]*)([iu](?:8|16|32|64|128))?$/;
const FLOAT =
  /^[+-]?(?:inf|NaN|(?:[0-9][0-9_]*(?:\.(?:[0-9][0-9_]*)?)?|\.[0-9][0-9_]*)(?:[eE][+-]?_*[0-9][0-9_]*)?)(?:f32|f64)?$/;
// The longest integer RON knows has 128 binary digits.
const MAX_DIGITS = "0b".length + 128;

/** A number, or undefined where none begins. A wrong one is reported, and read as 0. */
export function takeNumber(cursor: Cursor): RonNode | undefined {
  const start = cursor.at;
  if (!NUMBER_BEGINNINGS.has(cursor.text[start] ?? "")) return undefined;
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
    return `a number has no unit: write ${shorten(raw.replace(/[A-Za-z%°]+$/, ""))} alone, in the unit of the key, or a duration as a text such as "5m"`;
  return `${shorten(raw)} is not a number; numbers look like 90, -5, 21.5, 1e3, 1_000 or 0xff`;
}

function shorten(raw: string): string {
  return raw.length > 40 ? `${raw.slice(0, 40)}…` : raw;
}
