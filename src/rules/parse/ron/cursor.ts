// Where the RON reader is in the text: what it skips, how it goes through brackets, and how it reports flaws. It
// reports and goes on where it is clear what was meant, and stops where everything after would be guessing.
import type { Flaw } from "../../../kit/schema/text-places.ts";

export interface Cursor {
  readonly text: string;
  at: number;
  /** Open brackets around `at`. */
  depth: number;
  readonly flaws: Flaw[];
  /** The text in quotes that was read last. */
  lastText: { start: number; end: number };
}

/** Ends the reading; what is wrong is in the cursor's flaws. Never leaves `readRon`. */
export class Unreadable extends Error {}

const MAX_FLAWS = 20;
// What ron-rs counts as white space; other spaces come from word processors and web pages.
const WHITE_SPACE = /[ \t\n\r\v\f\u0085\u200e\u200f\u2028\u2029]*/y;
const FOREIGN_SPACE = /[\u00a0\u2000-\u200d\u202f\u205f\u3000\ufeff]+/y;
const NAME = /[\p{XIDS}_]\p{XIDC}*/uy;
const RAW_NAME = /r#([\p{XIDC}.+-]+)/uy;
const LITERAL_PREFIX = /b["']|br["#]|r#*"/y;

export function createCursor(text: string): Cursor {
  return { text, at: text.startsWith("\uFEFF") ? 1 : 0, depth: 0, flaws: [], lastText: { start: 0, end: 0 } };
}

export function report(cursor: Cursor, offset: number, message: string): void {
  cursor.flaws.push({ offset, message });
  if (cursor.flaws.length >= MAX_FLAWS) throw new Unreadable();
}

export function stop(cursor: Cursor, offset: number, message: string): never {
  cursor.flaws.push({ offset, message });
  throw new Unreadable();
}

/** The match of a sticky expression here, which is taken. */
export function takeMatch(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text);
  if (match === null) return undefined;
  cursor.at = pattern.lastIndex;
  return match;
}

function skipMatch(cursor: Cursor, pattern: RegExp): void {
  pattern.lastIndex = cursor.at;
  if (pattern.test(cursor.text)) cursor.at = pattern.lastIndex;
}

export function looksAt(cursor: Cursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.at;
  return pattern.test(cursor.text);
}

export function take(cursor: Cursor, what: string): boolean {
  if (!cursor.text.startsWith(what, cursor.at)) return false;
  cursor.at += what.length;
  return true;
}

export function atEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.text.length;
}

/** An identifier, plain or raw (`r#type`), unless a text begins here whose prefix only looks like one. */
export function takeName(cursor: Cursor): string | undefined {
  const first = cursor.text[cursor.at];
  // Most names begin as nothing else does.
  if (first !== "b" && first !== "r") return takeMatch(cursor, NAME)?.[0];
  if (looksAt(cursor, LITERAL_PREFIX)) return undefined;
  return takeMatch(cursor, RAW_NAME)?.[1] ?? takeMatch(cursor, NAME)?.[0];
}

/** White space and comments. */
export function skipTrivia(cursor: Cursor): void {
  // Most often there is nothing to skip.
  if (isPlain(cursor)) return;
  do skipMatch(cursor, WHITE_SPACE);
  while (!isPlain(cursor) && (skipComment(cursor) || skipForeign(cursor)));
}

/** Whether what is here is neither white space nor a comment. */
function isPlain({ text, at }: Cursor): boolean {
  const code = text.charCodeAt(at);
  return code > 0x2f && code < 0x7f;
}

function skipComment(cursor: Cursor): boolean {
  const start = cursor.at;
  if (take(cursor, "//")) return skipLine(cursor);
  if (!take(cursor, "/*")) return false;
  const edge = /\/\*|\*\//g;
  edge.lastIndex = cursor.at;
  for (let open = 1; open > 0; ) {
    const match = edge.exec(cursor.text);
    if (match === null) stop(cursor, start, "this comment is never closed: `*/` is missing");
    open += match[0] === "/*" ? 1 : -1;
  }
  cursor.at = edge.lastIndex;
  return true;
}

function skipLine(cursor: Cursor): true {
  const end = cursor.text.indexOf("\n", cursor.at);
  cursor.at = end < 0 ? cursor.text.length : end;
  return true;
}

/** What is between values by mistake: it is reported once and skipped. */
function skipForeign(cursor: Cursor): boolean {
  const start = cursor.at;
  if (takeMatch(cursor, FOREIGN_SPACE) !== undefined) {
    reportOnce(cursor, start, "this looks like a space and is another character (copied text?): use a plain space");
    return true;
  }
  if (!looksAt(cursor, /#(?!\s*!)/y)) return false;
  reportOnce(cursor, start, "a comment begins with `//` in RON, not with `#`");
  return skipLine(cursor);
}

function reportOnce(cursor: Cursor, offset: number, message: string): void {
  if (!cursor.flaws.some((flaw) => flaw.message === message)) report(cursor, offset, message);
}

/** The character here, for a sentence. */
export function found(cursor: Cursor): string {
  const char = cursor.text.codePointAt(cursor.at);
  if (char === undefined) return "the end of the text";
  const shown = String.fromCodePoint(char);
  return /[\p{C}\p{Z}]/u.test(shown) ? `U+${char.toString(16).toUpperCase().padStart(4, "0")}` : `\`${shown}\``;
}

/** The 1-based line of an offset, for a sentence. */
function lineOf(cursor: Cursor, offset: number): number {
  return cursor.text.slice(0, offset).split("\n").length;
}

// A hundred actions inside each other, each with its list.
const MAX_DEPTH = 256;
const OPENERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

const NEXT_BEGINS = /[\p{XIDS}_"'[({0-9.+-]/uy;

interface Bracket {
  open: number;
  close: string;
  /** Where the last thing in it ended. */
  lastEnd: number;
}

/** Reads things between commas, from the opening bracket past the closing one; returns whether a comma came last. */
export function bracketed(cursor: Cursor, close: string, readOne: () => void): boolean {
  const bracket = { open: cursor.at, close, lastEnd: cursor.at };
  if (++cursor.depth > MAX_DEPTH) stop(cursor, cursor.at, `brackets nested deeper than ${MAX_DEPTH} are not read`);
  cursor.at++;
  let comma = false;
  for (;;) {
    skipTrivia(cursor);
    if (take(cursor, close)) break;
    if (atEnd(cursor)) unclosed(cursor, bracket);
    if (skipStrayComma(cursor)) continue;
    closedByAnother(cursor, bracket);
    readOne();
    bracket.lastEnd = cursor.at;
    skipTrivia(cursor);
    comma = take(cursor, ",");
    if (!comma && cursor.text[cursor.at] !== close) noComma(cursor, bracket);
  }
  cursor.depth--;
  return comma;
}

function skipStrayComma(cursor: Cursor): boolean {
  const start = cursor.at;
  if (!take(cursor, ",")) return false;
  report(cursor, start, "there is no value before this comma: remove the comma");
  return true;
}

function closedByAnother(cursor: Cursor, { open, close }: Bracket): void {
  const char = cursor.text[cursor.at] ?? "";
  if (!Object.hasOwn(OPENERS, char)) return;
  const opened = `the \`${OPENERS[close]}\` of line ${lineOf(cursor, open)}`;
  stop(cursor, cursor.at, `${opened} must be closed with \`${close}\` before \`${char}\` can come`);
}

function unclosed(cursor: Cursor, { open, close }: Bracket): never {
  stop(cursor, open, `this \`${OPENERS[close]}\` is never closed: \`${close}\` is missing`);
}

/** Goes on when the next thing plainly begins; stops when it does not. */
function noComma(cursor: Cursor, bracket: Bracket): void {
  if (atEnd(cursor)) unclosed(cursor, bracket);
  closedByAnother(cursor, bracket);
  const { lastEnd, close } = bracket;
  if (take(cursor, ";")) {
    report(cursor, cursor.at - 1, "a comma separates the values, not `;`");
    return;
  }
  if (cursor.lastText.end === lastEnd) runawayText(cursor);
  if (cursor.at === lastEnd && looksAt(cursor, /(?<=[0-9])[:/-][0-9]/y))
    stop(cursor, lastEnd, 'a time or date is a text in quotes: "07:00"');
  if (!looksAt(cursor, NEXT_BEGINS))
    stop(cursor, cursor.at, `expected \`,\` or \`${close}\` here, not ${found(cursor)}`);
  report(cursor, lastEnd, `\`,\` or \`${close}\` is missing after this value`);
}

/** A missing quotation mark shows only where the next text was meant to begin. */
function runawayText(cursor: Cursor): void {
  const { start, end } = cursor.lastText;
  if (cursor.text.slice(start, end).includes("\n"))
    stop(cursor, start, `this text goes on to line ${lineOf(cursor, end)}: its closing \`"\` seems to be missing here`);
  if (cursor.at === end && !atEnd(cursor))
    stop(cursor, end, 'the text ends before this: inside a text write `\\"` for `"`, and a `,` after the text');
}
