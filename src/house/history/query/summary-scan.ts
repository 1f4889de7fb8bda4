// Reads a series as summaries of hours: from rollups where there are any, otherwise from the samples, of which it makes rollups.
// Both give the very same summaries, so an answer does not depend on which rollups there happen to be.
import type { Database } from "bun:sqlite";
import { DAY_MS, dayOf, isWorthKeeping, keepRollups, type Rollup, readRollups } from "../store/rollups.ts";
import { firstFrom, type Series } from "../store/series.ts";
import { HOUR_MS, type HourSummariser, type HourSummary, summariseUntil } from "./hour-summary.ts";
import { createScanner, type Scanner } from "./scan.ts";

const PORTION = 4000;

export interface SummaryScanOptions {
  db: Database;
  scanner: Scanner;
  series: Series;
  /** Epoch ms; `from` is included, `to` is not. */
  from: number;
  to: number;
  /** Where buckets begin, in order: no summary has samples of two buckets. */
  starts: readonly number[];
  /** Called with each rollup that was missing. */
  onRollup: (rollup: Rollup) => void;
}

/** Oldest first. An hour in which a bucket begins gives more than one, an hour without samples none. */
export function* summariesOf(options: SummaryScanOptions): Iterable<HourSummary> {
  const { db, series, from, to, starts } = options;
  let read = from;
  for (const { begin: day, hours } of readRollups(db, { seriesId: series.id, from, to })) {
    if (isBuffered(series, day)) continue;
    for (const hour of hours) {
      const begin = hour.until - HOUR_MS;
      if (begin < read || hour.until > to || isSplit(begin, starts)) continue;
      if (begin > read) yield* makeRollups({ ...options, from: read, to: begin });
      yield hour;
      read = hour.until;
    }
  }
  if (read < to) yield* makeRollups({ ...options, from: read });
}

/** From the samples; makes rollups of the days that are wholly read. */
function* makeRollups(options: SummaryScanOptions): Iterable<HourSummary> {
  let day: HourSummary[] = [];
  for (const summary of fromSamples(options)) {
    const [first = summary] = day;
    if (dayOf(first.at) !== dayOf(summary.at)) {
      offerRollup(day, options);
      day = [];
    }
    day.push(summary);
    yield summary;
  }
  offerRollup(day, options);
}

function offerRollup(day: readonly HourSummary[], options: SummaryScanOptions): void {
  const { series, from, to, starts, onRollup } = options;
  const begin = dayOf(day[0]?.at ?? 0);
  if (begin < from || begin + DAY_MS > to || !isWorthKeeping(day) || isBuffered(series, begin)) return;
  const whole = day.filter(({ at }) => !isSplit(hourOf(at), starts));
  // Buckets that split most hours cannot use it.
  if (whole.length < day.length - whole.length) return;
  const split = new Set(day.map(({ at }) => hourOf(at)).filter((hour) => isSplit(hour, starts)));
  const again = [...split].flatMap((hour) => [
    ...fromSamples({ ...options, from: hour, to: hour + HOUR_MS, starts: [] }),
  ]);
  onRollup({ seriesId: series.id, begin, hours: [...whole, ...again].sort((a, b) => a.at - b.at) });
}

type SamplesOptions = Pick<SummaryScanOptions, "scanner" | "series" | "from" | "to" | "starts">;

function* fromSamples({ scanner, series, from, to, starts }: SamplesOptions): Iterable<HourSummary> {
  let open: HourSummariser | undefined;
  for (const samples of scanner.portions(series, { from, to, portion: PORTION })) {
    for (const sample of samples) {
      if (!open || sample.at >= open.until) {
        if (open) yield open.end();
        const { at } = sample;
        open = summariseUntil(Math.min(hourOf(at) + HOUR_MS, startAfter(at, starts), to), at);
      }
      open.add(sample);
    }
  }
  if (open) yield open.end();
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

/** Whether a bucket begins within the hour. */
function isSplit(hour: number, starts: readonly number[]): boolean {
  return startAfter(hour, starts) < hour + HOUR_MS;
}

/** The first start after `at`; infinite where there is none. */
function startAfter(at: number, starts: readonly number[]): number {
  let low = 0;
  for (let high = starts.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return starts[low] ?? Number.POSITIVE_INFINITY;
}

/** Whether samples of that day are not in the table yet, which a rollup would not know. */
function isBuffered({ buffered }: Series, day: number): boolean {
  return firstFrom(buffered, day) < firstFrom(buffered, day + DAY_MS);
}

const DENSE_SAMPLES_PER_HOUR = 120;
const MAX_DAYS = 7;

/**
 * Makes rollups of the days that a compaction completed, for series with a sample every half minute or more often: their first query
 * would have most to read. Rollups of others are made by the first query that needs them, and cost nothing until then.
 */
export interface CompletedDays {
  series: Series;
  /** Epoch ms. */
  from: number;
  to: number;
}

/** The days that compacting the samples in memory will complete. */
export function completedDays(all: Iterable<Series>): CompletedDays[] {
  return [...all].flatMap(function completedOf(series) {
    const [first, last] = [series.buffered[0], series.buffered.at(-1)];
    if (!first || !last) return [];
    const [from, to] = [dayOf(first.at), dayOf(last.at)];
    const isDense = series.buffered.length * HOUR_MS >= DENSE_SAMPLES_PER_HOUR * (last.at - first.at);
    return from < to && isDense ? [{ series, from: Math.max(from, to - MAX_DAYS * DAY_MS), to }] : [];
  });
}

/** After that compaction; a day of a series in each step. */
export function* rollUp(db: Database, completed: readonly CompletedDays[]): Generator<void> {
  const scanner = createScanner(db);
  const onRollup = (rollup: Rollup): void => keepRollups(db, [rollup]);
  for (const { series, from, to } of completed) {
    for (let day = from; day < to; day += DAY_MS) {
      const span = { from: day, to: day + DAY_MS, starts: [] };
      for (const _ of summariesOf({ db, scanner, series, ...span, onRollup }));
      yield;
    }
  }
}
