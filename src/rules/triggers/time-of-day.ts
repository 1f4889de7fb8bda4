// `time_of_day`: a time on the clock of the house, every day or on some days of the week.
import { Type } from "@sinclair/typebox";
import { checkSchedule, scheduleOf } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { days, timeOfDay as time } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { parseTimeOfDay } from "../schedule/cron.ts";

export const timeOfDay = defineTrigger({
  type: "time_of_day",
  doc: "A time of day, on the clock of the house.",
  fields: { time: time("`HH:MM` or `HH:MM:SS`"), days: Type.Optional(days) },
  label: ({ time, days }) => `at ${time}${days ? ` on ${days.join(", ")}` : ""}`,
  check: (spec) => checkSchedule("time", (zone) => parseTimeOfDay(spec, zone)),
  schedule: (spec, { zone }: Pick<HouseReads, "zone">) => scheduleOf(parseTimeOfDay(spec, zone)),
  example: { time: "22:30", days: ["fri", "sat"] },
});
