// Local time: where days begin, and buckets with them.

export interface Zone {
  /** Milliseconds that local time is ahead of UTC. */
  offsetAt(ms: number): number;
  /** The next instant at which the offset changes; undefined where it never does. */
  transitionAfter(ms: number): number | undefined;
  /** The last instant, not after `ms`, at which the offset changed. */
  transitionUpTo(ms: number): number | undefined;
  /** The instant of a local date or date with time (`2026-03-29`, `2026-03-29T10:00`). Throws RangeError for others. */
  instantOf(local: string): number;
}

/** The named zone, or the machine's own. */
export function createZone(timezone: string | undefined): Zone {
  // Asked for when it is needed: time zones cost memory, and most hubs idle.
  const name = (): string => timezone ?? Temporal.Now.timeZoneId();
  const at = (ms: number): Temporal.ZonedDateTime =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(name());
  return {
    offsetAt: (ms) => at(ms).offsetNanoseconds / 1e6,
    transitionAfter: (ms) => at(ms).getTimeZoneTransition("next")?.epochMilliseconds,
    // "previous" is strictly before.
    transitionUpTo: (ms) => at(ms + 1).getTimeZoneTransition("previous")?.epochMilliseconds,
    instantOf: (local) =>
      // A day whose midnight is skipped begins with its first moment.
      local.includes("T")
        ? Temporal.PlainDateTime.from(local).toZonedDateTime(name()).epochMilliseconds
        : Temporal.PlainDate.from(local).toZonedDateTime(name()).epochMilliseconds,
  };
}

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
    const offset = zone.offsetAt(from);
    begin = Math.max(startOf(indexAt(from, offset), offset), zone.transitionUpTo(from) ?? Number.NEGATIVE_INFINITY);
  }
  let highest = Number.NEGATIVE_INFINITY;
  for (let at: number | undefined = begin; at !== undefined && at < to; ) {
    const end = zone.transitionAfter(at);
    const offset = zone.offsetAt(at);
    for (let index = indexAt(at, offset); ; index++) {
      const start = startOf(index, offset);
      if (start >= Math.min(end ?? to, to)) break;
      // One whose beginning the clock jumped over begins with the jump.
      if (index > highest || (comesTwice && start >= at)) yield Math.max(start, at);
      highest = Math.max(highest, index);
    }
    at = end;
  }
}
