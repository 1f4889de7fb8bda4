// A time zone as stretches of time in which the clocks on the wall run evenly, and the jumps between them.
import { HubError } from "../../core/errors.ts";

/** [from, until) in epoch ms. Local time is the instant plus the offset. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offsetMs: number;
  /** The offset until `from`: smaller where the clocks were put forward, greater where they were put back. */
  readonly offsetBeforeMs: number;
}

export interface Zone {
  /** The stretch an instant lies in. */
  at(instant: number): Stretch;
}

// Schedules ask about today's stretch and the next few; only rare ones look years ahead.
const MOST_STRETCHES_HELD = 64;

/** Throws `config` for a name this machine does not know. */
export function createZone(timezone: string): Zone {
  const zoned = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone);
  const offsetAt = (instant: number): number => zoned(instant).offsetNanoseconds / 1e6;
  try {
    offsetAt(0);
  } catch {
    throw new HubError("config", `there is no time zone "${timezone}"; use an IANA name such as "Europe/Berlin"`);
  }
  let held: Stretch[] = [];

  function find(instant: number): Stretch {
    // "previous" means strictly before, and a jump belongs to the stretch it begins.
    const from = zoned(instant + 1).getTimeZoneTransition("previous")?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
    const until = zoned(instant).getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
    const offsetMs = offsetAt(instant);
    return { from, until, offsetMs, offsetBeforeMs: Number.isFinite(from) ? offsetAt(from - 1) : offsetMs };
  }

  return {
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
