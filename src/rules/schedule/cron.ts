// `cron` and `time_of_day`: times on the clock on the wall, with Debian's behaviour on the nights when it is set
// forward or back. A job of fixed times that falls into the skipped hour runs right after the jump, and one in the
// doubled hour runs the first time only; a job with a `*` in its minute or hour follows real time. A change of three
// hours or more is a new clock, without such care.
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { WEEKDAYS } from "../../kit/time/weekdays.ts";
import type { Stretch, Zone } from "../../kit/time/zone.ts";
import { type CronFields, parseCronFields } from "./cron-fields.ts";
import type { ScheduleResult } from "./schedule.ts";

const DAY_MS = 86_400_000;
const THREE_HOURS_MS = 3 * 3_600_000;
// A 29 February on a given weekday can be forty years away; what does not come by then never comes.
const HORIZON_MS = 50 * 366 * DAY_MS;

export function parseCron(expression: string, zone: Zone): ScheduleResult {
  const parsed = parseCronFields(expression);
  if (!parsed.ok) return parsed;
  const { fields } = parsed;
  const anyDay = Date.UTC(2000, 0, 1);
  if (nextLocal(fields, anyDay, anyDay + HORIZON_MS) === undefined)
    return {
      ok: false,
      problem: `the cron expression "${expression}" names a day that never comes, such as 30 February: choose another day or month`,
    };
  return { ok: true, schedule: { next: (after) => nextInstant(fields, zone, after), fixedTime: fields.fixedTime } };
}

function nextInstant(fields: CronFields, zone: Zone, after: number): number | undefined {
  const start = Math.floor(after / 1000) * 1000 + 1000;
  const horizon = start + HORIZON_MS;
  for (let at = start; at < horizon; ) {
    const stretch = zone.at(at);
    const until = Math.min(stretch.until, horizon);
    const found = firstWithin(fields, stretch, { at, until });
    if (found !== undefined) return found;
    at = until;
  }
  return undefined;
}

function firstWithin(fields: CronFields, stretch: Stretch, span: { at: number; until: number }): number | undefined {
  const { from, offsetMs, offsetBeforeMs } = stretch;
  const shiftMs = offsetMs - offsetBeforeMs;
  let local = span.at + offsetMs;
  if (fields.fixedTime && Math.abs(shiftMs) < THREE_HOURS_MS) {
    const skipped = shiftMs > 0 && span.at === from;
    if (skipped && nextLocal(fields, from + offsetBeforeMs, from + offsetMs) !== undefined) return from;
    // What the clocks show a second time has been.
    if (shiftMs < 0) local = Math.max(local, from + offsetBeforeMs);
  }
  const found = nextLocal(fields, local, span.until + offsetMs);
  return found === undefined ? undefined : found - offsetMs;
}

/** The first wall-clock time in [from, until), all three written as if the place were in UTC. */
function nextLocal(fields: CronFields, from: number, until: number): number | undefined {
  let day = Math.floor(from / DAY_MS);
  let second = Math.ceil((from - day * DAY_MS) / 1000);
  while (day * DAY_MS < until) {
    const date = new Date(day * DAY_MS);
    if (!fields.month(date.getUTCMonth())) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
    } else {
      const found = fields.day(date) ? nextOfDay(fields, second) : undefined;
      if (found !== undefined) return day * DAY_MS + found * 1000 < until ? day * DAY_MS + found * 1000 : undefined;
      day++;
    }
    second = 0;
  }
  return undefined;
}

/** The first second of the day, at `from` or later. */
function nextOfDay({ hours, minutes, seconds }: CronFields, from: number): number | undefined {
  for (const hour of hours) {
    if ((hour + 1) * 3600 <= from) continue;
    for (const minute of minutes) {
      if (hour * 3600 + (minute + 1) * 60 <= from) continue;
      for (const second of seconds) {
        const at = hour * 3600 + minute * 60 + second;
        if (at >= from) return at;
      }
    }
  }
  return undefined;
}

export { WEEKDAYS };

/** On every day or on some days of the week. */
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
