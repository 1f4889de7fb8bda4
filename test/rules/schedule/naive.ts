// Second models of the schedules: a walk over every minute of a year with Intl's wall clock, by the rules as Debian's
// manual words them. Slow and plain on purpose; shares nothing with the code under test.
import type { Schedule } from "../../../src/rules/schedule/schedule.ts";

const MINUTE_MS = 60_000;
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export interface Span {
  timeZone: string;
  from: number;
  until: number;
}

/** What the clock on the wall shows, as a date in UTC; asks Intl once for each quarter of an hour. */
export function createWall(timeZone: string): (instant: number) => Date {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
  });
  let quarter = Number.NaN;
  let offset = 0;
  return (instant) => {
    const start = Math.floor(instant / 900_000) * 900_000;
    if (start !== quarter) {
      quarter = start;
      const part = Object.fromEntries(format.formatToParts(start).map(({ type, value }) => [type, Number(value)]));
      offset = Date.UTC(part.year ?? 0, (part.month ?? 0) - 1, part.day, part.hour, part.minute, part.second) - start;
    }
    return new Date(instant + offset);
  };
}

/** One field of numbers, `*`, `a-b`, either with a step, and lists of them. */
function fieldMatches(field: string, value: number, lowest: number): boolean {
  return field.split(",").some((part) => {
    const [range = "", step = "1"] = part.split("/");
    if (range === "*") return (value - lowest) % Number(step) === 0;
    const [first = 0, last = first] = range.split("-").map(Number);
    return value >= first && value <= last && (value - first) % Number(step) === 0;
  });
}

/** The wall clock's reading for each minute of the span, its ends included. */
export function wallMinutes({ timeZone, from, until }: Span): { from: number; shown: Date[] } {
  const wall = createWall(timeZone);
  const shown: Date[] = [];
  for (let at = from; at <= until; at += MINUTE_MS) shown.push(wall(at));
  return { from, shown };
}

/** All moments after the first minute of an expression of numbers, ranges, steps and weekday names. */
export function naiveCron(expression: string, { from, shown }: { from: number; shown: readonly Date[] }): number[] {
  const fields = expression.replace(/[a-z]{3}/g, (name) => String(WEEKDAYS.indexOf(name))).split(" ");
  const [second, minute, hour, day, month, weekday] = fields.map((field, index) =>
    Array.from({ length: 60 }, (_, value) => fieldMatches(field, value, index === 3 || index === 4 ? 1 : 0)),
  );
  const star = fields.map((field) => field.startsWith("*"));
  const wild = star[1] || star[2];

  function fits(at: Date): boolean {
    if (!minute?.[at.getUTCMinutes()] || !hour?.[at.getUTCHours()] || !month?.[at.getUTCMonth() + 1]) return false;
    const ofMonth = day?.[at.getUTCDate()] === true;
    const ofWeek = weekday?.[at.getUTCDay()] === true;
    return star[3] || star[5] ? ofMonth && ofWeek : ofMonth || ofWeek;
  }

  const moments = new Set<number>();
  // Debian's "virtual time": the highest minute the wall clock has shown.
  let virtual = Number(shown[0]) - MINUTE_MS;
  for (const [index, now] of shown.entries()) {
    const at = from + index * MINUTE_MS;
    const reading = now.getTime();
    for (let skipped = virtual + MINUTE_MS; skipped < reading; skipped += MINUTE_MS)
      if (!wild && fits(new Date(skipped))) moments.add(at);
    if ((wild || reading > virtual) && fits(now))
      for (let each = 0; each < 60; each++) if (second?.[each]) moments.add(at + each * 1000);
    virtual = Math.max(virtual, reading);
  }
  return [...moments].filter((at) => at > from).sort((a, b) => a - b);
}

/** All moments of a schedule in (from, until]. */
export function momentsOf(schedule: Schedule, from: number, until: number): number[] {
  const moments: number[] = [];
  for (let at = schedule.next(from); at !== undefined && at <= until; at = schedule.next(at)) moments.push(at);
  return moments;
}
