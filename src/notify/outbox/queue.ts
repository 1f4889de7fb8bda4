// The letters of one channel in their order; alike ones are found.
import type { Letter, Likeness } from "./letter.ts";

export interface Queue {
  /** The oldest first. */
  readonly letters: readonly Letter[];
  readonly bytes: number;
  add(letter: Letter): void;
  remove(letter: Letter): void;
  /** One that waits, so that its text may still change. */
  alike(likeness: Likeness): Letter | undefined;
}

export function createQueue(): Queue {
  const letters: Letter[] = [];
  const byLikeness = new Map<Likeness, Letter>();
  let bytes = 0;
  return {
    letters,
    get bytes() {
      return bytes;
    },
    add(letter) {
      letters.push(letter);
      byLikeness.set(letter.likeness, letter);
      bytes += letter.bytes;
    },
    remove(letter) {
      const index = letters.indexOf(letter);
      if (index < 0) return;
      letters.splice(index, 1);
      if (byLikeness.get(letter.likeness) === letter) byLikeness.delete(letter.likeness);
      bytes -= letter.bytes;
    },
    alike(likeness) {
      const letter = byLikeness.get(likeness);
      return letter?.state === "waiting" ? letter : undefined;
    },
  };
}
