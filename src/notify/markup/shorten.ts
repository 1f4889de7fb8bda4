// Texts that have to fit: cut between what people see as characters, with an ellipsis. What is marked is marked to its end.
import { type Markup, type Span, unmarked } from "./markup.ts";

const ELLIPSIS = "…";
// Nothing behind so many units for each character can be kept; a long text need not be taken apart whole.
const LONGEST_CHARACTER = 64;

/** At most `limit` code points, markup included. For markups, as HTML, that need nothing `between` what is closed. */
export function shorten(text: string, limit: number, markup: Markup = unmarked): string {
  if (codePoints(text) <= limit) return text;
  let left = limit - ELLIPSIS.length;
  let kept = "";
  const open: Span[] = [];
  for (const token of markup.tokens(text.slice(0, limit * LONGEST_CHARACTER))) {
    // What ends here had its place reserved when it began.
    if (token.kind === "close") open.pop();
    else left -= codePoints(token.source);
    if (token.kind === "open") left -= codePoints(token.span.close);
    if (left < 0) break;
    if (token.kind === "open") open.push(token.span);
    kept += token.source;
  }
  return open.reduceRight((whole, { close }) => whole + close, kept + ELLIPSIS);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
