// Buckets: one value for each stretch of local time. A mean is weighted by how long each value lasted, including the value from
// before the bucket: the mean temperature of a day does not depend on how often the sensor reported.
import type { Zone } from "../../../kit/time/zone.ts";
import { jsonOf, numberOf, type Sample } from "../sample.ts";
import type { Aggregate } from "../worker-protocol.ts";
import { HOUR_MS, type HourSummary, meanOf, weighted } from "./hour-summary.ts";

export interface Bucket {
  /** The value in JSON. */
  json: string;
  /** Changes within. */
  count: number;
}

export interface AggregateOptions {
  /** Starts of the buckets; `from` is in the first. */
  starts: readonly number[];
  /** Epoch ms. */
  from: number;
  to: number;
  aggregate: Aggregate;
  /** The last sample before `at`. */
  lastBefore: (at: number) => Sample | undefined;
}

/** A bucket for each start; undefined before the attribute's first sample. */
export function aggregateBuckets(
  summaries: Iterable<HourSummary>,
  { starts, from, to, aggregate, lastBefore }: AggregateOptions,
): (Bucket | undefined)[] {
  const buckets: (Bucket | undefined)[] = [];
  const tally = createTally(lastBefore(from));
  let end = from;

  function result(): string {
    if (aggregate === "count") return String(tally.count);
    if (aggregate === "last") return jsonOf(tally.current ?? lastBefore(end) ?? { value: null, type: null });
    return JSON.stringify(tally[aggregate]() ?? null);
  }
  function finish(): void {
    tally.lastUntil(end);
    buckets.push(tally.isKnown ? { json: result(), count: tally.count } : undefined);
  }
  function begin(): void {
    const begin = Math.max(starts[buckets.length] ?? to, from);
    end = starts[buckets.length + 1] ?? to;
    tally.begin(begin);
  }

  begin();
  for (const summary of summaries) {
    for (; summary.at >= end; begin()) finish();
    tally.add(summary);
  }
  for (; buckets.length < starts.length; begin()) finish();
  return buckets;
}

interface Tally {
  /** Whether there has been a sample, within the bucket or before. */
  readonly isKnown: boolean;
  /** The last sample so far; undefined where it is not at hand. */
  readonly current: Sample | undefined;
  /** Changes since the bucket began. */
  readonly count: number;
  /** Of all values within, however short they lasted; undefined without a number. */
  min(): number | undefined;
  max(): number | undefined;
  avg(): number | undefined;
  begin(at: number): void;
  add(summary: HourSummary): void;
  /** The current value lasted until then. */
  lastUntil(until: number): void;
}

function createTally(previous: Sample | undefined): Tally {
  let isKnown = previous !== undefined;
  let current = previous;
  let value = previous && numberOf(previous);
  let since = 0;
  let count = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let weightMs = 0;

  function lastUntil(until: number): void {
    const ms = until - since;
    if (value !== undefined && ms > 0) {
      sum += weighted(value, ms);
      weightMs += ms;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    since = until;
  }

  return {
    get isKnown() {
      return isKnown;
    },
    get current() {
      return current;
    },
    get count() {
      return count;
    },
    min: () => (max >= min ? min : undefined),
    max: () => (max >= min ? max : undefined),
    // Rounding must not move it outside.
    avg: () => (weightMs === 0 ? undefined : Math.min(max, Math.max(min, meanOf(sum, weightMs)))),
    begin(at) {
      since = at;
      count = 0;
      min = Number.POSITIVE_INFINITY;
      max = Number.NEGATIVE_INFINITY;
      sum = 0;
      weightMs = 0;
    },
    add(summary) {
      lastUntil(summary.at);
      isKnown = true;
      current = summary.sample;
      count += summary.count;
      min = Math.min(min, summary.min);
      max = Math.max(max, summary.max);
      sum += summary.sum;
      weightMs += summary.weightMs;
      value = summary.last;
      since = summary.until;
    },
    lastUntil,
  };
}

const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
// 1970-01-05 was a Monday.
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * The starts of buckets of that size: of the one with `from`, then of each before `to`. They follow local time: a day starts at
 * midnight and may have 23 or 25 hours. An hour that comes twice is two buckets of an hour.
 */
export function bucketStarts(from: number, to: number, bucketMs: number, zone: Zone): number[] {
  const starts: number[] = [];
  for (const start of boundaries(from, to, bucketMs, zone)) {
    if (start <= from) starts[0] = start;
    else starts.push(start);
  }
  return starts;
}

function* boundaries(from: number, to: number, bucketMs: number, zone: Zone): Iterable<number> {
  const anchor = bucketMs % WEEK_MS === 0 ? FIRST_MONDAY_MS : 0;
  const indexAt = (ms: number, offset: number): number => Math.floor((ms + offset - anchor) / bucketMs);
  const startOf = (index: number, offset: number): number => index * bucketMs + anchor - offset;
  // The clock is set back by an hour, so a longer bucket never comes twice.
  const comesTwice = bucketMs <= HOUR_MS;
  let begin = from - bucketMs - DAY_MS;
  if (comesTwice) {
    const { from: changed, offsetMs } = zone.at(from);
    begin = Math.max(startOf(indexAt(from, offsetMs), offsetMs), changed);
  }
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = begin; at < to; ) {
    const { until, offsetMs } = zone.at(at);
    for (let index = indexAt(at, offsetMs); ; index++) {
      const start = startOf(index, offsetMs);
      if (start >= Math.min(until, to)) break;
      // A bucket whose start is skipped by the clock starts after the skip.
      if (index > highest || (comesTwice && start >= at)) yield Math.max(start, at);
      highest = Math.max(highest, index);
    }
    at = until;
  }
}
