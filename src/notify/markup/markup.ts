// A markup as the channels need it: values that stand for themselves, and tokens, so that a text can be cut between them.
import type { Piece } from "../channel.ts";

/** What is marked: how it begins and how it ends. */
export interface Span {
  readonly open: string;
  close: string;
}

export type Token =
  | {
      readonly kind: "text";
      readonly source: string;
      /** UTF-16 units that are seen. */
      readonly visible: number;
      /** White space a text may be broken at. */
      readonly gap?: "line" | "space";
    }
  | { readonly kind: "open"; readonly source: string; readonly span: Span }
  | { readonly kind: "close"; readonly source: string };

export interface Markup {
  escape(value: string): string;
  compose(pieces: readonly Piece[]): string;
  /** Forgiving: what is no markup is text. All sources together are the text. */
  tokens(source: string): Token[];
  /** What must stand between two pieces of markup that would be read as something else side by side. */
  between(left: string, right: string): string;
  bold(text: string): string;
  /** The text as typed, without escapes. */
  plain(source: string): string;
}

/** Composes a text where escaping does not depend on what stands around it. */
export function composeWith(escapeText: (value: string) => string): Markup["compose"] {
  return (pieces) => pieces.map((piece) => ("markup" in piece ? piece.markup : escapeText(piece.value))).join("");
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
// A letter can bear any number of marks; then it is cut after all.
const LONGEST_GRAPHEME = 64;

/** Ordinary text as tokens that are not cut: what a person sees as one character. */
export function textTokens(run: string): Token[] {
  // Plain ASCII is by far the most of it, and needs no table of characters; a return before a line feed is one with it.
  const characters = /^[\n\x20-\x7e]*$/.test(run) ? run : charactersOf(run);
  const tokens: Token[] = [];
  for (const source of characters) tokens.push(textToken(source, source.length));
  return tokens;
}

/** What a person sees as characters. */
export function charactersOf(text: string): string[] {
  return [...graphemes.segment(text)].flatMap(({ segment }) =>
    segment.length > LONGEST_GRAPHEME ? [...segment] : [segment],
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
