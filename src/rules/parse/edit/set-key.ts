// Changes to a rule file that touch only what they must: a value at the top of the rule is replaced or inserted, and every
// comment, blank and line end around it stays. What comes out has been read again and says what was asked for.
import { HubError } from "../../../kit/schema/errors.ts";
import { type JsonObject, jsonEqual } from "../../../kit/schema/json.ts";
import type { Mark, TextProblem } from "../../../kit/schema/text-places.ts";
import { type RuleText, readRuleText } from "../read.ts";
import { readRon } from "../ron/parse.ts";
import type { RonNode } from "../ron/tree.ts";
import { insertAfter, insertBefore, listEdits } from "./list.ts";
import { applySplices, indentOf, lineEnd, type Scalar, type Splice, type Syntax, syntaxOf } from "./syntax.ts";

export type EditResult = { ok: true; text: string } | { ok: false; problems: TextProblem[] };

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * Gives a key at the top of the rule (`enabled`, `priority`, `tags`, …) a value. A text that cannot be read is not
 * edited. Throws HubError `invalid` for a value no file can hold.
 */
export function setTopLevel(text: string, key: string, value: Scalar | readonly string[]): EditResult {
  if (!/^[a-z][a-z0-9_]*$/.test(key))
    throw new HubError("invalid", `"${key}" cannot be a key of a rule: use snake_case`);
  const before = readRuleText(text);
  if (before.value === undefined) return { ok: false, problems: before.problems };
  if (jsonEqual(before.value[key], value)) return { ok: true, text };
  const wanted = { ...before.value, [key]: typeof value === "object" ? [...value] : value };
  for (const splices of waysToSet(syntaxOf(text, before.format), before, { key, value })) {
    const edited = applySplices(text, splices);
    if (jsonEqual(readRuleText(edited).value, wanted)) return { ok: true, text: edited };
  }
  return { ok: false, problems: [before.problemAt(key, `\`${key}\` cannot be changed here: edit the file`)] };
}

/** Writes the id into a rule that has none yet; a rule that has one is left as it is. */
export function replaceId(text: string, uuid: string): EditResult {
  const { value, problems } = readRuleText(text);
  if (value === undefined) return { ok: false, problems };
  return lacksId(value) ? setTopLevel(text, "id", uuid) : { ok: true, text };
}

/** Whether the rule's id is absent, empty or zero. */
export function lacksId({ id }: JsonObject): boolean {
  return id === undefined || id === null || id === NIL_UUID || (typeof id === "string" && id.trim() === "");
}

interface Member {
  key: string;
  value: Scalar | readonly string[];
}

/** Ways to write it, the one that changes least first; each is tried until the text says what was asked for. */
function* waysToSet(syntax: Syntax, { mark, value: rule }: RuleText, { key, value }: Member): Generator<Splice[]> {
  const place = mark.keys?.get(key);
  const old = rule?.[key];
  if (place === undefined) yield insertKey(syntax, mark, { key, literal: literalOf(syntax, value) });
  else if (place.start >= 0) {
    const texts = textsOf(old);
    if (typeof value === "object" && texts !== undefined && place.items !== undefined)
      yield listEdits(syntax, place, { old: texts, next: value });
    yield [{ start: place.start, end: place.end, text: whole(syntax, place, literalOf(syntax, value)) }];
  }
}

function literalOf(syntax: Syntax, value: Scalar | readonly string[]): string {
  return typeof value === "object" ? `[${value.map(syntax.literal).join(", ")}]` : syntax.literal(value);
}

/** In the place of `None` comes an option, for those who read the file with ron-rs. */
function whole({ text }: Syntax, { start, end }: Mark, literal: string): string {
  return text.slice(start, end) === "None" ? `Some(${literal})` : literal;
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

/** The order in which the top of a rule is written. */
const ORDER = ["id", "name", "description", "enabled", "priority", "cooldown_secs", "tags"];

/** A key that is there, with all of its value. */
interface Existing {
  key: string;
  start: number;
  end: number;
}

interface NewKey {
  key: string;
  literal: string;
}

/** After the keys that people write before it, in the file's own layout; in TOML before the first table. */
function insertKey(syntax: Syntax, root: Mark, added: NewKey): Splice[] {
  const read = syntax.format === "ron" ? readRon(syntax.text) : undefined;
  return read?.ok ? intoRon(syntax, read.tree, added) : intoToml(syntax, root, added);
}

function intoRon(syntax: Syntax, tree: RonNode, { key, literal }: NewKey): Splice[] {
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

/** The struct or map with the rule's keys, without the wrappers around it. */
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

/** The last existing key that belongs before the new one; an unknown key goes after all known ones. */
function lastBefore(there: readonly Existing[], key: string): Existing | undefined {
  const position = ORDER.indexOf(key);
  const earlier = position < 0 ? ORDER : ORDER.slice(0, position);
  return there.findLast((existing) => earlier.includes(existing.key));
}

function intoToml({ text, newline }: Syntax, root: Mark, { key, literal }: NewKey): Splice[] {
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

/** After the comment that a file begins with, if an empty line follows it. */
function afterHeading(text: string): number {
  return /^\ufeff?(?:(?:[ \t]*#[^\n]*\n)+[ \t]*\r?\n)?/.exec(text)?.[0].length ?? 0;
}
