// Reads a text in one of Telegram's Markdowns, by the same tokens by which it is split, into a text with formatting.
import type { Markup, Span } from "./markup.ts";
import { createRichText, type Mark, type RichText, type RichTextBuilder } from "./rich-text.ts";

const MARKS: Readonly<Record<string, readonly Mark[]>> = {
  "*": ["bold"],
  _: ["italic"],
  __: ["underline"],
  "~": ["strike"],
  "||": ["spoiler"],
  "`": ["code"],
};

/** Markers that do not close are text where they stand between spaces or within a word, and else are left out. */
export function readTokens(source: string, markup: Pick<Markup, "tokens" | "plain">): RichText {
  const made = createRichText();
  const tokens = markup.tokens(source);
  const closed = closedSpans(tokens);
  const open: Span[] = [];
  let at = 0;
  for (const token of tokens) {
    if (token.kind === "text") {
      // In the older Markdown, a marker that does not close is text already.
      const isLost =
        open.length === 0 && token.visible === 1 && /^[_*`[]$/.test(token.source) && isMarker(source, at, 1);
      if (!isLost) made.text(markup.plain(token.source));
    } else if (token.kind === "open") {
      if (closed.has(token.span) || token.span.close === "") begin(made, token.span);
      else if (!isMarker(source, at, token.source.length)) made.text(token.source);
      open.push(token.span);
    } else {
      const span = open.pop();
      if (span) end(made, span);
    }
    at += token.source.length;
  }
  return made.build();
}

function closedSpans(tokens: ReturnType<Markup["tokens"]>): ReadonlySet<Span> {
  const open: Span[] = [];
  const closed = new Set<Span>();
  for (const token of tokens) {
    if (token.kind === "open") open.push(token.span);
    else if (token.kind === "close") {
      const span = open.pop();
      if (span) closed.add(span);
    }
  }
  return closed;
}

/** Beside a word on one side only: what an author meant to be markup. */
function isMarker(source: string, at: number, length: number): boolean {
  const isWord = (character: string | undefined): boolean => /[\p{L}\p{N}]/u.test(character ?? " ");
  return isWord(source[at - 1]) !== isWord(source[at + length]);
}

function begin(made: RichTextBuilder, { open, close }: Span): void {
  if (open.startsWith("```")) made.beginBlock("pre", open.slice(3).trim());
  else if (open === ">") made.beginBlock("quote");
  else if (open === "[" || open === "![")
    made.beginLink(/^\]\(([\s\S]*)\)$/.exec(close)?.[1]?.replace(/\\(.)/g, "$1") ?? "");
  else for (const mark of MARKS[open] ?? []) made.begin(mark);
}

function end(made: RichTextBuilder, { open }: Span): void {
  if (open.startsWith("```")) made.endBlock("pre");
  else if (open === ">") made.endBlock("quote");
  else if (open === "[" || open === "![") made.endLink();
  else for (const mark of MARKS[open] ?? []) made.end(mark);
}
