// Samples as a plot draws them: one list of moments for all lines, where each has its value or, in a gap, none.

import { isDrawable, type Sample, type Track, type Window } from "./track.ts";
export type Values = (number | null)[];

export interface Drawn {
  /** Epoch seconds. */
  times: number[];
  lines: { values: Values; low?: Values; high?: Values }[];
}

/** A value lasts until the next one; `outages`: times in which nothing is known. */
export function drawn(tracks: readonly Track[], { from, to }: Window, outages: readonly Window[]): Drawn {
  const moments = new Set<number>([from, to]);
  const add = (at: number): void => {
    if (at > from && at < to) moments.add(at);
  };
  // What was until then is drawn up to a gap, and not to the change before it.
  const beginGap = (at: number): void => {
    add(at - 1);
    add(at);
  };
  for (const { samples } of tracks) for (const { at, value } of samples) (isDrawable(value) ? add : beginGap)(at);
  for (const outage of outages) {
    beginGap(outage.from);
    add(outage.to);
  }
  const sorted = [...moments].sort((a, b) => a - b);
  const lasting = (samples: readonly Sample[]) => valuesAt(samples, sorted, outages);
  return {
    times: sorted.map((at) => at / 1000),
    lines: tracks.map(({ samples, band }) => ({
      values: lasting(samples),
      ...(band && { low: lasting(band.low), high: lasting(band.high) }),
    })),
  };
}

function valuesAt(samples: readonly Sample[], moments: readonly number[], outages: readonly Window[]): Values {
  let next = 0;
  let value: number | null = null;
  return moments.map((at) => {
    for (let sample = samples[next]; sample && sample.at <= at; sample = samples[++next])
      value = isDrawable(sample.value) ? sample.value : null;
    return isWithin(outages, at) ? null : value;
  });
}

function isWithin(windows: readonly Window[], at: number): boolean {
  return windows.some(({ from, to }) => at >= from && at < to);
}

/** The last sample that is not later; undefined before the first, and in an outage. */
export function sampleAt(samples: readonly Sample[], at: number, outages: readonly Window[] = []): Sample | undefined {
  if (isWithin(outages, at)) return undefined;
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return samples[low - 1];
}

export interface Stretch extends Window {
  value: Sample["value"];
  /** More changes than can be shown apart. */
  isBusy: boolean;
}

/** States as stretches of time; those shorter than `shortestMs` become one that is busy. */
export function stretchesOf(
  samples: readonly Sample[],
  { from, to }: Window,
  { outages, shortestMs }: { outages: readonly Window[]; shortestMs: number },
): Stretch[] {
  const all: Stretch[] = [];
  for (const [index, { at, value }] of samples.entries()) {
    const begin = Math.max(from, at);
    const end = Math.min(to, samples[index + 1]?.at ?? to);
    if (end <= begin || value === null) continue;
    for (const part of without({ from: begin, to: end }, outages)) {
      const last = all.at(-1);
      const isShort = part.to - part.from < shortestMs;
      if (last && last.to === part.from && JSON.stringify(last.value) === JSON.stringify(value) && !last.isBusy)
        last.to = part.to;
      else if (last?.isBusy && isShort && last.to === part.from) last.to = part.to;
      else all.push({ ...part, value, isBusy: isShort });
    }
  }
  return all;
}

function without(window: Window, outages: readonly Window[]): Window[] {
  return outages.reduce<Window[]>(
    (parts, gap) =>
      parts.flatMap(({ from, to }) =>
        [
          { from, to: Math.min(to, gap.from) },
          { from: Math.max(from, gap.to), to },
        ].filter((part) => part.to > part.from),
      ),
    [window],
  );
}
