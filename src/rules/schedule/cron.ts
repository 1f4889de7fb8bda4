// `cron` and `time_of_day`: times on the clock on the wall, with Debian's behaviour on the nights when it is set
// forward or back. A job of fixed times that falls into the skipped hour runs right after the jump, and one in the
// doubled hour runs the first time only; a job with a `*` in its minute or hour follows real time. A change of three
// hours or more is a new clock, without such care.
import { CronPattern } from "croner";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { WEEKDAYS } from "../../kit/time/weekdays.ts";
import type { Stretch, Zone } from "../../kit/time/zone.ts";
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

interface CronFields {
  /** In order, as numbers of the clock. */
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Whether the month (0–11) is one of them. */
  month(month: number): boolean;
  /** Whether the day (as UTC midnight) is one of them; its month is not compared. */
  day(date: Date): boolean;
  /** Debian's cron: a job of fixed times, since neither the minute's nor the hour's field begins with a `*`. */
  readonly fixedTime: boolean;
}

type CronFieldsResult = { ok: true; fields: CronFields } | { ok: false; problem: string };

const FIELDS = [
  ["second", "0 to 59"],
  ["minute", "0 to 59"],
  ["hour", "0 to 23"],
  ["day of the month", "1 to 31, or L for the last"],
  ["month", "1 to 12, or jan to dec"],
  ["day of the week", "0 to 7, or sun to sat"],
] as const;
const MAX_TEXT = 500;
// croner's bit for "the last such weekday of the month".
const LAST = 32;

// croner takes a quarter of a millisecond for each, and a rule's is read when it is checked and when it begins to run.
const MAX_KNOWN = 200;
const known = new Map<string, CronFields>();

function parseCronFields(expression: string): CronFieldsResult {
  if (expression.length > MAX_TEXT) return refuseCron(`is longer than ${MAX_TEXT} characters`);
  const texts = expression.trim().split(/\s+/);
  const shape = shapeProblem(texts);
  if (shape !== undefined) return refuseCron(shape);
  const key = texts.join(" ");
  const before = known.get(key);
  if (before) return { ok: true, fields: before };
  try {
    const fields = fieldsOf(patternOf(texts), texts);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, fields);
    return { ok: true, fields };
  } catch (error) {
    return refuseCron(fieldProblem(texts) ?? `cannot be read: ${messageOf(error).replace(/^CronPattern: /, "")}`);
  }
}

function refuseCron(why: string): { ok: false; problem: string } {
  return { ok: false, problem: `the cron expression ${why}` };
}

function shapeProblem(texts: readonly string[]): string | undefined {
  const text = texts.join(" ");
  if (text.startsWith("@"))
    return `"${text}" must be written as six fields, seconds first: "0 0 0 * * *" is every midnight`;
  if (texts.length === 6) return undefined;
  if (texts.length === 5) return `has five fields and needs six, seconds first: put "0 " in front: "0 ${text}"`;
  if (texts.length === 7) return `has seven fields and needs six: a year cannot be given, leave the last field out`;
  return `needs six fields, seconds first: second, minute, hour, day of the month, month, day of the week`;
}

function patternOf(texts: readonly string[]): CronPattern {
  // "0/15", from 0 in steps of 15, is what most who write six fields are used to.
  return new CronPattern(texts.join(" "), undefined, { mode: "6-part", sloppyRanges: true });
}

/** Names the first field that is wrong, by reading each alone. */
function fieldProblem(texts: readonly string[]): string | undefined {
  for (const [index, text] of texts.entries()) {
    try {
      patternOf(FIELDS.map((_, at) => (at === index ? text : "*")));
    } catch {
      const [field, range] = FIELDS[index] ?? ["field", ""];
      return `has a wrong ${field} "${text}": it takes ${range}, lists (1,3), ranges (1-5) and steps (*/2)`;
    }
  }
  return undefined;
}

function fieldsOf(pattern: CronPattern, texts: readonly string[]): CronFields {
  const [, minute = "", hour = "", day = "", , weekday = ""] = texts;
  const months = pattern.month.map(Boolean);
  return {
    seconds: indicesOf(pattern.second),
    minutes: indicesOf(pattern.minute),
    hours: indicesOf(pattern.hour),
    month: (month) => months[month] === true,
    // Debian's cron: with a star in either field both must match, with two limited fields one of them.
    day: dayMatcher(pattern, startsOpen(day) || startsOpen(weekday) || pattern.useAndLogic),
    fixedTime: !startsOpen(minute) && !startsOpen(hour),
  };
}

function startsOpen(field: string): boolean {
  return field.startsWith("*") || field.startsWith("?");
}

function indicesOf(flags: readonly number[]): number[] {
  return flags.flatMap((flag, index) => (flag ? [index] : []));
}

function dayMatcher(pattern: CronPattern, both: boolean): (date: Date) => boolean {
  // Copied out: the pattern itself holds a list of ten thousand years.
  const { day, dayOfWeek, nearestWeekdays, lastDayOfMonth, lastWeekday } = pattern;
  const nearest = indicesOf(nearestWeekdays);

  function ofMonth(date: Date, last: number): boolean {
    const number = date.getUTCDate();
    if (day[number - 1]) return true;
    if (lastDayOfMonth && number === last) return true;
    if (lastWeekday && number === nearestWorkday(date, last, last)) return true;
    return nearest.some((wanted) => number === nearestWorkday(date, wanted + 1, last));
  }

  function ofWeek(date: Date, last: number): boolean {
    const wanted = dayOfWeek[date.getUTCDay()] ?? 0;
    const number = date.getUTCDate();
    const nth = 1 << Math.floor((number - 1) / 7);
    return (wanted & nth) !== 0 || ((wanted & LAST) !== 0 && number + 7 > last);
  }

  return function isMeant(date) {
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    return both ? ofMonth(date, last) && ofWeek(date, last) : ofMonth(date, last) || ofWeek(date, last);
  };
}

/** `15W`: the working day nearest to that one, in the same month; undefined where the month is shorter. */
function nearestWorkday(month: Date, wanted: number, last: number): number | undefined {
  if (wanted > last) return undefined;
  const weekday = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), wanted)).getUTCDay();
  if (weekday === 6) return wanted === 1 ? 3 : wanted - 1;
  if (weekday === 0) return wanted === last ? wanted - 2 : wanted + 1;
  return wanted;
}
