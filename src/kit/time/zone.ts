// A time zone as a sequence of stretches with a constant offset from UTC, and the changes between them.
import { lazy } from "./lazy.ts";

/** [from, until) in epoch ms, infinite if the clocks were never changed. Local time is the instant plus the offset. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offsetMs: number;
  /** The offset before `from`: smaller if the clocks were put forward, greater if they were put back. */
  readonly offsetBeforeMs: number;
}

export interface Zone {
  /** IANA name. */
  readonly name: string;
  /** The stretch that contains an instant. */
  at(instant: number): Stretch;
}

// Schedules need today's stretch and the next few; only rare ones look years ahead.
const MAX_CACHED = 64;

/**
 * `name` must be one for which `isTimeZone` is true; the machine's own zone where it is undefined. Costs nothing until it is used:
 * time zones take memory, and the first question about one takes 5 ms.
 */
export function createZone(name: string | undefined): Zone {
  const nameOf = lazy(() => name ?? Temporal.Now.timeZoneId());
  const zoned = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(nameOf());
  const offsetAt = (instant: number): number => zoned(instant).offsetNanoseconds / 1e6;
  let cached: Stretch[] = [];

  function find(instant: number): Stretch {
    // "previous" means strictly before, and a change belongs to the stretch that it begins.
    const from = zoned(instant + 1).getTimeZoneTransition("previous")?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
    const until = zoned(instant).getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
    const offsetMs = offsetAt(instant);
    return { from, until, offsetMs, offsetBeforeMs: Number.isFinite(from) ? offsetAt(from - 1) : offsetMs };
  }

  return {
    get name() {
      return nameOf();
    },
    at(instant) {
      const known = cached.find(({ from, until }) => from <= instant && instant < until);
      if (known) return known;
      const found = find(instant);
      if (cached.length >= MAX_CACHED) cached = [];
      cached.push(found);
      return found;
    },
  };
}

/** Whether this machine knows the name. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
