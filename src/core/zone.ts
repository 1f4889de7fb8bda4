// A time zone as stretches of time in which the clocks on the wall run evenly, and the jumps between them.

/** [from, until) in epoch ms, infinite where the clocks were never changed. Local time is the instant plus the offset. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offsetMs: number;
  /** The offset until `from`: smaller where the clocks were put forward, greater where they were put back. */
  readonly offsetBeforeMs: number;
}

export interface Zone {
  /** IANA name. */
  readonly name: string;
  /** The stretch an instant lies in. */
  at(instant: number): Stretch;
}

// Schedules ask about today's stretch and the next few; only rare ones look years ahead.
const MOST_STRETCHES_HELD = 64;

/** Of an IANA name for which `isTimeZone` holds. Costs nothing until it is asked: time zones take memory. */
export function createZone(name: string): Zone {
  const zoned = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
  const offsetAt = (instant: number): number => zoned(instant).offsetNanoseconds / 1e6;
  let held: Stretch[] = [];

  function find(instant: number): Stretch {
    // "previous" means strictly before, and a jump belongs to the stretch it begins.
    const from = zoned(instant + 1).getTimeZoneTransition("previous")?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
    const until = zoned(instant).getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
    const offsetMs = offsetAt(instant);
    return { from, until, offsetMs, offsetBeforeMs: Number.isFinite(from) ? offsetAt(from - 1) : offsetMs };
  }

  return {
    name,
    at(instant) {
      const known = held.find(({ from, until }) => from <= instant && instant < until);
      if (known) return known;
      const found = find(instant);
      if (held.length >= MOST_STRETCHES_HELD) held = [];
      held.push(found);
      return found;
    },
  };
}

/** Whether this machine knows it. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
