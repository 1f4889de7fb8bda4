// A text with its formatting, in no markup at all: what an author's HTML or Markdown is read into, and every channel's dialect is
// written from. Runs carry their marks instead of nesting in each other, so that whatever was read can be written well-formed.

/** In the order in which they are written, the outermost first. Code has no other mark, as few services show any in it. */
export const MARKS = ["bold", "italic", "underline", "strike", "spoiler", "code"] as const;
export type Mark = (typeof MARKS)[number];

export interface Run {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Of a link: an absolute address of a harmless scheme. */
  readonly href?: string;
}

export interface Block {
  readonly kind: "text" | "quote" | "pre";
  /** Of `pre`. */
  readonly language?: string;
  /** Line breaks are `\n` in their texts. */
  readonly runs: readonly Run[];
}

/** Each block begins a line. */
export type RichText = readonly Block[];

const MAX_HREF = 2000;
const HREF = /^(https?:\/\/|mailto:|tel:|tg:\/\/)[^\s<>"]+$/i;
const LANGUAGE = /^[\w+#.-]{1,32}$/;

/** The address where it can be a link's; undefined for a script, a relative one and one that is too long. */
function safeHref(href: string): string | undefined {
  const trimmed = href.trim();
  return trimmed.length <= MAX_HREF && HREF.test(trimmed) ? trimmed : undefined;
}

export interface RichTextBuilder {
  text(text: string): void;
  begin(mark: Mark): void;
  /** Of a mark that did not begin: nothing. */
  end(mark: Mark): void;
  beginLink(href: string): void;
  endLink(): void;
  beginBlock(kind: "quote" | "pre", language?: string): void;
  endBlock(kind: "quote" | "pre"): void;
  /** Ends the line, unless nothing stands on it; with `blank`, leaves one line empty behind it. */
  endLine(blank?: boolean): void;
  build(): RichText;
}

interface OpenBlock {
  kind: Block["kind"];
  language?: string;
  runs: { text: string; marks: readonly Mark[]; href?: string }[];
}

/** Takes marks in any order and nesting. */
export function createRichText(): RichTextBuilder {
  const blocks: OpenBlock[] = [];
  const open = new Map<Mark, number>();
  const links: (string | undefined)[] = [];
  const within = { quote: 0, pre: 0 };
  let language: string | undefined;
  let marks: readonly Mark[] = [];
  let block: OpenBlock = { kind: "text", runs: [] };
  blocks.push(block);
  /** The last two characters of the block. */
  let tail = "";

  function count(mark: Mark, by: 1 | -1): void {
    open.set(mark, Math.max(0, (open.get(mark) ?? 0) + by));
    const all = MARKS.filter((one) => (open.get(one) ?? 0) > 0);
    marks = all.includes("code") ? ["code"] : all;
  }

  function nextBlock(): void {
    const kind = within.pre > 0 ? "pre" : within.quote > 0 ? "quote" : "text";
    block = { kind, ...(kind === "pre" && language !== undefined && { language }), runs: [] };
    blocks.push(block);
    tail = "";
  }

  function add(text: string): void {
    tail = (tail + text.slice(-2)).slice(-2);
    const plain = block.kind === "pre";
    const href = plain ? undefined : links.find((link) => link !== undefined);
    const run = { text, marks: plain ? [] : marks, ...(href !== undefined && { href }) };
    const last = block.runs.at(-1);
    if (last && last.marks === run.marks && last.href === run.href) last.text += text;
    else block.runs.push(run);
  }

  return {
    text: (text) => text !== "" && add(text),
    begin: (mark) => count(mark, 1),
    end: (mark) => count(mark, -1),
    beginLink: (href) => void links.push(safeHref(href)),
    endLink: () => void links.pop(),
    beginBlock(kind, given) {
      within[kind]++;
      if (kind === "pre") language = given !== undefined && LANGUAGE.test(given) ? given : undefined;
      nextBlock();
    },
    endBlock(kind) {
      if (within[kind] === 0) return;
      within[kind]--;
      nextBlock();
    },
    endLine(blank = false) {
      if (tail === "") return;
      const wanted = blank ? 2 : 1;
      const there = tail === "\n\n" ? 2 : tail.endsWith("\n") ? 1 : 0;
      if (there < wanted) add("\n".repeat(wanted - there));
    },
    build: () => blocks.map(trimmed).filter(({ runs }) => runs.length > 0),
  };
}

/** Without white space around it, as a block begins and ends a line by itself. The first line of code keeps its indentation. */
function trimmed({ runs, ...block }: OpenBlock): Block {
  const kept = runs.map((run) => ({ ...run }));
  const before = block.kind === "pre" ? /^(?:[ \t]*\n)+/ : /^\s+/;
  trimEdge(kept, 0, (text) => text.replace(before, ""));
  trimEdge(kept, -1, (text) => text.trimEnd());
  return { ...block, runs: kept };
}

function trimEdge(runs: { text: string }[], at: 0 | -1, trim: (text: string) => string): void {
  for (let run = runs.at(at); run; run = runs.at(at)) {
    run.text = trim(run.text);
    if (run.text !== "") return;
    runs.splice(at, 1);
  }
}

/** One block of text without formatting. */
export function plainRichText(text: string): RichText {
  const made = createRichText();
  made.text(text);
  return made.build();
}
