// Where buckets begin on the clock of the house.
import type { Zone } from "../core/zone.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
// 1970-01-05 was a Monday.
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * Where buckets of that size begin: the one that holds `from`, then each before `to`. They follow the clock on the
 * wall: a day begins at midnight and may have 23 or 25 hours. An hour that comes twice is two buckets of an hour.
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
  // A bucket that is longer than the clock is set back by never comes twice.
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
      // One whose beginning the clock jumped over begins with the jump.
      if (index > highest || (comesTwice && start >= at)) yield Math.max(start, at);
      highest = Math.max(highest, index);
    }
    at = until;
  }
}
