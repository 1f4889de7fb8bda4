// What kinds about calendars share: their events by title, and the moments at which they begin or end.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { CalendarEvent, HouseReads } from "./host.ts";

export interface CalendarMoments {
  calendar: string;
  event: "start" | "end";
  offset_minutes: number;
  title?: string | undefined;
}

/** Undefined if there is no such calendar. `title`: a part of it, in upper or lower case. */
export function eventsIn(
  { calendars }: Pick<HouseReads, "calendars">,
  calendar: string,
  title?: string,
): readonly CalendarEvent[] | undefined {
  const events = calendars?.events(calendar);
  if (title === undefined) return events;
  const wanted = title.toLowerCase();
  return events?.filter((event) => event.title.toLowerCase().includes(wanted));
}

interface Moment {
  at: number;
  event: CalendarEvent;
}

/** In their order. Those at the same time follow each other by a millisecond, so that none is lost. */
function momentsOf(host: Pick<HouseReads, "calendars">, spec: CalendarMoments): Moment[] {
  const moments = (eventsIn(host, spec.calendar, spec.title) ?? [])
    .map((event) => ({ at: event[spec.event] + spec.offset_minutes * 60_000, event }))
    .sort((a, b) => a.at - b.at);
  let last = Number.NEGATIVE_INFINITY;
  for (const moment of moments) {
    moment.at = Math.max(moment.at, last + 1);
    last = moment.at;
  }
  return moments;
}

export function calendarSchedule(spec: CalendarMoments, host: Pick<HouseReads, "calendars">): Schedule {
  let moments: Moment[] | undefined;
  let known: readonly CalendarEvent[] | undefined;
  return {
    next(after) {
      const events = host.calendars?.events(spec.calendar);
      if (!moments || events !== known) moments = momentsOf(host, spec);
      known = events;
      return moments.find(({ at }) => at > after)?.at;
    },
    fixedTime: true,
    onChange: (listener) => host.calendars?.onChange(spec.calendar, listener) ?? { [Symbol.dispose]() {} },
  };
}

/** What a rule learns of the event whose moment this is. */
export function calendarContext(spec: CalendarMoments, at: number, host: Pick<HouseReads, "calendars">): JsonObject {
  const event = momentsOf(host, spec).find((moment) => moment.at === at)?.event;
  const { title = "", start, end, allDay = false, location } = event ?? {};
  const iso = (moment: number | undefined): string | null =>
    moment === undefined ? null : new Date(moment).toISOString();
  return {
    ...{ calendar: spec.calendar, event: spec.event, title, start: iso(start), end: iso(end) },
    ...{ all_day: allDay, location: location ?? null },
  };
}
