// The items of a list with all that belongs to each: the comments above it, its comma, and the comment behind that.
import { type Json, jsonEqual } from "../../../kit/schema/json.ts";
import type { Mark } from "../../../kit/schema/text-places.ts";
import { indentOf, type Splice, syntaxOf } from "./syntax.ts";

export interface Chunks {
  /** Of each item, in their order. */
  texts: string[];
  start: number;
  end: number;
  /** Before an item that is new. */
  lead: string;
}

/** Undefined for a list on one line with comments in it, which are nobody's. */
export function chunksOf(text: string, { start, items = [] }: Mark): Chunks | undefined {
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
export function rearranged({ texts, start, end, lead }: Chunks, { old, next, write }: Arrangement): Splice {
  const left = old.map((value, at) => ({ value, text: texts[at] ?? "" }));
  const written = next.map((value) => {
    const found = left.findIndex((one) => jsonEqual(one.value, value));
    const [known] = found < 0 ? [] : left.splice(found, 1);
    return known?.text ?? `${lead}${write(value)},`;
  });
  return { start, end, text: written.join("") };
}
