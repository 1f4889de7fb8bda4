// `time_of_day`: a time on the wall, on every day or on some days of the week. On the nights of the clock change it does
// as a cron job of fixed times does.
import { didYouMean } from "../../core/schema.ts";
import type { Zone } from "../../core/zone.ts";
import { parseCron } from "./cron.ts";
import type { ScheduleResult } from "./schedule.ts";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

export interface TimeOfDay {
  /** `HH:MM` or `HH:MM:SS`. */
  time: string;
  /** Of `WEEKDAYS`; every day when absent. */
  days?: readonly string[];
}

export function parseTimeOfDay({ time, days }: TimeOfDay, zone: Zone): ScheduleResult {
  const [, hour, minute, second = "00"] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(time) ?? [];
  if (hour === undefined || minute === undefined)
    return refuse(`"${time}" is not a time of day; write "07:30" or "07:30:15", from 00:00 to 23:59:59`);
  if (days?.length === 0) return refuse("days is empty, so it would never be time; leave it out for every day");
  const wrong = days?.find((day) => !(WEEKDAYS as readonly string[]).includes(day));
  if (wrong !== undefined)
    return refuse(`"${wrong}" is not a day; use ${WEEKDAYS.join(", ")}${didYouMean(wrong, WEEKDAYS)}`);
  return parseCron(`${second} ${minute} ${hour} * * ${days?.join(",") ?? "*"}`, zone);
}

function refuse(problem: string): ScheduleResult {
  return { ok: false, problem };
}
