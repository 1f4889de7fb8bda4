// Reads Markdown as CommonMark has it, with ~~strike~~ and ||spoiler|| besides, into a text with formatting. A line break is a line
// break. markdown-it parses it, as it bounds its own depth; loaded when it is first needed, by markup/read.ts.
import MarkdownIt, { type Token } from "markdown-it";
import { lazy } from "../../../kit/time/lazy.ts";
import type { HiddenValues } from "./hidden-values.ts";
import { createRichText, type Mark, type RichText, type RichTextBuilder } from "./rich-text.ts";

const MARK_TOKENS: Readonly<Record<string, Mark>> = { strong: "bold", em: "italic", s: "strike" };
const SPOILER = "||";
const RULE = "———";

// Tables and code by indentation are seldom meant in a message; joined texts would not show what was escaped.
const parser = lazy(() =>
  new MarkdownIt({ html: false, breaks: true, maxNesting: 30 }).disable(["table", "code", "text_join"]),
);

export function readMarkdown(values: HiddenValues): RichText {
  const made = createRichText();
  const lists: { next: number | undefined }[] = [];
  const inline = createInline(made, values);
  // The links are checked by `beginLink`, for all markups alike.
  for (const token of parser().parse(values.source, {})) blockToken(token);
  return made.build();

  function blockToken(token: Token): void {
    const isList = /^(bullet|ordered)_list_/.test(token.type);
    if (token.type === "inline") inline(token.children ?? []);
    else if (token.type === "paragraph_close") made.endLine(!token.hidden && lists.length === 0);
    else if (token.type === "blockquote_open") made.beginBlock("quote");
    else if (token.type === "blockquote_close") made.endBlock("quote");
    else if (token.type === "list_item_open") {
      made.endLine();
      made.text(bullet());
    } else if (isList && token.nesting === 1) {
      made.endLine();
      lists.push({ next: token.type.startsWith("ordered") ? startOf(token) : undefined });
    } else if (isList) {
      lists.pop();
      made.endLine(lists.length === 0);
    } else wholeBlock(token);
  }

  function wholeBlock({ type, info, content }: Token): void {
    if (type === "heading_open") {
      made.endLine(true);
      made.begin("bold");
    } else if (type === "heading_close") {
      made.end("bold");
      made.endLine();
    } else if (type === "fence") {
      made.beginBlock("pre", info.trim().split(/\s/)[0] ?? "");
      made.text(values.reveal(content));
      made.endBlock("pre");
    } else if (type === "hr") {
      made.endLine();
      made.text(RULE);
      made.endLine();
    }
  }

  function bullet(): string {
    const list = lists.at(-1);
    const number = list?.next;
    if (list && number !== undefined) list.next = number + 1;
    return `${"  ".repeat(Math.max(0, lists.length - 1))}${number === undefined ? "•" : `${number}.`} `;
  }
}

function startOf(token: Token): number {
  return Number(token.attrs?.find(([name]) => name === "start")?.[1] ?? 1);
}

function createInline(made: RichTextBuilder, { reveal, revealInHref }: Omit<HiddenValues, "source">) {
  return function inline(tokens: readonly Token[]): void {
    let markers = tokens.reduce((sum, { type, content }) => sum + (type === "text" ? markersIn(content) : 0), 0);
    let spoiler = false;
    for (const token of tokens) {
      const mark = MARK_TOKENS[token.type.replace(/_(open|close)$/, "")];
      if (mark && token.nesting === 1) made.begin(mark);
      else if (mark) made.end(mark);
      else if (token.type === "text") text(token.content);
      else if (token.type === "text_special") made.text(reveal(token.content));
      else if (token.type === "softbreak" || token.type === "hardbreak") made.text("\n");
      else if (token.type === "code_inline") {
        made.begin("code");
        made.text(reveal(token.content));
        made.end("code");
      } else if (token.type === "link_open") made.beginLink(hrefOf(token));
      else if (token.type === "link_close") made.endLink();
      else if (token.type === "image") made.text(reveal(token.content));
    }
    if (spoiler) made.end("spoiler");

    function text(content: string): void {
      for (const [index, part] of content.split(SPOILER).entries()) {
        if (index > 0) {
          // A last one without its pair is text.
          if (!spoiler && markers === 1) made.text(SPOILER);
          else {
            if (spoiler) made.end("spoiler");
            else made.begin("spoiler");
            spoiler = !spoiler;
          }
          markers--;
        }
        made.text(reveal(part));
      }
    }
  };

  function hrefOf(token: Token): string {
    const href = String(token.attrs?.find(([name]) => name === "href")?.[1] ?? "");
    return revealInHref(decodedMarks(href));
  }
}

function markersIn(content: string): number {
  return content.split(SPOILER).length - 1;
}

/** The parser percent-encodes addresses, and with them the marks of hidden values. */
function decodedMarks(href: string): string {
  return href.replace(/%EF%B7%90(\d+)%EF%B7%91/gi, "\uFDD0$1\uFDD1");
}
