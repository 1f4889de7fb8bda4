// `sun_event`: sunrise, dusk and their kin, some minutes before or after. Where the sun stands is for the one who hands it
// in; a place without that moment for more than a year has no next one.
import type { Schedule } from "./schedule.ts";

export interface SunEvent<Event extends string> {
  readonly event: Event;
  /** Negative: before it. */
  readonly offsetMinutes: number;
}

/** As much of the sun as a schedule needs. */
export interface SunMoments<Event extends string> {
  around(moment: SunEvent<Event>, now: number): { readonly next: number | undefined };
}

export function createSunEvent<Event extends string>(moment: SunEvent<Event>, sun: SunMoments<Event>): Schedule {
  return { next: (after) => sun.around(moment, after).next, fixedTime: true };
}
