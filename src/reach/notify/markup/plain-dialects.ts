// The dialects of everything but Telegram: plain text, HTML beside it, Pushover's few tags, and Markdown as most services read it.
import type { Piece } from "../../../kit/text/template.ts";
import type { Dialect } from "./dialect.ts";
import { html } from "./html.ts";
import { htmlProblem, PUSHOVER_TAGS } from "./html-problem.ts";
import { readHtmlText, readMarkdownText } from "./read.ts";
import { plainRichText, type RichText } from "./rich-text.ts";
import { eachLine, type Notation, writeBlocks, writeRuns } from "./write.ts";

export const QUOTED = "> ";

const plainNotation: Notation = { marks: {}, escape: (text) => text };

function writePlain(text: RichText): string {
  return writeBlocks(text, {
    text: (runs) => writeRuns(runs, plainNotation),
    quote: (runs) => eachLine(runs, QUOTED, (line) => writeRuns(line, plainNotation)),
    pre: (code) => code,
  });
}

/** No markup at all. */
export const plain: Dialect = {
  compose: (pieces: readonly Piece[]) =>
    pieces.map((piece) => ("markup" in piece ? piece.markup : piece.value)).join(""),
  write: writePlain,
  read: plainRichText,
};

export const tag = (name: string): readonly [string, string] => [`<${name}>`, `</${name}>`];
export const htmlLink = (href: string): readonly [string, string] => [`<a href="${html.escape(href)}">`, "</a>"];
const fewTags = { bold: tag("b"), italic: tag("i"), underline: tag("u") };

const documentNotation: Notation = {
  marks: { ...fewTags, strike: tag("del"), code: tag("code"), spoiler: ["<span data-mx-spoiler>", "</span>"] },
  escape: (text) => html.escape(text).replaceAll("\n", "<br>"),
  link: htmlLink,
};

/** For mail and Matrix: `<br>` for line breaks, and no tag that either does not know. */
function writeHtml(text: RichText): string {
  const blocks = {
    text: (runs: Parameters<typeof writeRuns>[0]) => `<div>${writeRuns(runs, documentNotation)}</div>`,
    quote: (runs: Parameters<typeof writeRuns>[0]) => `<blockquote>${writeRuns(runs, documentNotation)}</blockquote>`,
    pre: (code: string) => `<pre><code>${html.escape(code)}</code></pre>`,
  };
  return writeBlocks(text, blocks, "");
}

/** Plain text, and HTML beside it as `ChannelMessage.html` where the author formatted the text. */
export const plainAndHtml: Dialect = { ...plain, html: writeHtml };

const pushoverNotation: Notation = { marks: fewTags, escape: html.escape, link: htmlLink };

/** Pushover with `html = true`. */
export const pushoverHtml: Dialect = {
  own: "HTML",
  compose: html.compose,
  write: (text) =>
    writeBlocks(text, {
      text: (runs) => writeRuns(runs, pushoverNotation),
      quote: (runs) => eachLine(runs, html.escape(QUOTED), (line) => writeRuns(line, pushoverNotation)),
      pre: html.escape,
    }),
  read: readHtmlText,
  problem: (source) => htmlProblem(source, PUSHOVER_TAGS),
};

const AT_LINE_START = /^(\s*)([#+-]|\d+(?=[.)]))/gm;
const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_[\]<>~|&]/g, "\\$&")
    .replace(AT_LINE_START, (_, space: string, marker: string) =>
      /\d/.test(marker) ? `${space}${marker}\u2060` : `${space}\\${marker}`,
    );

const markdownNotation: Notation = {
  marks: { bold: ["**", "**"], italic: ["*", "*"], strike: ["~~", "~~"], code: ["`", "`"] },
  escape: escapeMarkdown,
  escapeCode: (text) => text.replaceAll("`", "'"),
  link: (href) => ["[", `](${href.replace(/[()\\]/g, encodeURIComponentStrictly)})`],
  apart: "\u200b",
};

function encodeURIComponentStrictly(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

// Two spaces keep a line break from becoming a space.
const hardBreaks = (text: string): string => text.replace(/(?<=\S)\n(?=\S)/g, "  \n");

function writeMarkdown(text: RichText): string {
  const parts = text.map(({ kind, runs, language = "" }) => {
    if (kind === "pre") {
      const code = runs.map((run) => run.text).join("");
      return `~~~${language}\n${code.replaceAll("~~~", "~ ~ ~")}\n~~~`;
    }
    const line = (some: typeof runs): string => writeRuns(some, markdownNotation);
    return kind === "quote"
      ? eachLine(runs, QUOTED, line).replaceAll("\n", "  \n")
      : hardBreaks(eachLine(runs, "", line));
  });
  return parts.join("\n\n");
}

/** Markdown as CommonMark has it: ntfy with its header `Markdown: yes`, and most others. */
export const commonMarkdown: Dialect = {
  compose: (pieces) => pieces.map((piece) => ("markup" in piece ? piece.markup : escapeMarkdown(piece.value))).join(""),
  write: writeMarkdown,
  read: readMarkdownText,
};
