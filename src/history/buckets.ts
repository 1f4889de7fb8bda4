// One value for each stretch of time. A mean is weighted by how long each value stood, the one carried in included: that
// is what a person means by the mean temperature of a day, however often the sensor spoke.
import type { Aggregate } from "./messages.ts";
import { jsonOf, numberOf, type Sample } from "./sample.ts";

export interface Bucket {
  /** The value in JSON. */
  json: string;
  /** Changes within. */
  count: number;
}

export interface ReckonOptions {
  /** What stood at `from`. */
  standing: Sample | undefined;
  /** Where the buckets begin; the first holds `from`. */
  starts: readonly number[];
  /** Epoch ms. */
  from: number;
  to: number;
  aggregate: Aggregate;
}

/** A bucket for each start; undefined where the attribute had not been heard of. */
export function reckon(portions: Iterable<readonly Sample[]>, options: ReckonOptions): (Bucket | undefined)[] {
  const { starts, from, to, aggregate } = options;
  const buckets: (Bucket | undefined)[] = [];
  const tally = createTally(options.standing);
  let end = from;

  function finish(): void {
    tally.stood(end);
    const { standing } = tally;
    buckets.push(standing && { json: resultOf(aggregate, tally, standing), count: tally.count });
  }
  function begin(): void {
    const begin = Math.max(starts[buckets.length] ?? to, from);
    end = starts[buckets.length + 1] ?? to;
    tally.begin(begin, end);
  }

  begin();
  for (const samples of portions) {
    for (const sample of samples) {
      for (; sample.at >= end; begin()) finish();
      tally.change(sample);
    }
  }
  for (; buckets.length < starts.length; begin()) finish();
  return buckets;
}

function resultOf(aggregate: Aggregate, tally: Tally, standing: Sample): string {
  if (aggregate === "count") return String(tally.count);
  if (aggregate === "last") return jsonOf(standing);
  return JSON.stringify(tally[aggregate]() ?? null);
}

interface Tally {
  /** The last one so far, from before the bucket where there was none within. */
  readonly standing: Sample | undefined;
  /** Changes since the bucket began. */
  readonly count: number;
  /** Of what stood for any time, and of what was reported however short it stood; undefined without a number. */
  min(): number | undefined;
  max(): number | undefined;
  avg(): number | undefined;
  begin(at: number, end: number): void;
  change(sample: Sample): void;
  /** What stands now stood until then. */
  stood(until: number): void;
}

function createTally(before: Sample | undefined): Tally {
  let standing = before;
  let value = before && numberOf(before);
  let span = 1;
  let since = 0;
  let count = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  // The same in shares of the bucket, where huge numbers stay finite; plain milliseconds are exact for all others.
  let shares = 0;
  let weightMs = 0;

  function widen(by: number): void {
    if (by < min) min = by;
    if (by > max) max = by;
  }
  function stood(until: number): void {
    const ms = until - since;
    if (value !== undefined && ms > 0) {
      sum += value * ms;
      shares += value * (ms / span);
      weightMs += ms;
      widen(value);
    }
    since = until;
  }

  return {
    get standing() {
      return standing;
    },
    get count() {
      return count;
    },
    min: () => (max >= min ? min : undefined),
    max: () => (max >= min ? max : undefined),
    avg() {
      if (weightMs === 0) return undefined;
      const mean = Number.isFinite(sum) ? sum / weightMs : (shares / weightMs) * span;
      // Rounding must not carry it outside.
      return Math.min(max, Math.max(min, mean));
    },
    begin(at, end) {
      since = at;
      span = end - at;
      count = 0;
      min = Number.POSITIVE_INFINITY;
      max = Number.NEGATIVE_INFINITY;
      sum = 0;
      shares = 0;
      weightMs = 0;
    },
    change(sample) {
      stood(sample.at);
      standing = sample;
      value = numberOf(sample);
      count++;
      if (value !== undefined) widen(value);
    },
    stood,
  };
}
