// Single values and names as RON and TOML spell them.
import { HubError } from "../../core/errors.ts";

/** What a value is that fits on one line: what can be set at the top of a rule. */
export type Scalar = string | number | boolean;

// Invisible characters are written as escapes, so that one sees what a text holds.
const INVISIBLE = /[\p{Cc}\u00a0\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function ronText(text: string): string {
  return quote(text, (hex) => `\\u{${hex}}`);
}

export function tomlText(text: string): string {
  return quote(text, (hex) => `\\u${hex.padStart(4, "0")}`);
}

function quote(text: string, escapeCode: (hex: string) => string): string {
  if (!text.isWellFormed())
    throw new HubError("invalid", "a text holds half of a character (a lone surrogate), which no file can: replace it");
  const inner = text
    .replace(/["\\]/g, "\\$&")
    .replace(INVISIBLE, (char) => NAMED[char] ?? escapeCode(char.charCodeAt(0).toString(16)));
  return `"${inner}"`;
}

/** The same in RON, TOML and JavaScript. Whole numbers beyond 2^53 are floats, which need not be exact. */
export function numberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new HubError("invalid", `${value} cannot stand in a rule: give a finite number`);
  if (Object.is(value, -0)) return "-0.0";
  const literal = String(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !literal.includes("e") ? `${literal}.0` : literal;
}

/** Whether a key can stand in a struct as it is; RON knows raw ones (`r#a-b`) too, but nobody likes to read those. */
export function isPlainName(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key);
}
