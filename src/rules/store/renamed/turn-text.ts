// Puts other names for attributes into the text of a rule, where it speaks of them; every other character stays.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { type Mark, positionAt } from "../../../kit/schema/text-places.ts";
import { type MadeFrom, writtenPath } from "../../blueprints/use.ts";
import { readRuleFileText } from "../../homecore/read-text.ts";
import { applySplices, type Splice } from "../../parse/edit/syntax.ts";
import { readRuleText } from "../../parse/read.ts";
import type { RuleShape } from "../../parse/shape.ts";
import type { AttributeUse, Source } from "./sources.ts";

/** One line that becomes another. */
export interface ChangedLine {
  /** From 1. */
  line: number;
  before: string;
  after: string;
}

export type TurnedText = { text: string; changes: ChangedLine[] } | { whyNot: string };

export interface TurnOptions {
  text: string;
  file: string;
  shape: RuleShape;
  made: MadeFrom | undefined;
  /** The other name, or why there is none; undefined where the name stays. */
  decide(use: AttributeUse): { to: string } | { whyNot: string } | undefined;
}

export function turnText(sources: readonly Source[], options: TurnOptions): TurnedText {
  const { text, file, shape, decide } = options;
  const written = writtenIn(text, options);
  const splices = new Map<number, Splice>();
  for (const source of sources) {
    for (const { use, decided } of decidedIn(source, source.text, decide)) {
      if ("whyNot" in decided) return decided;
      const found = splicesFor(source, { written: written(source.path), text, decide });
      if (!found) return { whyNot: options.made ? ofBlueprint(options.made, use) : unplaced(use) };
      for (const splice of found) splices.set(splice.start, splice);
    }
  }
  const after = applySplices(text, [...splices.values()]);
  if (readRuleText(after, { shape, file }).problems.length > 0) return { whyNot: UNREADABLE };
  return { text: after, changes: changedLines(text, splices.values()) };
}

const UNREADABLE = "its text cannot be changed by itself: change it by hand";

const unplaced = ({ name }: AttributeUse): string =>
  `"${name}" is written in it in a way that only a person can change: change it by hand`;

const ofBlueprint = ({ use }: MadeFrom, { name }: AttributeUse): string =>
  `"${name}" comes from the blueprint "${use}", and every rule that uses it has it from there: change it in rules/blueprints`;

type Decided = NonNullable<ReturnType<TurnOptions["decide"]>>;

function decidedIn(
  { find }: Source,
  text: string,
  decide: TurnOptions["decide"],
): { use: AttributeUse; decided: Decided }[] {
  return find(text).flatMap((use) => {
    const decided = decide(use);
    return decided ? [{ use, decided }] : [];
  });
}

interface Written {
  value: Json | undefined;
  mark: Mark;
}

/** What the text has at a path of the rule, or around it. */
function writtenIn(text: string, { file, shape, made }: TurnOptions): (path: string) => Written {
  const own = readRuleText(text, { shape, file });
  const read = readRuleFileText(text, { shape, file });
  return (path) => {
    const single = read.value?.trigger === undefined ? path : path.replace(/^triggers\[0\]/, "trigger");
    const place = made ? (writtenPath(made.origins, path) ?? "") : read.ownPath(single);
    return valueAt(own.value ?? {}, own.mark, place);
  };
}

function valueAt(root: JsonObject, rootMark: Mark, path: string): Written {
  let [value, mark]: [Json | undefined, Mark] = [root, rootMark];
  for (const [part] of path.matchAll(/[^.[\]]+/g)) {
    const next = mark.keys?.get(part) ?? mark.items?.[Number(part)];
    if (next === undefined) break;
    mark = next;
    value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
  }
  return { value, mark };
}

/** Undefined where the text does not say it in this place. */
function splicesFor(
  source: Source,
  { written: { value, mark }, text, decide }: Pick<TurnOptions, "text" | "decide"> & { written: Written },
): Splice[] | undefined {
  if (source.isKey) return keySplices(source, { mark, text, decide });
  if (typeof value !== "string" || mark.start < 0) return undefined;
  const offsets = literalOffsets(text.slice(mark.start, mark.end), value);
  // What a blueprint puts into an expression may be the name alone.
  const whole = { start: 0, end: value.length };
  const alone = decidedIn(source, source.text, decide).find(({ use }) => use.name === value);
  const found = alone ? [{ ...alone, use: { ...alone.use, ...whole } }] : decidedIn(source, value, decide);
  if (!offsets || found.length === 0) return undefined;
  return found.flatMap(({ use, decided }): Splice[] => {
    const start = offsets[use.start];
    const last = offsets[use.end - 1];
    if (!("to" in decided) || start === undefined || last === undefined) return [];
    return [{ start: mark.start + start, end: mark.start + last + 1, text: decided.to }];
  });
}

/** `"value_2": true`, or `value_2 = true`; undefined where the key is written otherwise. */
function keySplices(
  source: Source,
  { mark, text, decide }: Pick<TurnOptions, "text" | "decide"> & { mark: Mark },
): Splice[] | undefined {
  const quoted = /^["']?/.exec(text.slice(mark.at, mark.at + 1))?.[0] ?? "";
  const start = mark.at + quoted.length;
  const following = text.slice(start + source.text.length);
  const isIt = text.startsWith(source.text, start) && /^\s*[:=]/.test(following.slice(quoted.length));
  if (!isIt || !following.startsWith(quoted)) return undefined;
  return decidedIn(source, source.text, decide).flatMap(({ decided }) =>
    "to" in decided ? [{ start, end: start + source.text.length, text: decided.to }] : [],
  );
}

function changedLines(text: string, splices: Iterable<Splice>): ChangedLine[] {
  const byLine = Map.groupBy(splices, ({ start }) => positionAt(text, start).line);
  return [...byLine]
    .sort(([a], [b]) => a - b)
    .map(([line, inLine]) => {
      const start = text.lastIndexOf("\n", (inLine[0]?.start ?? 0) - 1) + 1;
      const before = text.slice(start).split(/\r?\n/, 1)[0] ?? "";
      const moved = inLine.map((one) => ({ ...one, start: one.start - start, end: one.end - start }));
      return { line, before, after: applySplices(before, moved) };
    });
}

const OPENING = /^(?:"""(?:\r?\n)?|'''(?:\r?\n)?|r(#*)"|"|')/;
const PLAIN: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", e: "\u001b", "0": "\0" };

/** Undefined where the literal is another one than was expected. */
function literalOffsets(literal: string, value: string): number[] | undefined {
  const opening = OPENING.exec(literal)?.[0];
  if (opening === undefined) return undefined;
  const isRaw = opening.startsWith("'") || opening.startsWith("r");
  const offsets: number[] = [];
  for (let at = opening.length; offsets.length < value.length; ) {
    const { text, length } = isRaw || literal[at] !== "\\" ? plainAt(literal, at) : escapedAt(literal, at);
    if (length === 0 || !value.startsWith(text, offsets.length)) return undefined;
    for (let part = 0; part < text.length; part++) offsets.push(at + part);
    at += length;
  }
  return offsets;
}

type Piece = { text: string; length: number };

function plainAt(literal: string, at: number): Piece {
  return { text: literal[at] ?? "", length: at < literal.length ? 1 : 0 };
}

function escapedAt(literal: string, at: number): Piece {
  const rest = literal.slice(at, at + 200);
  const hex = /^\\(?:u\{([0-9a-fA-F_]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2}))/.exec(rest);
  const code = hex && Number.parseInt((hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? "").replaceAll("_", ""), 16);
  if (hex && code !== null && code <= 0x10ffff) return { text: String.fromCodePoint(code), length: hex[0].length };
  // The end of a line that goes on behind its indentation.
  const joined = /^\\[ \t]*\r?\n\s*/.exec(rest);
  if (joined) return { text: "", length: joined[0].length };
  const next = rest[1] ?? "";
  return { text: Object.hasOwn(PLAIN, next) ? (PLAIN[next] ?? "") : next, length: 2 };
}
