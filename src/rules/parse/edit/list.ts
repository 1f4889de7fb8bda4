// Turns one list of texts into another by changing, adding and removing single items, so that the others keep their
// lines and all comments stay.
import type { Mark } from "../../../kit/schema/text-places.ts";
import { indentOf, lineEnd, type Splice, type Syntax } from "./syntax.ts";

/** Lists up to this length are compared item by item; longer ones are replaced. */
const MAX_COMPARED = 500;

interface Change {
  old: readonly string[];
  next: readonly string[];
}

/** `mark` is the list's. No edits where the lists are too long to be compared. */
export function listEdits(syntax: Syntax, mark: Mark, { old, next }: Change): Splice[] {
  const items = mark.items ?? [];
  if (Math.max(old.length, next.length) > MAX_COMPARED) return [];
  const splices: Splice[] = [];
  for (const gap of gapsBetween(keptPairs(old, next), { old, next })) {
    const removed = items.slice(gap.oldFrom, gap.oldTo);
    const added = next.slice(gap.nextFrom, gap.nextTo).map(syntax.literal);
    const replaced = Math.min(removed.length, added.length);
    removed.slice(0, replaced).forEach(({ start, end }, index) => {
      splices.push({ start, end, text: added[index] ?? "" });
    });
    const noCommaAfter = gap.oldTo === items.length && commaAfter(syntax, items.at(-1)?.end ?? 0) === undefined;
    for (let index = gap.oldFrom + replaced; index < gap.oldTo; index++)
      splices.push(...removal(syntax, items[index] ?? mark, noCommaAfter ? items[index - 1] : undefined));
    const more = added.slice(replaced);
    const before = items[gap.oldFrom + replaced - 1];
    if (more.length > 0) splices.push(...insertion(syntax, { mark, before, first: items[0] }, more));
  }
  return splices;
}

interface Spot {
  mark: Mark;
  /** The item before the new ones. */
  before: Mark | undefined;
  first: Mark | undefined;
}

function insertion(syntax: Syntax, { mark, before, first }: Spot, literals: string[]): Splice[] {
  if (before !== undefined) return insertAfter(syntax, before, literals);
  if (first !== undefined) return insertBefore(syntax, first.start, literals);
  return [{ start: mark.start + 1, end: mark.start + 1, text: literals.join(", ") }];
}

/** Inserts things after one of a list with commas; on lines of their own if it has one of its own. */
export function insertAfter(syntax: Syntax, { start, end }: { start: number; end: number }, parts: string[]): Splice[] {
  const indent = indentOf(syntax.text, start);
  if (indent === undefined) return [{ start: end, end, text: parts.map((part) => `, ${part}`).join("") }];
  const comma = commaAfter(syntax, end);
  const endOfLine = syntax.endOfLine(comma === undefined ? end : comma + 1);
  const lines = parts.map((part) => `${syntax.newline}${indent}${part}`);
  if (endOfLine === undefined) return [{ start: end, end, text: lines.map((line) => `,${line}`).join("") }];
  if (comma !== undefined)
    return [{ start: endOfLine, end: endOfLine, text: lines.map((line) => `${line},`).join("") }];
  return [
    { start: end, end, text: "," },
    { start: endOfLine, end: endOfLine, text: lines.join(",") },
  ];
}

/** Inserts things before the first of a list with commas. */
export function insertBefore({ text, newline }: Syntax, start: number, parts: string[]): Splice[] {
  const indent = indentOf(text, start);
  const space = indent === undefined ? " " : `${newline}${indent}`;
  return [{ start, end: start, text: parts.map((part) => `${part},${space}`).join("") }];
}

/**
 * Removes the item with its comma, and with its line if it has one of its own. `previous` is given for the last items
 * of a list without a comma at its end: then the comma before them is removed.
 */
function removal(syntax: Syntax, { start, end }: Mark, previous: Mark | undefined): Splice[] {
  const { text } = syntax;
  if (previous !== undefined && /^\s*,\s*$/.test(text.slice(previous.end, start))) return [span(previous.end, end)];
  const comma = commaAfter(syntax, end) ?? end;
  const next = syntax.text[comma] === "," ? comma + 1 : end;
  if (text.slice(end, comma).trim() !== "") return [span(start, end), span(comma, next)];
  const rest = /^[ \t]*/.exec(text.slice(next))?.[0].length ?? 0;
  const ownLine = indentOf(text, start) !== undefined && lineEnd(text, next) === next + rest;
  return ownLine ? [span(endOfLineBefore(text, start), next + rest)] : [span(start, next + rest)];
}

function endOfLineBefore(text: string, offset: number): number {
  const newline = text.lastIndexOf("\n", offset - 1);
  return text[newline - 1] === "\r" ? newline - 1 : newline;
}

function span(start: number, end: number): Splice {
  return { start, end, text: "" };
}

function commaAfter(syntax: Syntax, offset: number): number | undefined {
  const next = syntax.afterTrivia(offset);
  return syntax.text[next] === "," ? next : undefined;
}

interface Gap {
  oldFrom: number;
  oldTo: number;
  nextFrom: number;
  nextTo: number;
}

function gapsBetween(kept: readonly [number, number][], { old, next }: Change): Gap[] {
  const ends: [number, number][] = [[-1, -1], ...kept, [old.length, next.length]];
  return ends.slice(1).map(([oldTo, nextTo], index) => {
    const [oldBefore, nextBefore] = ends[index] ?? [-1, -1];
    return { oldFrom: oldBefore + 1, oldTo, nextFrom: nextBefore + 1, nextTo };
  });
}

/** The indices of a longest common subsequence. */
function keptPairs(old: readonly string[], next: readonly string[]): [number, number][] {
  const width = next.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--)
      lengths[i * width + j] = old[i] === next[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < old.length && j < next.length; ) {
    if (old[i] === next[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}
