// `calendar_active`: whether an event of a calendar goes on.
import { Type } from "@sinclair/typebox";
import { eventsIn } from "../model/calendars.ts";
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { name, text } from "../model/fields.ts";

export const calendarActive = defineCondition({
  type: "calendar_active",
  doc: "An event of a calendar goes on now.",
  fields: () => ({
    calendar: name("device", "The id of the calendar"),
    title: Type.Optional(text("Only events whose title contains this, in upper or lower case", { maxLength: 200 })),
  }),
  evaluate({ calendar, title }, { host }: ConditionScope<"calendars" | "now">) {
    const expected = `${title === undefined ? "an event" : `"${title}"`} of ${calendar} goes on`;
    const events = eventsIn(host, calendar, title);
    if (!events) return { passed: false, expected, actual: `there is no calendar "${calendar}"` };
    const now = host.now();
    const active = events.findLast(({ start, end }) => start <= now && now < end);
    return { passed: active !== undefined, expected, actual: active ? `"${active.title}" goes on` : "none goes on" };
  },
  example: { calendar: "holidays", title: "school" },
});
