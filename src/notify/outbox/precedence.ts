// Whose turn it is. The oldest letter's, also while its service is in trouble: then all of them wait in their order. One that the
// service itself refuses again and again could hold up all behind it, though. So after some refusals another is tried right
// behind it, and only if that one gets through it was the letter, which then gives way: it comes when nothing else waits.
import type { HoursClock, Letter } from "./letter.ts";

export interface Turn {
  readonly letter: Letter;
  /** Tried in the pause after the oldest was refused, to see whether the service takes anything. */
  readonly trial: boolean;
  /** What it has to wait for itself. */
  readonly waitMs: number;
}

export interface Precedence {
  next(): Turn | undefined;
  /** Whether there are any that did not give way. */
  busy(): boolean;
  gaveWay(letter: Letter): boolean;
  /** Whether the oldest may hold up the others for what is in it. */
  doubtful(): boolean;
  /** It did not get through; `refused`: the service answered, and that may be about this one alone. */
  failed(letter: Letter, refused: boolean): void;
  /** It got through; returns the one that gives way by that. */
  delivered(letter: Letter): Letter | undefined;
  /** A person does not want to wait. */
  now(): void;
}

const REFUSALS = 5;
const AGAIN_MS = 10 * 60_000;

/** `letters` are those of one channel in their order, as they come and go. */
export function createPrecedence(letters: readonly Letter[], hours: HoursClock): Precedence {
  const refusals = new WeakMap<Letter, number>();
  /** Those that gave way, and when each may be tried again, by the hours' clock. */
  const again = new WeakMap<Letter, number>();
  let trial: { of: Letter; with: Letter } | undefined;

  const refusalsOf = (letter: Letter): number => refusals.get(letter) ?? 0;
  const againAt = (letter: Letter): number => again.get(letter) ?? 0;
  const oldest = (): Letter | undefined => letters.find((letter) => !again.has(letter));

  /** For a trial: one that was refused least, so that two that are refused do not prove each other right. */
  function leastRefused(but: Letter): Letter | undefined {
    const others = letters.filter((letter) => letter !== but && !again.has(letter));
    return others.toSorted((a, b) => refusalsOf(a) - refusalsOf(b))[0];
  }

  return {
    next() {
      if (trial?.of.state === "waiting" && trial.with.state === "waiting") {
        return { letter: trial.with, trial: true, waitMs: 0 };
      }
      const letter = oldest() ?? letters.toSorted((a, b) => againAt(a) - againAt(b))[0];
      return letter && { letter, trial: false, waitMs: again.has(letter) ? againAt(letter) - hours() : 0 };
    },
    busy: () => oldest() !== undefined,
    gaveWay: (letter) => again.has(letter),
    doubtful() {
      const letter = oldest();
      return letter !== undefined && refusalsOf(letter) >= REFUSALS;
    },
    failed(letter, refused) {
      const wasTrial = trial?.with === letter;
      trial = undefined;
      if (again.has(letter)) again.set(letter, hours() + AGAIN_MS);
      if (!refused) return;
      refusals.set(letter, refusalsOf(letter) + 1);
      if (wasTrial || again.has(letter) || refusalsOf(letter) < REFUSALS) return;
      const other = leastRefused(letter);
      if (other) trial = { of: letter, with: other };
    },
    delivered(letter) {
      const given = trial?.with === letter ? trial.of : undefined;
      trial = undefined;
      if (given) again.set(given, hours() + AGAIN_MS);
      return given;
    },
    now() {
      trial = undefined;
      for (const letter of letters) if (again.has(letter)) again.set(letter, 0);
    },
  };
}
