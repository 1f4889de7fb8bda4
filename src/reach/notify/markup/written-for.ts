// One text of an author, written for one channel: in the markup that the author named, or, where nothing is named, in the channel's
// own, unless it is plainly written in another one. Whatever it is, the channel's service accepts what comes out.

import { isBlank } from "../../../kit/text/clean-text.ts";
import type { Piece } from "../../../kit/text/template.ts";
import type { Dialect, OwnMarkup } from "./dialect.ts";
import { html } from "./html.ts";
import { looksLikeHtml } from "./html-tags.ts";
import { type AuthorsMarkup, readHtmlText, readMarkup } from "./read.ts";
import type { RichText } from "./rich-text.ts";
import { telegramDialects } from "./telegram-dialects.ts";

export interface Written {
  readonly message: string;
  readonly html?: string;
  /** What its author should know. */
  readonly note?: string;
}

export interface WrittenOptions {
  /** What the author wrote in, where that is said. */
  markup?: AuthorsMarkup | undefined;
  /** The own markups of all channels that get the same text: it may be written in one of them. */
  shared?: ReadonlySet<OwnMarkup> | undefined;
}

export function writtenFor(
  dialect: Dialect,
  pieces: readonly Piece[],
  { markup, shared }: WrittenOptions = {},
): Written {
  if (markup !== undefined) return from(dialect, readMarkup(markup, pieces), markup !== "none");
  const foreign = readForeign(dialect, pieces, shared);
  if (foreign) return from(dialect, foreign, true);
  const message = dialect.compose(pieces);
  const problem = dialect.problem?.(message);
  if (problem === undefined) return { message };
  return { message: dialect.write(dialect.read(message)), note: `its markup was mended: ${problem}` };
}

function from(dialect: Dialect, text: RichText, formatted: boolean): Written {
  const message = dialect.write(text);
  return { message, ...(formatted && dialect.html && { html: dialect.html(text) }) };
}

/** The text where it is in another markup than the channel's own. */
export function readForeign(
  { own }: Dialect,
  pieces: readonly Piece[],
  shared: ReadonlySet<OwnMarkup> = new Set(),
): RichText | undefined {
  const authors = pieces.map((piece) => ("markup" in piece ? piece.markup : "x")).join("");
  if (own !== "HTML" && looksLikeHtml(authors)) return readHtmlText(html.compose(pieces));
  for (const other of ["MarkdownV2", "Markdown"] as const) {
    if (own === other || !shared.has(other) || !looksLike[other].test(authors)) continue;
    if (own === "HTML" && /<[a-z]/i.test(authors)) continue;
    const { compose, problem, read } = telegramDialects[other];
    const source = compose(pieces);
    if (problem?.(source) === undefined) return read(source);
  }
  return undefined;
}

// A pair of markers around words; a link; in MarkdownV2 also what only there is written with a backslash.
const PAIR = String.raw`(?<![\w*_~|])([*_~]|\|\||__)(?!\s)[^*_~|\n]+(?<!\s)\1(?![\w*_~|])`;
const CODE_OR_LINK = "`[^`]+`|\\[[^\\]\\n]+\\]\\(\\S+\\)";
const looksLike: Readonly<Record<Exclude<OwnMarkup, "HTML">, RegExp>> = {
  Markdown: new RegExp(`${PAIR}|${CODE_OR_LINK}`),
  MarkdownV2: new RegExp(String.raw`\\[_*[\]()~\x60>#+\-=|{}.!]|${PAIR}|${CODE_OR_LINK}`),
};

/** Whether a person would see nothing of it: only white space, or markers around nothing. */
export function showsNothing({ own }: Dialect, { message }: Written): boolean {
  if (own === "HTML") return isBlank(message.replace(/<[^<>]*>/g, ""));
  return isBlank(own === undefined || message.includes("\\") ? message : message.replace(/[*_~`|]/g, ""));
}
