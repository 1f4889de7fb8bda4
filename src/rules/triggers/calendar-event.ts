// `calendar_event`: an event of a calendar begins or ends, or is about to.
import { Type } from "@sinclair/typebox";
import { calendarContext, calendarSchedule } from "../model/calendars.ts";
import { defineTrigger } from "../model/define.ts";
import { choice, name, text } from "../model/fields.ts";

const A_WEEK_MINUTES = 7 * 24 * 60;

export const calendarEvent = defineTrigger({
  type: "calendar_event",
  doc: "An event of a calendar begins or ends; needs [[calendars]] in hub.toml.",
  fields: {
    calendar: name("device", "The id of the calendar"),
    event: choice(["start", "end"], "Whether it begins or ends", { default: "start" }),
    offset_minutes: Type.Number({
      minimum: -A_WEEK_MINUTES,
      maximum: A_WEEK_MINUTES,
      default: 0,
      description: "Minutes after that; negative: before it",
    }),
    title: Type.Optional(text("Only events whose title contains this, in upper or lower case", { maxLength: 200 })),
  },
  label({ calendar, event, offset_minutes, title }) {
    const what = `${title === undefined ? "an event" : `"${title}"`} of ${calendar} ${event === "start" ? "begins" : "ends"}`;
    if (offset_minutes === 0) return what;
    return `${Math.abs(offset_minutes)} min ${offset_minutes < 0 ? "before" : "after"} ${what}`;
  },
  contextKeys: ["calendar", "event", "title", "start", "end", "all_day", "location"],
  schedule: calendarSchedule,
  contextAt: calendarContext,
  example: { calendar: "family", event: "start", offset_minutes: -15, title: "school" },
});
