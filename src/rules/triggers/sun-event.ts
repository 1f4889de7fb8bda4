// `sun_event`: sunrise, dusk and so on, with an offset in minutes. Without [location] it never fires.
import { Type } from "@sinclair/typebox";
import { SOLAR_EVENTS } from "../../kit/time/sun.ts";
import { defineTrigger } from "../model/define.ts";
import { choice } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { createSunEvent } from "../schedule/schedule.ts";

const HALF_A_DAY_MINUTES = 720;

export const sunEvent = defineTrigger({
  type: "sun_event",
  doc: "Sunrise, sunset, dawn, dusk and so on at the place of the house; needs [location] in hub.toml.",
  fields: {
    event: choice(SOLAR_EVENTS, "Which event of the sun", { names: "location" }),
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
  schedule: ({ event, offset_minutes }, { sun }: Pick<HouseReads, "sun">) =>
    sun ? createSunEvent({ event, offsetMinutes: offset_minutes }, sun) : { next: () => undefined },
  example: { event: "sunset", offset_minutes: -30 },
});
