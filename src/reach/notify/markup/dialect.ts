// What a channel names to say how its texts are written. `speaks` is the line that a new channel needs; a channel without it gets
// plain text.
import type { Piece } from "../../../kit/text/template.ts";
import type { RichText } from "./rich-text.ts";

/** The markup in which a text is that says nothing of its markup; undefined: none. */
export type OwnMarkup = "HTML" | "Markdown" | "MarkdownV2";

export interface Dialect {
  readonly own?: OwnMarkup;
  /** Joins the author's text in the dialect's own markup and the values, which are escaped. */
  compose(pieces: readonly Piece[]): string;
  /** Well-formed in the dialect, whatever the text is. */
  write(text: RichText): string;
  /** For channels that send both: HTML with `<br>` for line breaks, beside the plain text of `write`. */
  html?(text: RichText): string;
  /** Reads a text in its own markup as far as that goes. Never fails. */
  read(source: string): RichText;
  /** Why the service would refuse this text in the dialect's own markup, in words for its author. */
  problem?(source: string): string | undefined;
}

/** What a channel has of its dialect. */
export function speaks(dialect: Dialect): { readonly dialect: Dialect; readonly compose: Dialect["compose"] } {
  return { dialect, compose: dialect.compose };
}
