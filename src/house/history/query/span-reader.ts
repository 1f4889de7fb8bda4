// Reads what was recorded of all devices, in order of time, for those who pass the history on. A page holds about as much as is
// asked for: how long a stretch of time that is, is learnt from the pages before.
import type { Database } from "bun:sqlite";
import { type Sample, textBytes } from "../sample.ts";
import type { Series, SeriesDirectory } from "../store/series.ts";
import { createScanner, type Scanner } from "./scan.ts";

export interface SpanQuery {
  /** Epoch ms; `from` is included, `to` is not. */
  from: number;
  to: number;
  /** About so many samples in a page; a millisecond is never split. */
  most: number;
}

export interface SpanPage {
  /** JSON: for each series `[device, attribute, at, n, value, type, at, n, …]`, oldest first; for types see sample.ts. */
  text: string;
  samples: number;
  /** Everything before is in this page, or was in one before. */
  through: number;
}

export interface SpanReader {
  read(query: SpanQuery, source: { db: Database; series: SeriesDirectory }): SpanPage;
}

const FIRST_STEP_MS = 60_000;
/** Texts of so many bytes count as one more sample. */
const BYTES_OF_SAMPLE = 1000;

interface Found {
  series: Series;
  samples: readonly Sample[];
}

interface Window {
  found: Found[];
  weight: number;
  end: number;
}

export function createSpanReader(): SpanReader {
  let stepMs = FIRST_STEP_MS;

  return {
    read({ from, to, most }, { db, series }) {
      const scanner = createScanner(db);
      const rows = new Map<Series, (string | number | null)[]>();
      let samples = 0;
      let weight = 0;
      let through = Math.min(from, to);
      for (let step = stepMs; through < to && weight < most / 2; step *= 2) {
        const window = readWindow(series.all(), scanner, {
          from: through,
          to: Math.min(to, through + step),
          most: most - weight,
        });
        for (const found of window.found) samples += addRows(rows, found);
        weight += window.weight;
        through = window.end;
      }
      // Twice as long at most: what comes next may be denser.
      if (through > from) stepMs = Math.max(1, ((through - from) * most) / Math.max(weight, most / 2));
      return { text: JSON.stringify([...rows.values()]), samples, through };
    },
  };
}

/** What there is from `from` to `to`, or to an earlier end where that is more than about `most`. */
function readWindow(all: Iterable<Series>, scanner: Scanner, { from, to, most }: SpanQuery): Window {
  const window: Window = { found: [], weight: 0, end: to };
  for (const series of all) {
    const samples = upTo(scanner.samples(series, { from, to: window.end, portion: most + 1 }), from, most);
    if (samples.length === 0) continue;
    window.found.push({ series, samples });
    window.weight += weightOf(samples);
    if (window.weight > 2 * most || samples.length > most) shorten(window, from, most);
  }
  if (window.weight > most) shorten(window, from, most);
  return window;
}

/** `most` and one more, and then the rest of the first millisecond. */
function upTo(samples: Iterable<Sample>, from: number, most: number): Sample[] {
  const taken: Sample[] = [];
  for (const sample of samples) {
    if (taken.length > most && sample.at > from) break;
    taken.push(sample);
  }
  return taken;
}

/** Ends the window where `most` is reached, but after its first millisecond. */
function shorten(window: Window, from: number, most: number): void {
  const all = window.found.flatMap(({ samples }) => samples as Sample[]).sort((a, b) => a.at - b.at);
  let weight = 0;
  const last = all.find((sample) => {
    weight += weightOf([sample]);
    return weight > most;
  });
  const end = Math.max(last?.at ?? window.end, from + 1);
  if (end >= window.end) return;
  window.end = end;
  window.found = window.found
    .map(({ series, samples }) => ({ series, samples: samples.filter(({ at }) => at < end) }))
    .filter(({ samples }) => samples.length > 0);
  window.weight = window.found.reduce((sum, { samples }) => sum + weightOf(samples), 0);
}

function weightOf(samples: readonly Sample[]): number {
  let weight = samples.length;
  for (const sample of samples) weight += Math.floor(textBytes(sample) / BYTES_OF_SAMPLE);
  return weight;
}

/** A sample that is not in the file has no number yet: it gets the one that it will have there. */
function addRows(rows: Map<Series, (string | number | null)[]>, { series, samples }: Found): number {
  const row = rows.get(series) ?? [series.deviceId, series.attribute];
  rows.set(series, row);
  let [lastAt, lastN] = [Number.NaN, -1];
  for (const { at, n: stored, value, type } of samples) {
    const n = stored >= 0 ? stored : at === lastAt ? lastN + 1 : 0;
    row.push(at, n, value, type);
    [lastAt, lastN] = [at, n];
  }
  return samples.length;
}
