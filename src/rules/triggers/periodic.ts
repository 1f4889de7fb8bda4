// `periodic`: every so many seconds of real time. A restart does not shift the times.
import { scheduleOf } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { wholeSecs } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { parsePeriodic } from "../schedule/schedule.ts";

export const periodic = defineTrigger({
  type: "periodic",
  doc: "Every so many seconds of real time. Neither the start of the hub nor a restart shifts the times.",
  fields: {
    every_secs: wholeSecs("The seconds from one time to the next", { minimum: 1 }),
  },
  label: ({ every_secs }) => `every ${every_secs} s`,
  schedule: ({ every_secs }, { zone }: Pick<HouseReads, "zone">) =>
    scheduleOf(parsePeriodic({ everySecs: every_secs }, zone)),
  example: { every_secs: 900 },
});
