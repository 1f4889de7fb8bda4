// Makes rollups of the days that a compaction completed, for series with a sample every half minute or more often: their first
// query would have most to read. Rollups of others are made by the first query that needs them, and cost nothing until then.
import type { Database } from "bun:sqlite";
import { HOUR_MS } from "./hour-summary.ts";
import { DAY_MS, dayOf, keepRollups, type Rollup } from "./rollups.ts";
import { createScanner } from "./scan.ts";
import type { Series } from "./series.ts";
import { summariesOf } from "./summary-scan.ts";

const DENSE_SAMPLES_PER_HOUR = 120;
const MAX_DAYS = 7;

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
