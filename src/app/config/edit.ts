// Changes to hub.toml that touch only what they must: a value is replaced, a line or an entry added or removed, and every comment,
// blank and line end around it stays. What comes out has been read again and says what was asked for.
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Mark } from "../../kit/schema/text-places.ts";
import { parseToml } from "../../kit/schema/toml.ts";
import { listEdits } from "../../rules/parse/edit/list.ts";
import {
  applySplices,
  lineEnd,
  type Scalar,
  type Splice,
  type Syntax,
  syntaxOf,
} from "../../rules/parse/edit/syntax.ts";
import { tomlValue } from "../../rules/parse/edit/toml-blocks.ts";
import { expandEdit, nameOfPath, type PathEdit, valueAt, withValueAt } from "./edit-value.ts";

/** `[section] key = value`; with an `index`, in that entry of `[[section]]`. */
export interface ConfigEdit {
  section: string;
  index?: number;
  key: string;
  value: Scalar | string[];
}

/** Throws HubError `conflict` for a text that cannot be read, or where a value has no place that can be edited. */
export function editConfig(text: string, edits: readonly ConfigEdit[]): string {
  return editPaths(
    text,
    edits.map(({ section, index, key, value }) => ({
      path: index === undefined ? [section, key] : [section, index, key],
      value,
    })),
  );
}

/** The same for values of any kind, wherever they are; also takes values away. Throws as `editConfig` does. */
export function editPaths(text: string, edits: readonly PathEdit[]): string {
  return edits.reduce(editOne, text);
}

function editOne(text: string, edit: PathEdit): string {
  return expandEdit(tableOf(text), edit).reduce(setValue, text);
}

function tableOf(text: string): JsonObject {
  const read = parseToml(text);
  if (read.ok) return read.table;
  throw new HubError("conflict", `hub.toml cannot be read: ${read.flaw.message}; mend it first`);
}

function setValue(text: string, edit: PathEdit): string {
  const before = parseToml(text);
  if (!before.ok) throw new HubError("conflict", `hub.toml cannot be read: ${before.flaw.message}; mend it first`);
  const wanted = withValueAt(before.table, edit.path, edit.value);
  if (Bun.deepEquals(before.table, wanted)) return text;
  for (const splices of waysToSet(syntaxOf(text, "toml"), { root: before.mark, table: before.table }, edit)) {
    const edited = applySplices(text, splices);
    const after = parseToml(edited);
    if (after.ok && Bun.deepEquals(after.table, wanted)) return edited;
  }
  throw new HubError("conflict", `${nameOfPath(edit.path)} cannot be changed from here: edit hub.toml`);
}

interface Document {
  root: Mark;
  table: JsonObject;
}

/** Ways to write it, the most natural first; each is tried until the text says what was asked for. */
function* waysToSet(syntax: Syntax, document: Document, { path, value }: PathEdit): Generator<Splice[]> {
  const place = markAt(document.root, path);
  if (value === undefined) {
    if (place) yield* waysToRemove(syntax, place);
    return;
  }
  if (place !== undefined && place.start >= 0) {
    const old = valueAt(document.table, path);
    if (isTexts(old) && isTexts(value) && place.items) yield listEdits(syntax, place, { old, next: value });
    yield [{ start: place.start, end: place.end, text: tomlValue(value) }];
    return;
  }
  const key = path.at(-1);
  if (typeof key === "number") yield* waysToAppend(syntax, document.root, { path: path.slice(0, -1), value });
  else if (key !== undefined) yield* waysToAdd(syntax, document.root, { path: path.slice(0, -1), key, value });
}

interface Added {
  /** Of the table it goes into. */
  path: PathEdit["path"];
  key: string;
  value: Json;
}

function* waysToAdd({ text, newline }: Syntax, root: Mark, { path, key, value }: Added): Generator<Splice[]> {
  const line = `${key} = ${tomlValue(value)}`;
  const table = markAt(root, path);
  const heading = path.join(".");
  if (table === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : newline;
    yield [insertion(text.length, `${gap}${newline}[${heading}]${newline}${line}${newline}`)];
    return;
  }
  const end = Math.max(-1, ...[...(table.keys?.values() ?? [])].map((member) => member.end));
  if (table.start >= 0) {
    yield [insertion(end < 0 ? table.start + 1 : end, end < 0 ? ` ${line} ` : `, ${line}`)];
    return;
  }
  const example =
    text[table.at] === "[" ? commentedOut(text, key, { from: table.at, to: nextHeading(text, root, table.at) }) : -1;
  if (example >= 0) yield [insertion(example, newline + line)];
  if (end >= 0) {
    yield [insertion(lineEnd(text, end), newline + line)];
    yield [insertion(lineEnd(text, end), `${newline}${heading}.${line}`)];
  }
  yield [insertion(lineEnd(text, table.at), newline + line)];
  const gap = text.endsWith("\n") ? "" : newline;
  yield [insertion(text.length, `${gap}${newline}[${heading}]${newline}${line}${newline}`)];
}

/** A new entry of a list: as `[[list]]` behind all else, or in the brackets where the list is written so. */
function* waysToAppend(
  { text, newline }: Syntax,
  root: Mark,
  { path, value }: { path: PathEdit["path"]; value: Json },
): Generator<Splice[]> {
  const list = markAt(root, path);
  if (list !== undefined && list.start >= 0) {
    const last = list.items?.at(-1);
    yield [insertion(last?.end ?? list.start + 1, `${last ? ", " : ""}${tomlValue(value)}`)];
    // An empty list gives way to its first entry.
    if (!last) yield [wholeLines(text, list), entryAtEnd(text, newline, path, value)];
    return;
  }
  yield [entryAtEnd(text, newline, path, value)];
  // One inside an entry that is not the last of its list.
  const last = list?.items?.at(-1);
  if (last) yield [insertion(lineEnd(text, lastOf(last)), newline + entryLines(path, value).join(newline))];
}

function entryAtEnd(text: string, newline: string, path: PathEdit["path"], value: Json): Splice {
  const lines = [...entryLines(path, value), ""];
  return insertion(text.length, (text === "" || text.endsWith("\n") ? "" : newline) + lines.join(newline));
}

/** With an empty line before. */
function entryLines(path: PathEdit["path"], value: Json): string[] {
  const keys = isObject(value) ? Object.entries(value).map(([key, inner]) => `${key} = ${tomlValue(inner)}`) : [];
  return ["", `[[${path.filter((part) => typeof part === "string").join(".")}]]`, ...keys];
}

function* waysToRemove(syntax: Syntax, mark: Mark): Generator<Splice[]> {
  const { text } = syntax;
  if (mark.start < 0) {
    yield [wholeLines(text, mark)];
    return;
  }
  const isAlone = text.slice(text.lastIndexOf("\n", mark.at - 1) + 1, mark.at).trim() === "";
  if (isAlone && syntax.endOfLine(mark.end) !== undefined) yield [wholeLines(text, mark)];
  // In brackets or braces: with the comma behind it, or that before it.
  const next = syntax.afterTrivia(mark.end);
  if (text[next] === ",") yield [{ start: mark.at, end: next + 1 + blanksAt(text, next + 1), text: "" }];
  const before = /,\s*$/.exec(text.slice(0, mark.at));
  if (before) yield [{ start: before.index, end: mark.end, text: "" }];
  yield [{ start: mark.at, end: mark.end, text: "" }];
}

/** All lines of a key, or of a table with what is under its heading; the empty line before a table goes too. */
function wholeLines(text: string, mark: Mark): Splice {
  const lineStart = text.lastIndexOf("\n", mark.at - 1) + 1;
  const gap = mark.start < 0 ? (/(?:^|\n)(\r?\n)$/.exec(text.slice(0, lineStart))?.[1]?.length ?? 0) : 0;
  const newline = text.indexOf("\n", lastOf(mark));
  return { start: lineStart - gap, end: newline < 0 ? text.length : newline + 1, text: "" };
}

function lastOf(mark: Mark): number {
  const inside = [...(mark.keys?.values() ?? []), ...(mark.items ?? [])];
  return Math.max(mark.at, mark.end, ...inside.map(lastOf));
}

function blanksAt(text: string, offset: number): number {
  return /^[ \t]*/.exec(text.slice(offset))?.[0].length ?? 0;
}

function markAt(root: Mark, path: PathEdit["path"]): Mark | undefined {
  return path.reduce<Mark | undefined>(
    (mark, part) => (typeof part === "number" ? mark?.items?.[part] : mark?.keys?.get(part)),
    root,
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** The end of the line `# key = …` of a section, which shows where the key belongs; -1 where there is none. */
function commentedOut(text: string, key: string, { from, to }: { from: number; to: number }): number {
  const found = new RegExp(`^[ \\t]*#[ \\t]*${key}[ \\t]*=`, "m").exec(text.slice(from, to));
  return found ? lineEnd(text, from + found.index + found[0].length) : -1;
}

/** Where the next table begins. */
function nextHeading(text: string, root: Mark, after: number): number {
  const headings: number[] = [text.length];
  const collect = (mark: Mark): void => {
    if (mark.at > after && text[mark.at] === "[") headings.push(mark.at);
    for (const inner of [...(mark.keys?.values() ?? []), ...(mark.items ?? [])]) collect(inner);
  };
  collect(root);
  return Math.min(...headings);
}
