// `sun_event`: sunrise, dusk and their kin, some minutes before or after. Without [location] it never comes.
import { Type } from "@sinclair/typebox";
import { SOLAR_EVENTS } from "../../core/sun.ts";
import { defineTrigger } from "../define.ts";
import { choice } from "../fields.ts";
import { createSunEvent } from "../schedule/sun-event.ts";

const HALF_A_DAY_MINUTES = 720;

export const sunEvent = defineTrigger({
  type: "sun_event",
  doc: "The sun does something at the place of the house; it needs [location] in hub.toml.",
  fields: {
    event: choice(SOLAR_EVENTS, "What the sun does", { names: "location" }),
    offset_minutes: Type.Number({
      minimum: -HALF_A_DAY_MINUTES,
      maximum: HALF_A_DAY_MINUTES,
      default: 0,
      description: "Minutes after it; negative: before it",
    }),
  },
  label({ event, offset_minutes }) {
    if (offset_minutes === 0) return event;
    return `${Math.abs(offset_minutes)} min ${offset_minutes < 0 ? "before" : "after"} ${event}`;
  },
  schedule: ({ event, offset_minutes }, { sun }) =>
    sun ? createSunEvent({ event, offsetMinutes: offset_minutes }, sun) : { next: () => undefined },
  example: { event: "sunset", offset_minutes: -30 },
});
