// `periodic`: every so many seconds of real time, on a beat that a restart does not shift.
import { Type } from "@sinclair/typebox";
import { defineTrigger } from "../define.ts";
import { YEAR_SECS } from "../fields.ts";
import { parsePeriodic } from "../schedule/periodic.ts";
import { scheduleOf } from "../scheduled.ts";

export const periodic = defineTrigger({
  type: "periodic",
  doc: "Every so many seconds of real time, on a beat that neither the hub's start nor a restart shifts.",
  fields: {
    every_secs: Type.Integer({ minimum: 1, maximum: YEAR_SECS, description: "The seconds from one time to the next" }),
  },
  label: ({ every_secs }) => `every ${every_secs} s`,
  schedule: ({ every_secs }, { zone }) => scheduleOf(parsePeriodic({ everySecs: every_secs }, zone)),
  example: { every_secs: 900 },
});
