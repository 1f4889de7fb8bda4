// Suggests a known word for one that was mistyped.
import { closest, distance } from "fastest-levenshtein";

/** " – did you mean "x"?" if one of the known words is similar, else the empty string. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const best = closest(word, known);
  // Two swapped letters are two edits.
  const tolerated = Math.max(word.length < 4 ? 1 : 2, Math.floor(Math.max(word.length, best.length) / 3));
  return distance(word, best) <= tolerated ? ` – did you mean "${best}"?` : "";
}
