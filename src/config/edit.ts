// Changes to hub.toml that touch only what they must: a value is replaced or a line added, and every comment, blank and line
// end around it stays. What comes out has been read again and says what was asked for.
import { HubError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Mark } from "../core/text-places.ts";
import { parseToml } from "../core/toml.ts";
import { applySplices, lineEnd, type Scalar, type Splice, type Syntax, syntaxOf } from "../rules/parse/edit/syntax.ts";

/** `[section] key = value`; with an `index`, in that entry of `[[section]]`. */
export interface ConfigEdit {
  section: string;
  index?: number;
  key: string;
  value: Scalar | string[];
}

/** Throws HubError `conflict` for a text that cannot be read, or where a value has no place that can be edited. */
export function editConfig(text: string, edits: readonly ConfigEdit[]): string {
  return edits.reduce(setKey, text);
}

function setKey(text: string, edit: ConfigEdit): string {
  const before = parseToml(text);
  if (!before.ok) throw new HubError("conflict", `hub.toml cannot be read: ${before.flaw.message}; mend it first`);
  const wanted = withValue(before.table, edit);
  if (Bun.deepEquals(before.table, wanted)) return text;
  for (const splice of waysToSet(syntaxOf(text, "toml"), before.mark, edit)) {
    const edited = applySplices(text, [splice]);
    const after = parseToml(edited);
    if (after.ok && Bun.deepEquals(after.table, wanted)) return edited;
  }
  throw new HubError("conflict", `[${edit.section}] ${edit.key} cannot be changed from here: edit hub.toml`);
}

function withValue(table: JsonObject, { section, index, key, value }: ConfigEdit): JsonObject {
  const old = table[section];
  if (index === undefined) return { ...table, [section]: { ...(old as JsonObject | undefined), [key]: value } };
  if (!Array.isArray(old) || index >= old.length)
    throw new HubError("conflict", `hub.toml has no such entry of [[${section}]] any more`);
  return {
    ...table,
    [section]: old.map((entry, at) => (at === index ? { ...(entry as object), [key]: value } : entry)),
  };
}

/** Ways to write it, the most natural first; each is tried until the text says what was asked for. */
function* waysToSet(syntax: Syntax, root: Mark, { section, index, key, value }: ConfigEdit): Generator<Splice> {
  const { text, newline } = syntax;
  const whole = root.keys?.get(section);
  const table = index === undefined ? whole : whole?.items?.[index];
  const literal = literalOf(syntax, value);
  const line = `${key} = ${literal}`;
  if (table === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : newline;
    yield insertion(text.length, `${gap}${newline}[${section}]${newline}${line}${newline}`);
    return;
  }
  const place = table.keys?.get(key);
  if (place !== undefined && place.start >= 0) {
    yield { start: place.start, end: place.end, text: literal };
    return;
  }
  const end = Math.max(-1, ...[...(table.keys?.values() ?? [])].map((member) => member.end));
  if (table.start >= 0) {
    yield insertion(end < 0 ? table.start + 1 : end, end < 0 ? ` ${line} ` : `, ${line}`);
    return;
  }
  const example =
    text[table.at] === "[" ? commentedOut(text, key, { from: table.at, to: nextHeading(text, root, table.at) }) : -1;
  if (example >= 0) yield insertion(example, newline + line);
  if (end >= 0) {
    yield insertion(lineEnd(text, end), newline + line);
    yield insertion(lineEnd(text, end), `${newline}${section}.${line}`);
  }
  yield insertion(lineEnd(text, table.at), newline + line);
}

function literalOf(syntax: Syntax, value: ConfigEdit["value"]): string {
  return typeof value === "object" ? `[${value.map(syntax.literal).join(", ")}]` : syntax.literal(value);
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
