// What a channel needs of a markup: escaping values, and tokens, so that a text can be cut between them.
import type { Piece } from "../../../kit/text/template.ts";
import { lazy } from "../../../kit/time/lazy.ts";

/** A marked piece of text: its opening and closing marker. */
export interface Span {
  readonly open: string;
  close: string;
}

export type Token =
  | {
      readonly kind: "text";
      readonly source: string;
      /** UTF-16 units without the markup. */
      readonly visible: number;
      /** White space a text may be broken at. */
      readonly gap?: "line" | "space";
    }
  | { readonly kind: "open"; readonly source: string; readonly span: Span }
  | { readonly kind: "close"; readonly source: string };

export interface Markup {
  escape(value: string): string;
  compose(pieces: readonly Piece[]): string;
  /** Never fails: what is no valid markup is text. The sources joined are the text. */
  tokens(source: string): Token[];
  /** Separates two pieces of markup that would have another meaning side by side. */
  between(left: string, right: string): string;
  bold(text: string): string;
  /** The text as typed, without escapes. */
  plain(source: string): string;
}

/** `compose` for a markup in which escaping does not depend on the text around the value. */
export function composeWith(escapeText: (value: string) => string): Markup["compose"] {
  return (pieces) => pieces.map((piece) => ("markup" in piece ? piece.markup : escapeText(piece.value))).join("");
}

const graphemes = lazy(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));
// A letter can have any number of combining marks; a longer one is cut nevertheless.
const MAX_GRAPHEME = 64;

/** Ordinary text as tokens that must not be cut: what a person sees as one character. */
export function textTokens(run: string): Token[] {
  // A fast path for plain ASCII. CR is not in it, as CR LF is one character.
  const characters = /^[\n\x20-\x7e]*$/.test(run) ? run : charactersOf(run);
  const tokens: Token[] = [];
  for (const source of characters) tokens.push(textToken(source, source.length));
  return tokens;
}

/** Splits a text into what a person sees as characters. */
export function charactersOf(text: string): string[] {
  return [...graphemes().segment(text)].flatMap(({ segment }) =>
    segment.length > MAX_GRAPHEME ? [...segment] : [segment],
  );
}

export function textToken(source: string, visible: number): Token {
  if (source === "\n" || source === "\r\n") return { kind: "text", source, visible, gap: "line" };
  return source === " " || source === "\t"
    ? { kind: "text", source, visible, gap: "space" }
    : { kind: "text", source, visible };
}

export const unmarked: Markup = {
  escape: (value) => value,
  compose: composeWith((value) => value),
  tokens: textTokens,
  between: () => "",
  bold: (text) => text,
  plain: (source) => source,
};
