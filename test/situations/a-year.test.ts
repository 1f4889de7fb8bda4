// Rules triggered by the clock and the sun, in four places: every firing is compared with a model of a person with a calendar and a
// wall clock. The hub is stopped, and killed, in the nights in which the clocks change. They live through the days of a leap year in
// which something happens to the calendar, and some more; with CAMPAIGN_SCALE=10, as in the campaign `year`, all through some year.
// PROPERTY_SEED says which days and year.
// Over 10 s: weeks in four places, compared minute by minute with the model.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Place } from "../../src/kit/time/sun.ts";
import { SEED } from "../support/campaign.ts";
import {
  changesOf,
  crossingsOf,
  expectedOnTheWall,
  type Meant,
  type Minute,
  minutesOf,
  type Wall,
} from "./wall-calendar.ts";
import { type Case, type Firing, openYear, type YearRig } from "./year-rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SCALE = Number(process.env.CAMPAIGN_SCALE ?? 1);
const YEAR = SCALE < 10 ? 2028 : 2025 + (SEED % 25);
const DAYS_BY_SEED = 4;
// A timer takes a millisecond at least.
const TIMER_MS = 1;

const at = (hour: number, minute: number) => (wall: Wall) => wall.hour === hour && wall.minute === minute;

const OFTEN: Record<string, Case & Meant> = {
  half_past_one: { trigger: `Cron(expression: "0 30 1 * * *")`, meant: at(1, 30) },
  ten_past_two: { trigger: `Cron(expression: "0 10 2 * * *")`, meant: at(2, 10) },
  each_quarter: { trigger: `Cron(expression: "0 */15 * * * *")`, meant: ({ minute }) => minute % 15 === 0, wild: true },
  five_past: { trigger: `Cron(expression: "0 5 * * * *")`, meant: ({ minute }) => minute === 5, wild: true },
};
const EVERY_SECS = 5400;
const BEAT: Record<string, Case> = { beat: { trigger: `Periodic(every_secs: ${EVERY_SECS})` } };
const ON_THE_WALL: Record<string, Case & Meant> = {
  half_past_two: { trigger: `Cron(expression: "0 30 2 * * *")`, meant: at(2, 30) },
  first_monday: {
    trigger: `Cron(expression: "0 0 9 * * mon#1")`,
    meant: (wall) => at(9, 0)(wall) && wall.weekday === 1 && wall.day <= 7,
  },
  // Two limited fields of days: either may match, as with any cron.
  first_days_and_mondays: {
    trigger: `Cron(expression: "0 0 8 1-7 * mon")`,
    meant: (wall) => at(8, 0)(wall) && (wall.weekday === 1 || wall.day <= 7),
  },
  leap_day: {
    trigger: `Cron(expression: "0 0 12 29 2 *")`,
    meant: (wall) => at(12, 0)(wall) && wall.month === 2 && wall.day === 29,
  },
  thirty_first: { trigger: `Cron(expression: "0 15 2 31 * *")`, meant: (wall) => at(2, 15)(wall) && wall.day === 31 },
  workdays: {
    trigger: `TimeOfDay(time: "06:45", days: ["mon", "tue", "wed", "thu", "fri"])`,
    meant: (wall) => at(6, 45)(wall) && wall.weekday <= 5,
  },
  // The clocks change on Sundays.
  sundays: {
    trigger: `TimeOfDay(time: "02:20", days: ["sun"])`,
    meant: (wall) => at(2, 20)(wall) && wall.weekday === 7,
  },
};
const SUN: Record<string, Case> = {
  sunrise: { trigger: `SunEvent(event: "sunrise")` },
  before_sunset: { trigger: `SunEvent(event: "sunset", offset_minutes: -15)` },
};

const ALL_ON_THE_WALL = { ...ON_THE_WALL, ...OFTEN };
const OTHERS = { ...SUN, ...BEAT };

interface Stop {
  at: number;
  offMs: number;
  how: "stopped" | "cut";
}

/** Stops of less than a minute, around every clock change and exactly at scheduled times then. */
function stopsOf(minutes: readonly Minute[]): Stop[] {
  const changes = changesOf(minutes);
  // Where the clocks never change, any night.
  const nights = changes.length > 0 ? changes : [(minutes[0]?.at ?? 0) + 100 * DAY + 3 * HOUR];
  const around = nights.flatMap((at): Stop[] => [
    { at: at - 40 * MINUTE - 5 * SECOND, offMs: 30 * SECOND, how: "stopped" },
    // The clock change itself happens while the hub is off.
    { at: at - 20 * SECOND, offMs: 50 * SECOND, how: "cut" },
    { at: at + 10 * MINUTE, offMs: 0, how: "cut" },
    { at: at + 20 * MINUTE - 1, offMs: 2, how: "stopped" },
    { at: at + 30 * MINUTE, offMs: 59 * SECOND, how: "stopped" },
    { at: at + 30 * MINUTE + 59 * SECOND, offMs: SECOND, how: "cut" },
    { at: at + 60 * MINUTE + 10 * SECOND, offMs: 20 * SECOND, how: "cut" },
    { at: at + 90 * MINUTE - 30 * SECOND, offMs: 59 * SECOND, how: "cut" },
  ]);
  return around.filter(({ at }) => at < (minutes.at(-1)?.at ?? 0));
}

async function live(rig: YearRig, until: number, stops: readonly Stop[]): Promise<void> {
  for (const { at, offMs, how } of stops) {
    await rig.clock.hopTo(at);
    await rig.restart(offMs, how);
  }
  await rig.clock.hopTo(until);
}

const iso = (ms: number): string => new Date(ms).toISOString();

const places = [
  { timeZone: "Europe/Berlin", place: { latitude: 52.52, longitude: 13.405 }, changes: 2 },
  { timeZone: "America/New_York", place: { latitude: 40.71, longitude: -74.01 }, changes: 2 },
  // Half an hour of summer time, south of the equator.
  { timeZone: "Australia/Lord_Howe", place: { latitude: -31.55, longitude: 159.08 }, changes: 2 },
  { timeZone: "Asia/Kolkata", place: { latitude: 22.57, longitude: 88.36 }, changes: 0 },
];

interface Span {
  from: number;
  until: number;
}

/** The days in which something happens to the calendar, and some by the seed. */
function spansOf(year: Span, minutes: readonly Minute[], stops: readonly Stop[]): Span[] {
  if (SCALE >= 10) return [year];
  const midnights = minutes.filter(({ wall }) => at(0, 0)(wall));
  const special = midnights.filter(({ wall: { month, day, weekday } }) =>
    month === 5 ? day === 31 || (day <= 14 && weekday === 1) : month === 2 && day >= 28,
  );
  const bySeed = fc.sample(fc.integer({ min: year.from, max: year.until - 1 }), { seed: SEED, numRuns: DAYS_BY_SEED });
  const stopped = stops.flatMap((stop) => [stop.at, stop.at + DAY]);
  const chosen = [year.from, ...special.map(({ at }) => at), ...stopped, ...bySeed, year.until - 1];
  const days = midnights.map((midnight, day) => ({ from: midnight.at, until: midnights[day + 1]?.at ?? year.until }));
  const spans: Span[] = [];
  for (const { from, until } of days.filter((day) => chosen.some((at) => at >= day.from && at < day.until))) {
    const before = spans.at(-1);
    if (before?.until === from) before.until = until;
    else spans.push({ from, until });
  }
  return spans;
}

interface Scene extends Span {
  timeZone: string;
  place: Place;
  /** All of them. */
  minutes: readonly Minute[];
  /** Also others. */
  stops: readonly Stop[];
}

/** All firings, each at a moment that the model has; whether the hub was in time is for `expectInTime`. */
async function liveThrough({ timeZone, place, from, until, minutes, stops }: Scene): Promise<Firing[]> {
  await using rig = await openYear({ timeZone, place, from: from - 1, cases: { ...ALL_ON_THE_WALL, ...OTHERS } });
  expect(rig.rules.problems()).toEqual([]);
  await live(
    rig,
    until - 1,
    stops.filter((stop) => stop.at >= from && stop.at < until),
  );
  for (const [id, one] of Object.entries(ALL_ON_THE_WALL)) {
    const scheduled = rig.of(id).map(({ scheduled }) => iso(scheduled));
    expect([id, ...scheduled]).toEqual([id, ...expectedOnTheWall(one, minutes).map(iso)]);
  }
  const year2000 = Temporal.ZonedDateTime.from({ year: 2000, month: 1, day: 1, timeZone }).epochMilliseconds;
  const beats = minutes.map(({ at }) => at).filter((at) => (at - year2000) % (EVERY_SECS * SECOND) === 0);
  expect(rig.of("beat").map(({ scheduled }) => scheduled)).toEqual(beats);
  const { up, down } = crossingsOf(minutes, place);
  expectNear(rig.of("sunrise"), up);
  expectNear(
    rig.of("before_sunset"),
    down.map((at) => at - 15 * MINUTE),
  );
  return [...Object.keys(ALL_ON_THE_WALL), ...Object.keys(OTHERS)].flatMap(rig.of);
}

describe(`the year ${YEAR}, seed ${SEED}`, () => {
  for (const { timeZone, place, changes } of places)
    test(
      timeZone,
      async () => {
        const newYear = (year: number): number =>
          Temporal.ZonedDateTime.from({ year, month: 1, day: 1, timeZone }).epochMilliseconds;
        const year = { from: newYear(YEAR), until: newYear(YEAR + 1) };
        const minutes = minutesOf(timeZone, year);
        expect(changesOf(minutes)).toHaveLength(changes);
        const stops = stopsOf(minutes);
        const scene = { timeZone, place, stops };
        const firings: Firing[] = [];
        for (const span of spansOf(year, minutes, stops)) {
          const within = minutes.slice((span.from - year.from) / MINUTE, (span.until - year.from) / MINUTE);
          firings.push(...(await liveThrough({ ...scene, ...span, minutes: within })));
        }
        expectInTime(firings, stops);
      },
      SCALE < 10 ? 120_000 : 600_000,
    );
});

/** Exact to the minute of the model, and half a minute for its coarse formula. */
function expectNear(firings: readonly Firing[], moments: readonly number[]): void {
  expect(firings).toHaveLength(moments.length);
  const furthest = firings.map(({ scheduled }, index) => Math.abs(scheduled + 30_000 - (moments[index] ?? 0)));
  expect(Math.max(...furthest)).toBeLessThan(MINUTE);
}

/** At their time; those during a stop, when it was over. */
function expectInTime(firings: readonly Firing[], stops: readonly Stop[]): void {
  const isPunctual = ({ scheduled, at }: Firing): boolean => at >= scheduled && at - scheduled <= TIMER_MS;
  const late = firings.filter((firing) => !isPunctual(firing));
  expect(late.length).toBeGreaterThan(0);
  const unexplained = late.filter(
    ({ scheduled, at }) =>
      !stops.some((stop) => stop.at <= scheduled && isPunctual({ scheduled: stop.at + stop.offMs, at })),
  );
  expect(unexplained).toEqual([]);
}

describe("a night without power", () => {
  // From an hour before the clocks are put forward until four hours after: 02:30 is never shown, and passes meanwhile.
  const change = Date.parse("2028-03-26T01:00:00Z");
  const cases = {
    plain: { trigger: `Cron(expression: "0 30 2 * * *")` },
    patient: { trigger: `Cron(expression: "0 30 2 * * *")`, more: "catch_up_secs: 21600," },
    impatient: { trigger: `Cron(expression: "0 30 2 * * *")`, more: "catch_up_secs: 3600," },
    often: { trigger: `Cron(expression: "0 */15 * * * *")`, more: "catch_up_secs: 1200," },
    sunrise: { trigger: `SunEvent(event: "sunrise")` },
  };

  test("nothing runs late, except rules that ask for it, and those once", async () => {
    const place = { latitude: 52.52, longitude: 13.405 };
    await using rig = await openYear({ timeZone: "Europe/Berlin", place, from: change - 2 * HOUR, cases });
    await live(rig, change + 12 * HOUR, [
      { at: change - HOUR, offMs: 5 * HOUR + 7 * MINUTE, how: "cut" },
      { at: change + 6 * HOUR, offMs: 30 * SECOND, how: "stopped" },
    ]);
    const back = change + 4 * HOUR + 7 * MINUTE + TIMER_MS;
    expect(rig.of("plain")).toEqual([]);
    expect(rig.of("impatient")).toEqual([]);
    expect(rig.of("patient")).toEqual([{ scheduled: change, at: back }]);
    expect(rig.of("sunrise")).toEqual([]);
    const late = rig.of("often").filter(({ scheduled, at }) => at - scheduled > MINUTE);
    expect(late).toEqual([{ scheduled: change + 4 * HOUR, at: back }]);
  });
});

test("a date that never comes is reported as a problem of the file", async () => {
  const cases = {
    never: { trigger: `Cron(expression: "0 0 12 30 2 *")` },
    neither: { trigger: `Cron(expression: "0 0 12 31 2,4,6,9,11 *")` },
  };
  const place = { latitude: 0, longitude: 0 };
  await using rig = await openYear({ timeZone: "Asia/Kolkata", place, from: Date.UTC(YEAR, 0, 1), cases });
  expect(rig.rules.problems().map(({ message }) => message)).toEqual([
    expect.stringContaining(`"0 0 12 31 2,4,6,9,11 *" names a day that never comes`),
    expect.stringContaining(`"0 0 12 30 2 *" names a day that never comes`),
  ]);
});
