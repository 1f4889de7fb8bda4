// What all dialects share when a text with formatting is written: which marks open and close between two runs, and blocks on lines
// of their own.
import { type Block, MARKS, type Mark, type RichText, type Run } from "./rich-text.ts";

/** What a dialect has for a mark, and how it writes text inside it. */
export interface Notation {
  /** What is missing is written without it. */
  readonly marks: { readonly [M in Mark]?: readonly [string, string] };
  escape(text: string): string;
  /** Inside the `code` mark. */
  escapeCode?(text: string): string;
  /** Undefined: `text` with the address behind it. */
  link?: ((href: string) => readonly [string, string]) | undefined;
  /** Separates two pieces that would have another meaning side by side. */
  between?(left: string, right: string): string;
  /** Marks hold no white space at their edges, and do not reach over several runs; this stands between two that touch. */
  readonly apart?: string;
}

// A longer one is no text of a link: whatever splits a message has to find its end.
const MAX_LINK_TEXT = 500;

/** The runs of a line, or of a whole text where the dialect's marks may hold line breaks. */
export function writeRuns(runs: readonly Run[], notation: Notation): string {
  let written = "";
  const open: { mark: Mark | "link"; href?: string; close: string }[] = [];
  const add = (piece: string): void => {
    if (piece !== "") written += (notation.between?.(written, piece) ?? "") + piece;
  };
  const closeTo = (depth: number): void => {
    for (
      let last = open.length > depth ? open.pop() : undefined;
      last;
      last = open.length > depth ? open.pop() : undefined
    )
      add(last.close);
  };
  for (const run of asLinks(notation.apart === undefined ? runs : runs.flatMap(tightened), notation)) {
    const wanted = MARKS.filter((mark) => run.marks.includes(mark) && notation.marks[mark]);
    const markers = [
      ...(run.href === undefined ? [] : [{ mark: "link" as const, href: run.href }]),
      ...wanted.map((mark) => ({ mark })),
    ];
    if (notation.apart !== undefined) {
      const touches = open.length > 0 && markers.length > 0;
      closeTo(0);
      if (touches) add(notation.apart);
    }
    let kept = 0;
    while (kept < open.length && kept < markers.length && isSame(open[kept], markers[kept])) kept++;
    closeTo(kept);
    for (const marker of markers.slice(kept)) {
      const [begin, end] =
        "href" in marker ? (notation.link?.(marker.href) ?? ["", ""]) : (notation.marks[marker.mark] ?? ["", ""]);
      add(begin);
      open.push({ ...marker, close: end });
    }
    add(wanted.includes("code") && notation.escapeCode ? notation.escapeCode(run.text) : notation.escape(run.text));
  }
  closeTo(0);
  return written;
}

function isSame(
  one: { mark: string; href?: string } | undefined,
  other: { mark: string; href?: string } | undefined,
): boolean {
  return one?.mark === other?.mark && one?.href === other?.href;
}

/** Where the dialect has no links, or the text is too long for one, the address stands behind the text. */
export function asLinks(runs: readonly Run[], { link }: { readonly link?: unknown }): Run[] {
  const written: Run[] = [];
  for (let index = 0; index < runs.length; ) {
    const { href } = runs[index] as Run;
    const end = runs.findIndex((run, at) => at >= index && run.href !== href);
    const same = runs.slice(index, end < 0 ? runs.length : end);
    index += same.length;
    if (href === undefined || (link && textOf(same).length <= MAX_LINK_TEXT)) written.push(...same);
    else {
      written.push(...same.map(({ text, marks }) => ({ text, marks })));
      if (!saysAddress(textOf(same), href))
        written.push({ text: ` (${href.replace(/^(mailto|tel):/i, "")})`, marks: [] });
    }
  }
  return written;
}

function textOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join("");
}

function saysAddress(text: string, href: string): boolean {
  const bare = (address: string): string =>
    address
      .trim()
      .replace(/^(https?:\/\/|mailto:|tel:)/i, "")
      .replace(/\/$/, "");
  return bare(text) === bare(href);
}

/** The white space around a run, without its marks. */
function tightened(run: Run): Run[] {
  if (run.marks.length === 0) return [run];
  const [, before = "", text = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(run.text) ?? [];
  const bare = (space: string): Run[] => (space === "" ? [] : [{ ...run, text: space, marks: [] }]);
  return [...bare(before), ...(text === "" ? [] : [{ ...run, text }]), ...bare(after)];
}

export interface Blocks {
  text(runs: readonly Run[]): string;
  /** Gets the runs of the whole quote. */
  quote(runs: readonly Run[]): string;
  pre(text: string, language: string | undefined): string;
}

/** Every block on lines of its own. */
export function writeBlocks(text: RichText, blocks: Blocks, lineBreak = "\n"): string {
  return text.map((block) => writeBlock(block, blocks)).join(lineBreak);
}

function writeBlock({ kind, runs, language }: Block, blocks: Blocks): string {
  if (kind === "pre") return blocks.pre(textOf(runs), language);
  return kind === "quote" ? blocks.quote(runs) : blocks.text(runs);
}

/** Every line with something before it. */
export function eachLine(runs: readonly Run[], before: string, write: (line: readonly Run[]) => string): string {
  return linesOf(runs)
    .map((line) => before + write(line))
    .join("\n");
}

/** Splits runs at their line breaks. */
function linesOf(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]];
  for (const run of runs)
    for (const [index, text] of run.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ ...run, text });
    }
  return lines;
}
