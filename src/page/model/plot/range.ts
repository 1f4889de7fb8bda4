// Which time a plot shows: a length up to now, or from one moment to another. It is in the address.

import type { Window } from "./track.ts";

const HOUR_MS = 3_600_000;
export const LENGTHS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS } as const;
export type Length = keyof typeof LENGTHS;

/** `length` alone ends now; `fixed` is looked at in its place. */
export interface Range {
  length: Length;
  fixed?: Window;
}

const SHORTEST_MS = 10_000;
const MAX_MS = 3650 * 24 * HOUR_MS;

export function rangeIn(query: URLSearchParams): Range {
  const named = query.get("range") ?? "";
  const length: Length = Object.hasOwn(LENGTHS, named) ? (named as Length) : "day";
  const [from, to] = ["from", "to"].map((name) => Date.parse(query.get(name) ?? ""));
  const fixed = from === undefined || to === undefined ? undefined : windowOf(from, to);
  return { length, ...(fixed && { fixed }) };
}

/** Undefined where that is no time that could be shown. */
export function windowOf(from: number, to: number, now = Date.now()): Window | undefined {
  if (!Number.isFinite(from) || !Number.isFinite(to) || from < 0 || from >= now) return undefined;
  const end = Math.min(to, now);
  return end - from < SHORTEST_MS || end - from > MAX_MS ? undefined : { from, to: end };
}

export function textOf({ from, to }: Window): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** `by` 0.5 shows half of it, 2 twice; `shift` 0.5 is half of it later. */
export function moved(
  { from, to }: Window,
  { by = 1, shift = 0 }: { by?: number; shift?: number },
): Window | undefined {
  const span = Math.max(SHORTEST_MS, Math.min(MAX_MS, (to - from) * by));
  const end = Math.min(Date.now(), (from + to) / 2 + span / 2 + (to - from) * shift);
  return windowOf(end - span, end);
}
