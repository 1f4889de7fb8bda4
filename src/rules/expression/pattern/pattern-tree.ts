// What a pattern of `matches()` means, before it is run: the common part of RE2's and JavaScript's syntax.

/** Whether a code point is one of a set. */
export type Accepts = (codePoint: number) => boolean;
export type Edge = "text_start" | "text_end" | "line_start" | "line_end" | "word_edge" | "no_word_edge";

export type PatternNode =
  | { kind: "one"; accepts: Accepts }
  | { kind: "edge"; edge: Edge }
  | { kind: "sequence"; parts: PatternNode[] }
  | { kind: "either"; branches: PatternNode[] }
  | { kind: "repeat"; part: PatternNode; least: number; most: number };

export interface PatternFlags {
  ignoreCase: boolean;
  dotAll: boolean;
  multiline: boolean;
}

export class PatternProblem extends Error {}

export function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** `\d`, `\w`, `\s` and their opposites, as in RE2: ASCII only. */
export const SETS: Readonly<Record<string, Accepts>> = {
  d: (code) => code >= 48 && code <= 57,
  D: (code) => code < 48 || code > 57,
  w: isWordCharacter,
  W: (code) => !isWordCharacter(code),
  s: isSpace,
  S: (code) => !isSpace(code),
};

export const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 };

/** Accepts one character, in both cases where case does not count. */
export function sameCharacter(code: number, ignoreCase: boolean): Accepts {
  if (!ignoreCase) return (other) => other === code;
  const both = new Set(casesOf(code));
  return (other) => both.has(other);
}

export function casesOf(code: number): number[] {
  const text = String.fromCodePoint(code);
  return [code, text.toLowerCase().codePointAt(0) ?? code, text.toUpperCase().codePointAt(0) ?? code];
}
