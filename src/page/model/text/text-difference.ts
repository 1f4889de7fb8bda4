// What differs between two texts, line by line.

export interface DifferentLine {
  kind: "same" | "removed" | "added";
  text: string;
}

// Beyond this the table of the comparison takes too long: all lines are shown as other ones.
const MAX_CELLS = 4_000_000;

/** The lines of both, those that both have once. */
export function differenceOf(before: string, after: string): DifferentLine[] {
  const [old, next] = [before.split("\n"), after.split("\n")];
  if (old.length * next.length > MAX_CELLS) return [...asLines("removed", old), ...asLines("added", next)];
  const lengths = commonLengths(old, next);
  const at = (row: number, column: number): number => lengths[row * (next.length + 1) + column] ?? 0;
  const lines: DifferentLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < next.length) {
    const [left, right] = [old[row], next[column]];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      row++;
      column++;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: "removed", text: left });
      row++;
    } else {
      lines.push({ kind: "added", text: right ?? "" });
      column++;
    }
  }
  return lines;
}

/** For each pair of places, how many lines both have in common from there on. */
function commonLengths(old: readonly string[], next: readonly string[]): Uint32Array {
  const width = next.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = next.length - 1; column >= 0; column--) {
      const place = row * width + column;
      const longer = Math.max(lengths[place + width] ?? 0, lengths[place + 1] ?? 0);
      lengths[place] = old[row] === next[column] ? (lengths[place + width + 1] ?? 0) + 1 : longer;
    }
  }
  return lengths;
}

function asLines(kind: DifferentLine["kind"], lines: readonly string[]): DifferentLine[] {
  return lines.map((text) => ({ kind, text }));
}
