// What a schedule is: moments in time, which are computed one by one. Running something at them is the scheduler's
// work. The simple ones are here as well: `periodic` and `sun_event`.
import type { Zone } from "../../kit/time/zone.ts";

export interface Schedule {
  /** The first moment strictly after `after`, or undefined where there is none within reach; both in epoch ms. */
  next(after: number): number | undefined;
  /**
   * Its moments are times on the wall, such as 07:30 or sunset: in an hour that the clock shows a second time they do
   * not come again, and one in an hour that it leaves out comes late. Absent: it follows whatever the clock shows.
   */
  readonly fixedTime?: boolean;
  /** Where it is the same, the span between two moments. */
  readonly everyMs?: number;
  /** Absent where its moments never change. Calls the listener when they have. */
  onChange?(listener: () => void): Disposable;
}

/** A schedule that runs, until it is disposed. */
export interface Scheduled extends Disposable {
  /** Its next moment, in epoch ms, as it is planned. */
  dueAt(): number | undefined;
  /** The first one strictly after `at`. */
  nextAfter(at: number): number | undefined;
}

export type ScheduleResult = { ok: true; schedule: Schedule } | { ok: false; problem: string };

/** The last moment in (after, until], found by halving: some forty calls, even for a schedule of every second. */
export function lastBetween(schedule: Schedule, after: number, until: number): number | undefined {
  let last = schedule.next(after);
  if (last === undefined || last > until) return undefined;
  let high = until;
  while (last < high) {
    const middle = Math.floor((last + high) / 2);
    const later = schedule.next(middle);
    if (later !== undefined && later <= until) last = later;
    else high = middle;
  }
  return last;
}

/**
 * Every so many seconds of real time, counted from the first midnight of the year 2000 at the place: a restart neither
 * shifts nor doubles a beat, and with 3600 s it comes at every full hour on the wall. Beats of more than an hour move
 * with daylight saving.
 */
export interface Periodic {
  everySecs: number;
}

const MAX_SECS = 366 * 86_400;

export function parsePeriodic({ everySecs }: Periodic, zone: Zone): ScheduleResult {
  if (!Number.isInteger(everySecs) || everySecs < 1 || everySecs > MAX_SECS)
    return { ok: false, problem: `every_secs must be a whole number of seconds from 1 to ${MAX_SECS}` };
  const everyMs = everySecs * 1000;
  const year2000 = Date.UTC(2000, 0, 1);
  const anchor = year2000 - zone.at(year2000).offsetMs;
  return {
    ok: true,
    schedule: { next: (after) => anchor + (Math.floor((after - anchor) / everyMs) + 1) * everyMs, everyMs },
  };
}

/** Sunrise, dusk and the like, some minutes before or after. */
export interface SunEvent<Event extends string> {
  readonly event: Event;
  /** Negative: before it. */
  readonly offsetMinutes: number;
}

/** As much of the sun as a schedule needs. A place without that moment for more than a year has no next one. */
export interface SunMoments<Event extends string> {
  around(moment: SunEvent<Event>, now: number): { readonly next: number | undefined };
}

export function createSunEvent<Event extends string>(moment: SunEvent<Event>, sun: SunMoments<Event>): Schedule {
  return { next: (after) => sun.around(moment, after).next, fixedTime: true };
}
