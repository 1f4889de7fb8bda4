// What the edits of a text need to know of the language it is written in.
import { afterTomlVoid } from "../../../kit/schema/toml.ts";
import type { RuleFormat } from "../detect.ts";
import { createCursor, skipTrivia } from "../ron/cursor.ts";
import { numberLiteral, quote, ronText } from "../ron/write.ts";

/** What can be set at the top of a rule, beside lists of texts. */
export type Scalar = string | number | boolean;

export interface Syntax {
  format: RuleFormat;
  text: string;
  newline: "\n" | "\r\n";
  literal(value: Scalar): string;
  /** The next offset that is neither white space nor comment. */
  afterTrivia(offset: number): number;
  /** Whether only blanks and a comment remain of the line; the offset of its end if so. */
  endOfLine(offset: number): number | undefined;
}

export interface Splice {
  start: number;
  end: number;
  text: string;
}

export function syntaxOf(text: string, format: RuleFormat): Syntax {
  const isRon = format === "ron";
  const rest = isRon ? /^[ \t]*(?:\/\/.*|\/\*[^*\n]*\*\/[ \t]*)?$/ : /^[ \t]*(?:#.*)?$/;
  return {
    format,
    text,
    newline: text.includes("\r\n") ? "\r\n" : "\n",
    literal: (value) => scalarLiteral(value, isRon ? ronText : tomlText),
    afterTrivia: (offset) => (isRon ? afterRonTrivia(text, offset) : afterTomlVoid(text, offset)),
    endOfLine(offset) {
      const end = lineEnd(text, offset);
      return rest.test(text.slice(offset, end)) ? end : undefined;
    },
  };
}

/** Several changes to a text, none of which overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** The white space before what begins here, if it is the first thing on its line. */
export function indentOf(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*$/.test(before) && text.slice(0, offset).includes("\n") ? before : undefined;
}

/** The offset of the line's end, before its `\r` if it has one. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  const end = newline < 0 ? text.length : newline;
  return end > offset && text[end - 1] === "\r" ? end - 1 : end;
}

function scalarLiteral(value: Scalar, quote: (text: string) => string): string {
  if (typeof value === "string") return quote(value);
  return typeof value === "number" ? numberLiteral(value) : String(value);
}

function tomlText(text: string): string {
  return quote(text, (hex) => `\\u${hex.padStart(4, "0")}`);
}

function afterRonTrivia(text: string, offset: number): number {
  const cursor = { ...createCursor(text), at: offset };
  skipTrivia(cursor);
  return cursor.at;
}
