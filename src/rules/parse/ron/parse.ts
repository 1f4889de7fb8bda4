// RON text into a tree with places. Follows ron-rs (its grammar and its parser, 0.12), and says what was meant where
// something else was written. Nothing here knows what a rule is.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import type { Flaw } from "../../../kit/schema/text-places.ts";
import {
  atEnd,
  bracketed,
  type Cursor,
  createCursor,
  found,
  looksAt,
  report,
  skipTrivia,
  stop,
  take,
  takeMatch,
  takeName,
  Unreadable,
} from "./cursor.ts";
import type { RonEntry, RonField, RonNode } from "./tree.ts";
import { takeNumber, takeText } from "./values.ts";

const CONSTANTS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

export type RonResult = { ok: true; tree: RonNode } | { ok: false; flaws: Flaw[] };

export function readRon(text: string): RonResult {
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
    return `a rule is written in parentheses: \`(\` is missing before \`${tree.name}\`, and \`)\` at the end`;
  if (")]}".includes(next)) return `\`${next}\` closes nothing, since every bracket is closed already: remove it`;
  return `the rule ends before this, and a file holds one rule: remove ${found(cursor)} and what follows`;
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
  if (atEnd(cursor)) stop(cursor, start, "the text ends here, and a value is expected");
  if (!",)]}".includes(cursor.text[start] ?? "")) stop(cursor, start, `expected a value here, not ${found(cursor)}`);
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
    else if (items.length > 0) stop(cursor, at, "write either all of these as `name: value` or none");
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
    if (next === undefined) stop(cursor, cursor.at, `expected a name after \`::\`, not ${found(cursor)}`);
    report(cursor, start, `RON writes the last name alone, \`${next}\`: remove \`${last}::\``);
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

const QUOTED_NAME = /"([^"\\\n]*)"(?=\s*[:=])/y;
const ENDS_VALUE = /[,)(\]}]/y;
const ENDS_NAME = /:(?!:)|[="]/y;
const SEPARATES = /:(?![:=>])/y;
const SEPARATES_ELSEWHERE = /[:=][=>]|->|=/y;

/**
 * Takes `name:` of a struct's field, up to its value. Undefined, and nothing taken, when something else is here; if a
 * name is expected, that ends the reading.
 */
function takeFieldName(cursor: Cursor, { expected }: { expected: boolean }): string | undefined {
  const start = cursor.at;
  const quoted = cursor.text[start] === '"' ? takeMatch(cursor, QUOTED_NAME)?.[1] : undefined;
  if (quoted !== undefined) report(cursor, start, `the keys of a struct have no quotes: ${quoted.slice(0, 40)}: …`);
  const name = quoted ?? takeName(cursor);
  const end = cursor.at;
  skipTrivia(cursor);
  const isField = name !== undefined && (expected ? !looksAt(cursor, ENDS_VALUE) : looksAt(cursor, ENDS_NAME));
  if (isField) {
    cursor.at = end;
    skipSeparator(cursor, name);
    return name;
  }
  cursor.at = start;
  if (expected) stop(cursor, start, `expected \`name: value\` here, not ${shown(cursor, name)}`);
  return undefined;
}

/** From the end of the key to its value. */
function skipSeparator(cursor: Cursor, key: string): void {
  const end = cursor.at;
  skipTrivia(cursor);
  const start = cursor.at;
  if (takeMatch(cursor, SEPARATES) !== undefined) {
    skipTrivia(cursor);
    return;
  }
  const sign = takeMatch(cursor, SEPARATES_ELSEWHERE)?.[0];
  if (sign !== undefined) report(cursor, start, `RON writes \`${key}: value\`, with \`:\` and not \`${sign}\``);
  else if (!take(cursor, ":")) {
    if (!looksAt(cursor, /[\p{XIDS}_"'[({0-9.+-]/uy))
      stop(cursor, start, `expected \`:\` after \`${key}\`, not ${found(cursor)}`);
    report(cursor, end, `\`:\` is missing after \`${key}\``);
  }
  skipTrivia(cursor);
}

function shown(cursor: Cursor, name: string | undefined): string {
  return name === undefined ? found(cursor) : `\`${name.slice(0, 40)}\` alone`;
}

const EXTENSIONS = ["unwrap_newtypes", "implicit_some", "unwrap_variant_newtypes", "explicit_struct_names"];

/**
 * Skips `#![enable(…)]`, `#![type = "…"]` and `#![schema = "…"]`. The extensions change what Rust's types accept; the
 * hub reads both spellings always, so they only have to be known.
 */
function takeAttributes(cursor: Cursor): void {
  skipTrivia(cursor);
  while (cursor.text[cursor.at] === "#") {
    const start = cursor.at;
    for (const sign of ["#", "!", "["]) expect(cursor, sign);
    const name = takeName(cursor);
    skipTrivia(cursor);
    if (name === "enable") enable(cursor);
    else if (name === "type" || name === "schema") setting(cursor);
    else stop(cursor, start, "an attribute is `#![enable(…)]`, `#![type = …]` or `#![schema = …]`");
    expect(cursor, "]");
  }
}

function enable(cursor: Cursor): void {
  expect(cursor, "(");
  do {
    if (cursor.text[cursor.at] === ")") break;
    const start = cursor.at;
    const name = takeName(cursor);
    if (name === undefined) stop(cursor, start, `expected the name of an extension here, not ${found(cursor)}`);
    if (!EXTENSIONS.includes(name)) report(cursor, start, unknownExtension(name));
    skipTrivia(cursor);
  } while (takeComma(cursor));
  expect(cursor, ")");
}

function unknownExtension(name: string): string {
  return `there is no extension \`${name.slice(0, 40)}\`${didYouMean(name.slice(0, 40), EXTENSIONS)}; RON has ${EXTENSIONS.join(", ")}`;
}

function setting(cursor: Cursor): void {
  expect(cursor, "=");
  if (takeText(cursor)?.kind !== "string") stop(cursor, cursor.at, 'expected a text after the `=`: "…"');
  skipTrivia(cursor);
}

function takeComma(cursor: Cursor): boolean {
  const taken = take(cursor, ",");
  skipTrivia(cursor);
  return taken;
}

function expect(cursor: Cursor, sign: string): void {
  if (!take(cursor, sign))
    stop(cursor, cursor.at, `\`${sign}\` is missing here: an attribute looks like \`#![enable(implicit_some)]\``);
  skipTrivia(cursor);
}
