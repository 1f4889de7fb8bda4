// The beginning of a text that is too long to be kept, before it is written for channels: markup that is open at the cut is mended as
// in any other text.
import type { Piece } from "../../kit/text/template.ts";

/** At most `longest` UTF-16 units; a cut leaves an ellipsis. */
export function beginningOf(pieces: readonly Piece[], longest: number): readonly Piece[] {
  let left = longest;
  const kept: Piece[] = [];
  for (const piece of pieces) {
    const text = "markup" in piece ? piece.markup : piece.value;
    const own = text.slice(0, left).toWellFormed();
    if (own !== "") kept.push("markup" in piece ? { markup: own } : { value: own });
    if (text.length > left) return [...kept, { value: "…" }];
    left -= text.length;
  }
  return kept;
}
