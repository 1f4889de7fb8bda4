// Where a key goes that a rule file does not have yet: after the ones that people write before it, in the file's own
// layout, and in TOML before the first table.

import type { Mark } from "../../core/text-places.ts";
import { insertAfter, insertBefore } from "./list-edit.ts";
import { readRon } from "./ron-parse.ts";
import type { RonNode } from "./ron-tree.ts";
import { indentOf, lineEnd, type Splice, type Syntax } from "./syntax.ts";

/** The order in which the top of a rule is written. */
const ORDER = ["id", "name", "description", "enabled", "priority", "cooldown_secs", "tags"];

interface Member {
  key: string;
  literal: string;
}

/** One of the keys that are there, with all of its value. */
interface Existing {
  key: string;
  start: number;
  end: number;
}

export function insertKey(syntax: Syntax, root: Mark, member: Member): Splice[] {
  const read = syntax.format === "ron" ? readRon(syntax.text) : undefined;
  return read?.ok ? intoRon(syntax, read.tree, member) : intoToml(syntax, root, member);
}

function intoRon(syntax: Syntax, tree: RonNode, { key, literal }: Member): Splice[] {
  const node = ruleNode(tree);
  const there = membersOf(node);
  const part = `${node.kind === "map" ? `"${key}"` : key}: ${literal}`;
  const before = lastBefore(there, key);
  if (before !== undefined) return insertAfter(syntax, before, [part]);
  const [first] = there;
  if (first !== undefined) return insertBefore(syntax, first.start, [part]);
  const start = syntax.text.indexOf(node.kind === "map" ? "{" : "(", node.start) + 1;
  return [{ start, end: start, text: part }];
}

/** The struct or map with the rule's keys, whatever stands around it. */
function ruleNode(node: RonNode): RonNode {
  const inner = node.kind === "tuple" ? node.items[0] : node.kind === "option" ? node.value : undefined;
  return inner === undefined ? node : ruleNode(inner);
}

function membersOf(node: RonNode): Existing[] {
  if (node.kind === "struct")
    return node.fields.map(({ name, at, value }) => ({ key: name, start: at, end: value.end }));
  if (node.kind !== "map") return [];
  return node.entries.map(({ key, value }) => ({
    key: key.kind === "string" ? key.value : "",
    start: key.start,
    end: value.end,
  }));
}

/** The last in the text of those that belong before the key; keys nobody knows go after all that are known. */
function lastBefore(there: readonly Existing[], key: string): Existing | undefined {
  const position = ORDER.indexOf(key);
  const earlier = position < 0 ? ORDER : ORDER.slice(0, position);
  return there.findLast((existing) => earlier.includes(existing.key));
}

function intoToml({ text, newline }: Syntax, root: Mark, { key, literal }: Member): Splice[] {
  const there = [...(root.keys ?? [])]
    .filter(([, mark]) => mark.start >= 0)
    .map(([name, mark]) => ({ key: name, start: mark.at, end: mark.end }));
  const line = `${key} = ${literal}`;
  const before = lastBefore(there, key);
  if (before !== undefined) {
    const end = lineEnd(text, before.end);
    return [{ start: end, end, text: `${newline}${indentOf(text, before.start) ?? ""}${line}` }];
  }
  const start = there[0]?.start ?? afterHeading(text);
  const indent = indentOf(text, start) ?? "";
  return [{ start, end: start, text: `${line}${newline}${there.length > 0 ? indent : newline}` }];
}

/** Behind the comment a file begins with, if an empty line sets it apart from what follows. */
function afterHeading(text: string): number {
  return /^\ufeff?(?:(?:[ \t]*#[^\n]*\n)+[ \t]*\r?\n)?/.exec(text)?.[0].length ?? 0;
}
