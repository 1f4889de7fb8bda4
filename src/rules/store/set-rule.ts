// Puts another version of a rule into the text of the one before: what is the same keeps its lines and its comments. What
// comes out has to be read again and compared by the caller; where it is not what was wanted, the text is written anew.
import { isObject, type Json, type JsonObject, jsonEqual } from "../../kit/schema/json.ts";
import type { Mark } from "../../kit/schema/text-places.ts";
import { setTopLevel } from "../parse/edit/set-key.ts";
import { applySplices, indentOf, type Splice, syntaxOf } from "../parse/edit/syntax.ts";
import { blocksOf, tomlBlocks, tomlValue } from "../parse/edit/toml-blocks.ts";
import { readRuleText } from "../parse/read.ts";
import { writeRonPart } from "../parse/ron/write.ts";
import { type Place, placeUnder, type RuleShape } from "../parse/shape.ts";

interface Versions {
  /** Both with every default. */
  before: JsonObject;
  after: JsonObject;
  shape: RuleShape;
}

/** What cannot be put in its place stops the whole edit. */
class NotHere extends Error {}

/** Undefined where the text has to be written anew. */
export function setRule(text: string, { before, after, shape }: Versions): string | undefined {
  let edited = text;
  try {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (jsonEqual(before[key], after[key])) continue;
      edited = withKey(edited, { key, old: before[key], next: after[key], shape });
    }
  } catch (error) {
    if (error instanceof NotHere) return undefined;
    throw error;
  }
  return edited;
}

interface Change {
  key: string;
  old: Json | undefined;
  next: Json | undefined;
  shape: RuleShape;
}

function withKey(text: string, change: Change): string {
  const { key, next, shape } = change;
  if (isPlain(next)) {
    const result = setTopLevel(text, key, next);
    if (result.ok) return result.text;
  }
  const { format, mark, value } = readRuleText(text, { shape });
  if (value === undefined) throw new NotHere();
  if (format === "toml") {
    const known = mark.keys?.get(key) ?? (key === "triggers" ? mark.keys?.get("trigger") : undefined);
    const inPlace =
      known &&
      inTheirPlaces(text, { ...change, mark: known, format, place: placeUnder(shape, { key, place: "rule" }) });
    return inPlace ?? withBlocks(text, mark, change);
  }
  return withRonKey(text, mark, change);
}

function withRonKey(text: string, mark: Mark, { key, old, next, shape }: Change): string {
  const place = placeUnder(shape, { key, place: "rule" });
  const single = key === "triggers" ? mark.keys?.get("trigger") : undefined;
  const known = mark.keys?.get(key) ?? single;
  const part = (value: Json, at: number): string => writeRonPart(value, { shape, place, depth: depthAt(text, at) });
  if (known === undefined) {
    // A list that is not written yet goes before the actions, where people look for it.
    const before = mark.keys?.get("actions")?.at ?? [...(mark.keys?.values() ?? [])].at(-1)?.at;
    if (before === undefined || next === undefined) throw new NotHere();
    const indent = indentOf(text, before) ?? "";
    const added = `${key}: ${part(next, before)},${indent === "" ? " " : `\n${indent}`}`;
    return applySplices(text, [{ start: before, end: before, text: added }]);
  }
  if (single !== undefined) {
    const [was, wanted] = [Array.isArray(old) ? old[0] : undefined, Array.isArray(next) ? next : []];
    if (wanted.length === 1 && wanted[0] !== undefined && was !== undefined)
      return applySplices(
        text,
        differences(text, { mark: single, old: was, next: wanted[0], shape, place, format: "ron" }),
      );
    const list = `triggers: ${part(wanted, single.at)}`;
    return applySplices(text, [{ start: single.at, end: single.end, text: list }]);
  }
  if (old === undefined || next === undefined) throw new NotHere();
  return applySplices(text, differences(text, { mark: known, old, next, shape, place, format: "ron" }));
}

interface Spot {
  mark: Mark;
  old: Json;
  next: Json;
  shape: RuleShape;
  place: Place;
  format: "ron" | "toml";
}

/** Values that have a place of their own each get their new one there. */
function differences(text: string, spot: Spot): Splice[] {
  const { mark, old, next, shape, place, format } = spot;
  if (jsonEqual(old, next)) return [];
  if (isObject(old) && isObject(next) && old.type === next.type) {
    const inside = insideObject(text, { ...spot, old, next });
    if (inside) return inside;
  }
  if (Array.isArray(old) && Array.isArray(next) && mark.items?.length === old.length) {
    if (old.length === next.length && changedAt(old, next).length === 1) {
      const [at = 0] = changedAt(old, next);
      const [item, was, wanted] = [mark.items[at], old[at], next[at]];
      if (item && was !== undefined && wanted !== undefined)
        return differences(text, { ...spot, mark: item, old: was, next: wanted });
    }
    if (format === "ron" && mark.start >= 0 && old.length > 0 && next.length > 0) {
      const chunks = chunksOf(text, mark);
      const depth = depthAt(text, mark.items[0]?.start ?? mark.start);
      if (chunks)
        return [rearranged(chunks, { old, next, write: (value) => writeRonPart(value, { shape, place, depth }) })];
    }
  }
  if (mark.start < 0) throw new NotHere();
  const depth = depthAt(text, mark.start);
  const written = format === "ron" ? writeRonPart(next, { shape, place, depth }) : tomlValue(next);
  return [{ start: mark.start, end: mark.end, text: written }];
}

/** Undefined where a key comes or goes that is not in the text. */
function insideObject(
  text: string,
  { old, next, ...spot }: Spot & { old: JsonObject; next: JsonObject },
): Splice[] | undefined {
  const splices: Splice[] = [];
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const [was, wanted] = [old[key], next[key]];
    if (jsonEqual(was, wanted)) continue;
    const mark = spot.mark.keys?.get(key);
    if (mark === undefined || was === undefined || wanted === undefined) return undefined;
    const place = placeUnder(spot.shape, { key, place: spot.place });
    splices.push(...differences(text, { ...spot, mark, old: was, next: wanted, place }));
  }
  return splices;
}

/** In TOML, as long as no table comes, goes or moves. */
function inTheirPlaces(text: string, { old, next, ...spot }: Change & Omit<Spot, "old" | "next">): string | undefined {
  const isSingle = spot.mark.items === undefined && Array.isArray(old) && old.length === 1;
  const [was, wanted] = isSingle && Array.isArray(next) && next.length === 1 ? [old[0], next[0]] : [old, next];
  if (was === undefined || wanted === undefined || (isSingle && wanted === next)) return undefined;
  try {
    return applySplices(text, differences(text, { ...spot, old: was, next: wanted }));
  } catch (error) {
    if (error instanceof NotHere) return undefined;
    throw error;
  }
}

/** Tables come, go and move as whole blocks, each with the comments above it. */
function withBlocks(text: string, mark: Mark, { key, old = [], next = [] }: Change): string {
  if (!Array.isArray(old) || !Array.isArray(next) || !next.every(isObject)) throw new NotHere();
  const blocks = blocksOf(text, mark, key);
  if (!blocks) throw new NotHere();
  return tomlBlocks(text, blocks, { key, old, next });
}

function changedAt(old: readonly Json[], next: readonly Json[]): number[] {
  return old.flatMap((item, at) => (jsonEqual(item, next[at]) ? [] : [at]));
}

function depthAt(text: string, offset: number): number {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return Math.floor((/^ */.exec(line)?.[0].length ?? 0) / 4);
}

function isPlain(value: Json | undefined): value is string | number | boolean | string[] {
  return Array.isArray(value)
    ? value.length > 0 && value.every((item) => typeof item === "string")
    : ["string", "number", "boolean"].includes(typeof value);
}

interface Chunks {
  /** Of each item, in their order. */
  texts: string[];
  start: number;
  end: number;
  /** Before an item that is new. */
  lead: string;
}

/** Undefined for a list on one line with comments in it, which are nobody's. */
function chunksOf(text: string, { start, items = [] }: Mark): Chunks | undefined {
  const syntax = syntaxOf(text, "ron");
  const texts: string[] = [];
  let from = start + 1;
  for (const item of items) {
    const comma = syntax.afterTrivia(item.end);
    const afterComma = text[comma] === "," ? comma + 1 : item.end;
    const to = syntax.endOfLine(afterComma) ?? afterComma;
    // Each item has its comma, so that it can stand anywhere.
    const own = text.slice(from, to);
    const at = item.end - from;
    texts.push(text[comma] === "," ? own : `${own.slice(0, at)},${own.slice(at)}`);
    from = to;
  }
  const [first] = items;
  if (first === undefined) return undefined;
  const indent = indentOf(text, first.start);
  return { texts, start: start + 1, end: from, lead: indent === undefined ? " " : `${syntax.newline}${indent}` };
}

interface Arrangement {
  old: readonly Json[];
  next: readonly Json[];
  write: (value: Json) => string;
}

/** The list in its new order: what was there keeps its text. */
function rearranged({ texts, start, end, lead }: Chunks, { old, next, write }: Arrangement): Splice {
  const left = old.map((value, at) => ({ value, text: texts[at] ?? "" }));
  const written = next.map((value) => {
    const found = left.findIndex((one) => jsonEqual(one.value, value));
    const [known] = found < 0 ? [] : left.splice(found, 1);
    return known?.text ?? `${lead}${write(value)},`;
  });
  return { start, end, text: written.join("") };
}
