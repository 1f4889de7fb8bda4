// Two changes of one text put together. Where both changed the same lines, mine stay and theirs follow as comments: nothing is lost.
import { differenceOf } from "./text-difference.ts";

export interface Merged {
  text: string;
  /** Places where both changed the same lines. */
  clashes: number;
}

interface MergeOptions {
  /** What both began with. */
  base: string;
  mine: string;
  theirs: string;
  /** What begins a comment line: `#` or `//`. */
  comment: string;
  /** Above the commented lines of a clash. */
  label: string;
}

/** Lines `from` to `to` of the base, the last not included, are these lines now. */
interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

export function mergeTexts({ base, mine, theirs, comment, label }: MergeOptions): Merged {
  const old = base.split("\n");
  const [own, other] = [hunksOf(base, mine), hunksOf(base, theirs)];
  const merged: string[] = [];
  let clashes = 0;
  let at = 0;
  while (own.length > 0 || other.length > 0) {
    const { from, to, own: here, other: there } = nextGroup(own, other);
    merged.push(...old.slice(at, from));
    at = to;
    const [left, right] = [applied(old, here, from, to), applied(old, there, from, to)];
    if (here.length === 0) merged.push(...right);
    else merged.push(...left);
    if (here.length === 0 || there.length === 0 || left.join("\n") === right.join("\n")) continue;
    clashes++;
    merged.push(`${comment} ${label}`, ...right.map((line) => `${comment} ${line}`.trimEnd()));
  }
  return { text: [...merged, ...old.slice(at)].join("\n"), clashes };
}

function hunksOf(base: string, changed: string): Hunk[] {
  const hunks: Hunk[] = [];
  let line = 0;
  let open: Hunk | undefined;
  for (const { kind, text } of differenceOf(base, changed)) {
    if (kind === "same") {
      open = undefined;
      line++;
      continue;
    }
    if (!open) {
      open = { from: line, to: line, lines: [] };
      hunks.push(open);
    }
    if (kind === "added") open.lines.push(text);
    else open.to = ++line;
  }
  return hunks;
}

/** Takes the next hunks of both that touch each other out of the lists. */
function nextGroup(own: Hunk[], other: Hunk[]): { from: number; to: number; own: Hunk[]; other: Hunk[] } {
  const from = Math.min(own[0]?.from ?? Number.POSITIVE_INFINITY, other[0]?.from ?? Number.POSITIVE_INFINITY);
  const taken = { from, to: from, own: [] as Hunk[], other: [] as Hunk[] };
  for (;;) {
    const side = [[own, taken.own] as const, [other, taken.other] as const].find(
      ([left]) => left[0] !== undefined && left[0].from <= taken.to,
    );
    const hunk = side?.[0].shift();
    if (!side || !hunk) return taken;
    side[1].push(hunk);
    taken.to = Math.max(taken.to, hunk.to);
  }
}

/** The lines from `from` to `to` of the base as the hunks make them. */
function applied(old: readonly string[], hunks: readonly Hunk[], from: number, to: number): string[] {
  const lines: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    lines.push(...old.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...lines, ...old.slice(at, to)];
}
