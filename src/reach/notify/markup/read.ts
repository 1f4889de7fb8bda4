// The door to the two markups that an author may name, and to their parsers, which are loaded at the first text that names one.
import type { Piece } from "../../../kit/text/template.ts";
import { type HiddenValues, hideValues } from "./hidden-values.ts";
import { plainRichText, type RichText } from "./rich-text.ts";

/** What an author writes in, where he says so. */
export const AUTHORS_MARKUPS = ["html", "markdown", "none"] as const;
export type AuthorsMarkup = (typeof AUTHORS_MARKUPS)[number];

// Some texts take the parser a time that grows with their square. A rule's text is shorter than this.
const MAX_MARKDOWN = 30_000;

/** Never fails: what is no markup is text. Values are never read as markup. */
export function readMarkup(markup: AuthorsMarkup, pieces: readonly Piece[]): RichText {
  const values = hideValues(pieces);
  if (markup === "html") return loadHtml().readHtml(values);
  if (markup === "markdown" && values.source.length <= MAX_MARKDOWN) return loadMarkdown().readMarkdown(values);
  return plainRichText(values.reveal(values.source));
}

/** HTML with all values in it. */
export function readHtmlText(source: string): RichText {
  return loadHtml().readHtml(withoutValues(source));
}

/** Markdown with all values in it. */
export function readMarkdownText(source: string): RichText {
  return loadMarkdown().readMarkdown(withoutValues(source));
}

function withoutValues(source: string): HiddenValues {
  return { source, reveal: (text) => text, revealInHref: (href) => href };
}

// Not by `import()`, for which whoever renders a message would have to wait.
function loadHtml(): typeof import("./read-html.ts") {
  return require("./read-html.ts");
}

function loadMarkdown(): typeof import("./read-markdown.ts") {
  return require("./read-markdown.ts");
}
