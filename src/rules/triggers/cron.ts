// `cron`: times by an expression of six fields, on the clock of the house.

import { checkSchedule, scheduleOf } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { text } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { parseCron } from "../schedule/cron.ts";

export const cron = defineTrigger({
  type: "cron",
  doc: "Times of a cron expression, on the clock of the house.",
  fields: {
    expression: text("Six fields, seconds first: second, minute, hour, day of the month, month, day of the week"),
  },
  label: ({ expression }) => `cron ${expression}`,
  check: ({ expression }) => checkSchedule("expression", (zone) => parseCron(expression, zone)),
  schedule: ({ expression }, { zone }: Pick<HouseReads, "zone">) => scheduleOf(parseCron(expression, zone)),
  example: { expression: "0 30 6 * * mon-fri" },
});
