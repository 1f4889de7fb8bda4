// /calendars: the calendars of hub.toml, and their events.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { CalendarInfo, Calendars } from "../../../house/calendars/calendars.ts";
import type { Occurrence } from "../../../house/calendars/occurrence.ts";
import type { History } from "../../../house/history/history.ts";
import { parseTime, TIME_FORMS } from "../../../house/history/query/parse-time.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { doc } from "../doc.ts";
import { invalid } from "../errors.ts";

const nullable = Type.Union([Type.String(), Type.Null()]);
const Moment = Type.String({ description: "UTC" });
const CalendarEvent = Type.Object(
  {
    uid: Type.String(),
    title: Type.String(),
    start: Moment,
    end: Moment,
    all_day: Type.Boolean(),
    location: nullable,
  },
  { $id: "CalendarEvent" },
);
const Calendar = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    source: Type.String({ description: "Its file, or the host of its address" }),
    events: Type.Integer({ description: "How many it has, whenever they are" }),
    next: Type.Union([CalendarEvent, Type.Null()], { description: "The next one that begins" }),
    refreshed_at: { ...nullable, description: "UTC; null before it was read for the first time" },
    problem: { ...nullable, description: "Why it cannot be read, or what of it is left out" },
  },
  { $id: "Calendar" },
);
const EventsQuery = t.Object(
  {
    from: t.Optional(
      t.String({ description: "Events that end after this: ISO 8601, date or epoch seconds; now where absent" }),
    ),
    to: t.Optional(t.String({ description: "And begin before this; two weeks after `from` where absent" })),
  },
  { additionalProperties: false },
);

const tag = "calendars";
const TWO_WEEKS_MS = 14 * 86_400_000;
const MAX_EVENTS = 1000;

export interface CalendarRoutesDeps {
  calendars: Pick<Calendars, "get" | "list" | "occurrences" | "refresh" | "window">;
  history: Pick<History, "zone">;
  clock: Pick<Clock, "now">;
}

export function calendarRoutes({ calendars, history, clock }: CalendarRoutesDeps) {
  function time(path: string, text: string): number {
    const at = parseTime(text, history.zone);
    if (at !== undefined) return at;
    throw invalid([{ path, message: TIME_FORMS }]);
  }

  const answers = { 200: { description: "The calendar", schema: Calendar } };
  return new Elysia({ prefix: "/calendars" })
    .get(
      "",
      () => calendars.list().map(calendarBody),
      doc({
        access: "viewer",
        summary: "All calendars",
        tag,
        answers: { 200: { description: "The calendars", schema: Type.Array(Calendar) } },
      }),
    )
    .get(
      "/:id",
      ({ params }) => calendarBody(calendars.get(params.id)),
      doc({ access: "viewer", summary: "One calendar", tag, answers }),
    )
    .get(
      "/:id/events",
      function listEvents({ params, query }) {
        const from = query.from === undefined ? clock.now() : time("from", query.from);
        const to = query.to === undefined ? from + TWO_WEEKS_MS : time("to", query.to);
        const outside = outsideOf(calendars.window(params.id), { from, to, isToGiven: query.to !== undefined });
        if (outside) throw invalid([outside]);
        const events = calendars
          .occurrences(params.id)
          .filter(({ start, end }) => start < to && (end > from || start >= from));
        return events.slice(0, MAX_EVENTS).map(eventBody);
      },
      {
        query: EventsQuery,
        ...doc({
          access: "viewer",
          summary: "Its events, each repetition by itself: from a week ago to four months ahead, 1000 at most",
          tag,
          answers: { 200: { description: "By their start", schema: Type.Array(CalendarEvent) } },
        }),
      },
    )
    .post(
      "/:id/refresh",
      async ({ params }) => calendarBody(await calendars.refresh(params.id)),
      doc({ access: "user", keeps: false, summary: "Ask its source for changes now", tag, answers }),
    );
}

/** What is asked of a time that was not read would be answered as if there were nothing. */
function outsideOf(
  window: { from: number; until: number } | undefined,
  { from, to, isToGiven }: { from: number; to: number; isToGiven: boolean },
): Problem | undefined {
  if (!window) return undefined;
  const isEarly = from < window.from;
  if (!isEarly && from < window.until && (to <= window.until || !isToGiven)) return undefined;
  const read = `from ${iso(window.from)} to ${iso(window.until)}`;
  return {
    path: isEarly || from >= window.until ? "from" : "to",
    message: `its events are known ${read} alone: ask for what lies between`,
  };
}

function calendarBody({ next, refreshedAt, problem, ...calendar }: CalendarInfo) {
  return {
    ...calendar,
    next: next ? eventBody(next) : null,
    refreshed_at: refreshedAt === undefined ? null : iso(refreshedAt),
    problem: problem ?? null,
  };
}

function eventBody({ uid, title, start, end, allDay, location }: Occurrence) {
  return { uid, title, start: iso(start), end: iso(end), all_day: allDay, location: location ?? null };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
