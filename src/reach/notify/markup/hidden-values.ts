// Values in a text while a parser reads the author's markup around them: a value is hidden behind a mark that no markup knows, and is
// put back where the mark arrives, so that nothing in it can be read as markup.
import type { Piece } from "../../../kit/text/template.ts";

// Noncharacters, which `clean` removes from all texts.
const OPEN = "\uFDD0";
const CLOSE = "\uFDD1";
const HIDDEN = /\uFDD0(\d+)\uFDD1/g;

export interface HiddenValues {
  /** The author's text, with marks in the places of values. */
  readonly source: string;
  /** Puts the values back. */
  reveal(text: string): string;
  /** The same in an address, where they are percent-encoded; a value that is the beginning of one stays as it is. */
  revealInHref(href: string): string;
}

export function hideValues(pieces: readonly Piece[]): HiddenValues {
  const values: string[] = [];
  const source = pieces
    .map((piece) => ("markup" in piece ? piece.markup : OPEN + (values.push(piece.value) - 1) + CLOSE))
    .join("");
  const shown = (index: string): string => values[Number(index)] ?? "";
  return {
    source,
    reveal: (text) => text.replace(HIDDEN, (_, index: string) => shown(index)),
    revealInHref: (href) =>
      href.replace(HIDDEN, (_, index: string, at: number) =>
        at === 0 ? shown(index) : encodeURIComponent(shown(index)),
      ),
  };
}
