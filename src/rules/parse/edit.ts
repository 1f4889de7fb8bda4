// Changes to a rule file that touch only what they must: a value at the top of the rule is replaced or inserted, and
// every comment, blank and line end around it stays. What comes out has been read again and says what was asked for.
import { HubError } from "../../core/errors.ts";
import { type JsonObject, jsonEqual } from "../../core/json.ts";
import type { Mark, TextProblem } from "../../core/text-places.ts";
import { insertKey } from "./insert-key.ts";
import { listEdits } from "./list-edit.ts";
import type { Scalar } from "./literal.ts";
import { type RuleText, readRuleText } from "./read.ts";
import { applySplices, type Splice, type Syntax, syntaxOf } from "./syntax.ts";

export type EditResult = { ok: true; text: string } | { ok: false; problems: TextProblem[] };

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * Gives a key at the top of the rule (`enabled`, `priority`, `tags`, …) a value. A text that cannot be read is not
 * edited. Throws HubError `invalid` for a value no file can hold.
 */
export function setTopLevel(text: string, key: string, value: Scalar | readonly string[]): EditResult {
  if (!/^[a-z][a-z0-9_]*$/.test(key)) throw new HubError("invalid", `"${key}" is no key of a rule: use snake_case`);
  const before = readRuleText(text);
  if (before.value === undefined) return { ok: false, problems: before.problems };
  if (jsonEqual(before.value[key], value)) return { ok: true, text };
  const wanted = { ...before.value, [key]: typeof value === "object" ? [...value] : value };
  for (const splices of waysToSet(syntaxOf(text, before.format), before, { key, value })) {
    const edited = applySplices(text, splices);
    if (jsonEqual(readRuleText(edited).value, wanted)) return { ok: true, text: edited };
  }
  return { ok: false, problems: [before.problemAt(key, `\`${key}\` cannot be changed here: please edit the file`)] };
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

/** Ways to write it, the most sparing first; each is tried until one says what was asked for. */
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

/** What stands for `None` must be an option as well, for those who read the file with ron-rs. */
function whole({ text }: Syntax, { start, end }: Mark, literal: string): string {
  return text.slice(start, end) === "None" ? `Some(${literal})` : literal;
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}
