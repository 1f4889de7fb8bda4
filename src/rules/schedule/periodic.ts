// `periodic`: every so many seconds of real time. The beat is counted from the first midnight of the year 2000 at the
// place, not from the hub's start: a restart neither shifts nor doubles it, and every full hour is a full hour on the wall.
// Beats of more than an hour move with daylight saving; who wants times on the wall writes a cron expression.

import type { Zone } from "../../core/zone.ts";
import type { ScheduleResult } from "./schedule.ts";

export interface Periodic {
  everySecs: number;
}

const LONGEST_SECS = 366 * 86_400;

export function parsePeriodic({ everySecs }: Periodic, zone: Zone): ScheduleResult {
  if (!Number.isInteger(everySecs) || everySecs < 1 || everySecs > LONGEST_SECS)
    return { ok: false, problem: `every_secs must be a whole number of seconds from 1 to ${LONGEST_SECS}` };
  const everyMs = everySecs * 1000;
  const year2000 = Date.UTC(2000, 0, 1);
  const anchor = year2000 - zone.at(year2000).offsetMs;
  return {
    ok: true,
    schedule: { next: (after) => anchor + (Math.floor((after - anchor) / everyMs) + 1) * everyMs, everyMs },
  };
}
