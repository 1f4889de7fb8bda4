// Texts that have to fit: cut between what people see as characters, with an ellipsis.
import { charactersOf, type Markup } from "./markup.ts";
import { splitText } from "./split.ts";

const ELLIPSIS = "…";

/** At most `limit` code points. */
export function shorten(text: string, limit: number): string {
  if (codePoints(text) <= limit) return text;
  let left = limit - ELLIPSIS.length;
  let kept = "";
  // Nothing behind so many units can be kept; a long text need not be taken apart whole.
  for (const character of charactersOf(text.slice(0, limit * 4))) {
    left -= codePoints(character);
    if (left < 0) break;
    kept += character;
  }
  return kept.trimEnd() + ELLIPSIS;
}

/** `shorten` for a text with markup, which stays whole. */
export function shortenMarkup(markup: Markup, text: string, limit: number): string {
  if (codePoints(text) <= limit) return text;
  const room = limit - ELLIPSIS.length;
  return (splitText(markup, text, { visible: room, source: room })[0] ?? "") + ELLIPSIS;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
