// Text of unknown origin on a terminal or in a list.

const LONGEST = 500;

/** On one line, and without what would move the cursor or reverse the reading direction. Long texts are cut. */
export function printable(text: string): string {
  const plain = text.replace(/\s*[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\s*/gu, " ").trim();
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}
