// The six fields of a cron expression. croner reads the text; what its numbers mean on a calendar is computed here,
// without time zones and without daylight saving.
import { CronPattern } from "croner";
import { messageOf } from "../../kit/schema/errors.ts";

export interface CronFields {
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

export type CronFieldsResult = { ok: true; fields: CronFields } | { ok: false; problem: string };

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

export function parseCronFields(expression: string): CronFieldsResult {
  if (expression.length > MAX_TEXT) return refuse(`is longer than ${MAX_TEXT} characters`);
  const texts = expression.trim().split(/\s+/);
  const shape = shapeProblem(texts);
  if (shape !== undefined) return refuse(shape);
  const key = texts.join(" ");
  const before = known.get(key);
  if (before) return { ok: true, fields: before };
  try {
    const fields = fieldsOf(patternOf(texts), texts);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, fields);
    return { ok: true, fields };
  } catch (error) {
    return refuse(fieldProblem(texts) ?? `cannot be read: ${messageOf(error).replace(/^CronPattern: /, "")}`);
  }
}

function refuse(why: string): { ok: false; problem: string } {
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
