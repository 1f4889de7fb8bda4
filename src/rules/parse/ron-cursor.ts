// The place where the RON reader stands, what it skips, and how it complains: `report` and go on where it is clear what
// was meant, `stop` where everything after would be guessing.
import type { Flaw } from "../../core/text-places.ts";

export interface Cursor {
  readonly text: string;
  at: number;
  /** Open brackets around `at`. */
  depth: number;
  readonly flaws: Flaw[];
  /** The text in quotes that was read last. */
  lastText: { start: number; end: number };
}

/** Ends the reading; what is wrong stands in the cursor's flaws. Never leaves `parseRon`. */
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
  if (looksAt(cursor, LITERAL_PREFIX)) return undefined;
  return takeMatch(cursor, RAW_NAME)?.[1] ?? takeMatch(cursor, NAME)?.[0];
}

/** White space and comments. */
export function skipTrivia(cursor: Cursor): void {
  // Most often nothing stands here.
  const code = cursor.text.charCodeAt(cursor.at);
  if (code > 0x2f && code < 0x7f) return;
  do takeMatch(cursor, WHITE_SPACE);
  while (skipComment(cursor) || skipForeign(cursor));
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

/** What stands between values by mistake: it is told once and passed over. */
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

/** What stands here, for a sentence. */
export function found(cursor: Cursor): string {
  const char = cursor.text.codePointAt(cursor.at);
  if (char === undefined) return "the end of the text";
  const shown = String.fromCodePoint(char);
  return /[\p{C}\p{Z}]/u.test(shown) ? `U+${char.toString(16).toUpperCase().padStart(4, "0")}` : `\`${shown}\``;
}

/** The 1-based line of an offset, for a sentence. */
export function lineOf(cursor: Cursor, offset: number): number {
  return cursor.text.slice(0, offset).split("\n").length;
}
