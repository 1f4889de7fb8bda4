// The three dialects of Telegram's Bot API, each by its `parse_mode`.
import type { Dialect, OwnMarkup } from "./dialect.ts";
import { html } from "./html.ts";
import { htmlProblem, TELEGRAM_TAGS } from "./html-problem.ts";
import { markdown } from "./markdown.ts";
import { markdownV2 } from "./markdown-v2.ts";
import type { Token } from "./markup.ts";
import { htmlLink, QUOTED, tag } from "./plain-dialects.ts";
import { readHtmlText } from "./read.ts";
import { readTokens } from "./read-tokens.ts";
import type { Mark, Run } from "./rich-text.ts";
import { asLinks, eachLine, type Notation, writeBlocks, writeRuns } from "./write.ts";

// `>` is one only within a line.
const RESERVED = /[[\]()~`>#+\-=|{}.!*_]/;

const htmlNotation: Notation = {
  marks: {
    ...{ bold: tag("b"), italic: tag("i"), underline: tag("u"), strike: tag("s") },
    ...{ code: tag("code"), spoiler: tag("tg-spoiler") },
  },
  escape: html.escape,
  link: htmlLink,
};

function preInHtml(code: string, language: string | undefined): string {
  const escaped = html.escape(code);
  if (language === undefined) return `<pre>${escaped}</pre>`;
  return `<pre><code class="language-${language}">${escaped}</code></pre>`;
}

const telegramHtml: Dialect = {
  own: "HTML",
  compose: html.compose,
  write: (text) =>
    writeBlocks(text, {
      text: (runs) => writeRuns(runs, htmlNotation),
      quote: (runs) => `<blockquote>${writeRuns(runs, htmlNotation)}</blockquote>`,
      pre: preInHtml,
    }),
  read: readHtmlText,
  problem: (source) => htmlProblem(source, TELEGRAM_TAGS),
};

const escapeV2Code = (text: string): string => text.replace(/[`\\]/g, "\\$&");

const v2Notation: Notation = {
  marks: {
    ...{ bold: ["*", "*"], italic: ["_", "_"], underline: ["__", "__"], strike: ["~", "~"] },
    ...{ spoiler: ["||", "||"], code: ["`", "`"] },
  },
  escape: markdownV2.escape,
  escapeCode: escapeV2Code,
  link: (href) => ["[", `](${href.replace(/[)\\]/g, "\\$&")})`],
  between: markdownV2.between,
};

const telegramMarkdownV2: Dialect = {
  own: "MarkdownV2",
  compose: markdownV2.compose,
  write: (text) =>
    writeBlocks(text, {
      text: (runs) => writeRuns(runs, v2Notation),
      // Marks end with each line: one that is open over the edge of a quote is refused.
      quote: (runs) => eachLine(runs, ">", (line) => writeRuns(line, v2Notation)),
      pre: (code, language = "") => `\`\`\`${language}\n${escapeV2Code(code)}\`\`\``,
    }),
  read: (source) => readTokens(source, markdownV2),
  problem: markdownV2Problem,
};

// Nothing nests there: of several marks, the first that it has.
const MARKERS: readonly (readonly [Mark, string])[] = [
  ["code", "`"],
  ["bold", "*"],
  ["italic", "_"],
];

function writeRun({ text, marks, href }: Run): string {
  if (href !== undefined)
    return `[${text.replaceAll("]", ")")}](${href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
  const marker = MARKERS.find(([mark]) => marks.includes(mark))?.[1];
  if (marker === undefined) return markdown.escape(text);
  if (marker === "`") return `\`${text.replaceAll("`", "'")}\``;
  // A marker inside closes the mark, is escaped, and opens it again.
  return marker + text.replaceAll(marker, `${marker}\\${marker}${marker}`) + marker;
}

const WORD_JOINER = "\u2060";

function writeLine(runs: readonly Run[]): string {
  return asLinks(runs, { link: true })
    .map(writeRun)
    .reduce((written, run) => {
      // A backslash at the end of a text would escape the marker behind it.
      const touches = written.endsWith("\\") && /^[_*`[]/.test(run);
      return written + (touches ? WORD_JOINER : "") + run;
    }, "");
}

const telegramMarkdown: Dialect = {
  own: "Markdown",
  compose: markdown.compose,
  write: (text) =>
    writeBlocks(text, {
      text: writeLine,
      quote: (runs) => eachLine(runs, QUOTED, writeLine),
      pre: (code) => `\`\`\`\n${code.replaceAll("`", "'")}\`\`\``,
    }),
  read: (source) => readTokens(source, markdown),
  problem: markdownProblem,
};

/** By `parse_mode`. */
export const telegramDialects: Readonly<Record<OwnMarkup, Dialect>> = {
  HTML: telegramHtml,
  Markdown: telegramMarkdown,
  MarkdownV2: telegramMarkdownV2,
};

/** Why Telegram would refuse a text in one of its Markdowns, before it is sent. */
function markdownV2Problem(source: string): string | undefined {
  const open: { marker: string; close: string }[] = [];
  for (const token of markdownV2.tokens(source)) {
    if (token.kind === "open") open.push({ marker: token.source, close: token.span.close });
    else if (token.kind === "close") {
      const closed = open.pop();
      if (closed?.marker === "![" && !token.source.startsWith("](tg://")) return "after ![ ] stands (tg://emoji?id=…)";
      if (closed?.marker.endsWith("[") && token.source !== "]" && !token.source.endsWith(")"))
        return "a link has no end";
    } else {
      const code = open.at(-1)?.marker.startsWith("`") === true;
      const reserved = isEscaped(token) ? undefined : (code ? /`/ : RESERVED).exec(token.source)?.[0];
      if (reserved !== undefined) return `the character ${reserved} is written \\${reserved}`;
    }
  }
  return unclosed(open.filter(({ close }) => close !== "").map(({ marker }) => marker));
}

/** A marker that is text to our tokens has no second one. */
function markdownProblem(source: string): string | undefined {
  const inside: Token[] = [];
  for (const token of markdown.tokens(source)) {
    if (token.kind === "open") inside.push(token);
    else if (token.kind === "close") inside.pop();
    else if (inside.length === 0 && !isEscaped(token)) {
      const marker = /[_*`[]/.exec(token.source)?.[0];
      if (marker !== undefined) return unclosed([marker]);
    }
  }
  return undefined;
}

function isEscaped(token: Token): boolean {
  return token.kind === "text" && token.visible < token.source.length;
}

function unclosed([marker]: readonly string[]): string | undefined {
  return marker === undefined
    ? undefined
    : `${marker.trim()} is not closed; a ${marker.trim()} that is text is written \\${marker.trim()[0]}`;
}
