// Chance that repeats itself: the same seed and words give the same number, in every process and on every machine.
import type { Span, World } from "./kind.ts";

/** Evenly spread from 0 up to, but not including, 1. */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  return Bun.hash.xxHash32(words.join("/"), seed) / 2 ** 32;
}

/** Whether something that happens `perHour` times on average happens within the span. */
export function happens(name: string, perHour: number, { fromSecs, toSecs }: Span, { seed }: World): boolean {
  const probability = 1 - Math.exp((-perHour * (toSecs - fromSecs)) / 3600);
  return chance(seed, name, Math.round(toSecs * 1000)) < probability;
}

export function hourOfDay(secs: number): number {
  return (secs / 3600) % 24;
}
