// Summarises samples within one hour (UTC) for buckets. What stood before the first of them is not part of it, so that a summary
// depends on nothing but the samples of its own hour.
import { numberOf, type Sample } from "../sample.ts";

export const HOUR_MS = 3_600_000;

export interface HourSummary {
  /** Of the first sample, in epoch ms. */
  at: number;
  /** The last value counts until then: the end of the hour, or of the bucket that ends within. */
  until: number;
  /** Samples. */
  count: number;
  /** Of all numbers, however short they lasted; infinite without one. */
  min: number;
  max: number;
  /** Each number weighted by how long it lasted: see `weighted`. */
  sum: number;
  /** Milliseconds in which the value was a number. */
  weightMs: number;
  /** The last value, where it is a number. */
  last: number | undefined;
  /** The last sample itself; undefined in a rollup, which does not keep it. */
  sample: Sample | undefined;
}

export interface HourSummariser {
  readonly until: number;
  add(sample: Sample): void;
  end(): HourSummary;
}

// A power of two changes no digit, and keeps the sum of ten years of the greatest numbers finite.
const SCALE = 2 ** -40;

/** A number's share of a sum, in `SCALE`d milliseconds. */
export function weighted(value: number, ms: number): number {
  return value * SCALE * ms;
}

/** The mean of a sum of `weighted` numbers. */
export function meanOf(sum: number, weightMs: number): number {
  return sum / weightMs / SCALE;
}

/** `at`: of the first sample. */
export function summariseUntil(until: number, at: number): HourSummariser {
  let since = at;
  let count = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let weightMs = 0;
  let last: number | undefined;
  let latest: Sample | undefined;

  function lastUntil(next: number): void {
    const ms = next - since;
    if (last !== undefined && ms > 0) {
      sum += weighted(last, ms);
      weightMs += ms;
    }
    since = next;
  }

  return {
    until,
    add(sample) {
      lastUntil(sample.at);
      latest = sample;
      last = numberOf(sample);
      count++;
      if (last === undefined) return;
      if (last < min) min = last;
      if (last > max) max = last;
    },
    end() {
      lastUntil(until);
      return { at, until, count, min, max, sum, weightMs, last, sample: latest };
    },
  };
}
