// RON text into a tree with places. Follows ron-rs (docs/grammar.md and its parser, 0.12), and beyond it says what was
// meant where something else was written. Nothing here knows what a rule is.
import { type Flaw, type TextProblem, toProblems } from "../../core/text-places.ts";
import { takeAttributes } from "./ron-attributes.ts";
import { bracketed } from "./ron-brackets.ts";
import {
  atEnd,
  type Cursor,
  createCursor,
  found,
  report,
  skipTrivia,
  stop,
  take,
  takeName,
  Unreadable,
} from "./ron-cursor.ts";
import { skipSeparator, takeFieldName } from "./ron-field.ts";
import { takeNumber } from "./ron-number.ts";
import { takeText } from "./ron-text.ts";
import type { RonEntry, RonField, RonNode } from "./ron-tree.ts";

export type RonResult = { ok: true; tree: RonNode } | { ok: false; problems: TextProblem[] };

const CONSTANTS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

export function parseRon(text: string): RonResult {
  const result = readRon(text);
  return result.ok ? result : { ok: false, problems: toProblems(text, result.flaws) };
}

/** As `parseRon`, with offsets instead of lines. */
export function readRon(text: string): { ok: true; tree: RonNode } | { ok: false; flaws: Flaw[] } {
  const cursor = createCursor(text);
  try {
    const tree = document(cursor);
    if (cursor.flaws.length === 0) return { ok: true, tree };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  return { ok: false, flaws: cursor.flaws };
}

function document(cursor: Cursor): RonNode {
  takeAttributes(cursor);
  if (atEnd(cursor)) stop(cursor, cursor.at, "there is no value here: a rule begins with `(`");
  const tree = value(cursor);
  skipTrivia(cursor);
  if (!atEnd(cursor)) stop(cursor, cursor.at, trailing(cursor, tree));
  return tree;
}

function trailing(cursor: Cursor, tree: RonNode): string {
  const next = cursor.text[cursor.at] ?? "";
  if (tree.kind === "name" && (next === ":" || next === "="))
    return `a rule stands in parentheses: \`(\` is missing before \`${tree.name}\`, and \`)\` at the end`;
  if (")]}".includes(next)) return `\`${next}\` closes nothing: everything that was opened is closed already`;
  return `the value has ended before this: ${found(cursor)} is too much (a file holds one rule)`;
}

function value(cursor: Cursor): RonNode {
  const start = cursor.at;
  const simple = takeText(cursor) ?? takeNumber(cursor);
  if (simple !== undefined) return simple;
  switch (cursor.text[start]) {
    case "(":
      return parentheses(cursor, start);
    case "[":
      return list(cursor);
    case "{":
      return map(cursor);
  }
  const name = takeName(cursor);
  return name === undefined ? missing(cursor) : named(cursor, { name, start });
}

function missing(cursor: Cursor): RonNode {
  const start = cursor.at;
  if (atEnd(cursor)) stop(cursor, start, "the text ends where a value should stand");
  if (!",)]}".includes(cursor.text[start] ?? ""))
    stop(cursor, start, `a value should stand here, not ${found(cursor)}`);
  report(cursor, start, `a value is missing before ${found(cursor)}`);
  return { kind: "unit", start, end: start };
}

function list(cursor: Cursor): RonNode {
  const start = cursor.at;
  const items: RonNode[] = [];
  bracketed(cursor, "]", () => items.push(value(cursor)));
  return { kind: "list", items, start, end: cursor.at };
}

function map(cursor: Cursor): RonNode {
  const start = cursor.at;
  const entries: RonEntry[] = [];
  bracketed(cursor, "}", () => {
    const key = value(cursor);
    skipSeparator(cursor, cursor.text.slice(key.start, Math.min(key.end, key.start + 40)));
    entries.push({ key, value: value(cursor) });
  });
  return { kind: "map", entries, start, end: cursor.at };
}

/** `(`…`)`, with or without a name before: fields if the first thing in it is `name:`, else values. */
function parentheses(cursor: Cursor, start: number, name?: string): RonNode {
  const fields: RonField[] = [];
  const items: RonNode[] = [];
  const trailingComma = bracketed(cursor, ")", () => {
    const at = cursor.at;
    const key = takeFieldName(cursor, { expected: fields.length > 0 });
    if (key === undefined) items.push(value(cursor));
    else if (items.length > 0) stop(cursor, at, "either all of these are `name: value` or none is");
    else fields.push({ name: key, at, value: value(cursor) });
  });
  const span = { start, end: cursor.at, ...(name !== undefined && { name }) };
  if (items.length > 0) return { kind: "tuple", items, trailingComma, ...span };
  return fields.length > 0 || name !== undefined ? { kind: "struct", fields, ...span } : { kind: "unit", ...span };
}

function named(cursor: Cursor, { name, start }: { name: string; start: number }): RonNode {
  const last = lastSegment(cursor, { name, start });
  const end = cursor.at;
  skipTrivia(cursor);
  const opens = cursor.text[cursor.at] === "(";
  if (last === "Some") return some(cursor, start);
  if (opens) return parentheses(cursor, start, last);
  cursor.at = end;
  const span = { start, end };
  const constant = CONSTANTS.get(last);
  if (constant !== undefined) return { kind: "bool", value: constant, ...span };
  if (last === "None") return { kind: "option", ...span };
  return mistaken(cursor, { name: last, start }) ?? { kind: "name", name: last, ...span };
}

/** Words of other languages for RON's constants. */
function mistaken(cursor: Cursor, { name, start }: { name: string; start: number }): RonNode | undefined {
  const span = { start, end: cursor.at };
  if (/^(?:true|false)$/i.test(name)) {
    report(cursor, start, `\`${name}\` is written in small letters: ${name.toLowerCase()}`);
    return { kind: "bool", value: name.toLowerCase() === "true", ...span };
  }
  if (!/^(?:null|nil|none|undefined)$/i.test(name)) return undefined;
  report(cursor, start, `\`${name}\` is written \`None\` in RON; a key without a value may as well be left out`);
  return { kind: "option", ...span };
}

/** Rust's `Trigger::Cron` is `Cron` in RON. */
function lastSegment(cursor: Cursor, { name, start }: { name: string; start: number }): string {
  let last = name;
  while (take(cursor, "::")) {
    const next = takeName(cursor);
    if (next === undefined) stop(cursor, cursor.at, `a name should stand after \`::\`, not ${found(cursor)}`);
    report(cursor, start, `\`${last}::\` is too much: RON writes the last name alone, \`${next}\``);
    last = next;
  }
  return last;
}

function some(cursor: Cursor, start: number): RonNode {
  const at = cursor.at;
  if (cursor.text[at] !== "(") stop(cursor, at, "`Some` holds a value in parentheses: `Some(5)`");
  const inner = parentheses(cursor, at);
  const only = inner.kind === "tuple" ? inner.items : [];
  const fields = inner.kind === "struct" ? inner : undefined;
  if (fields !== undefined)
    report(cursor, at, "`Some` holds one value: a struct in it needs its own parentheses, `Some((name: value))`");
  else if (only.length !== 1) report(cursor, at, "`Some` holds exactly one value: `Some(5)`, or `None` for none");
  return { kind: "option", value: only[0] ?? inner, start, end: cursor.at };
}
