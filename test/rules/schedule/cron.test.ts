import { describe, expect, test } from "bun:test";
import { Cron } from "croner";
import fc from "fast-check";
import { createZone } from "../../../src/kit/time/zone.ts";
import { parseCron } from "../../../src/rules/schedule/cron.ts";
import { lastBetween, type Schedule } from "../../../src/rules/schedule/schedule.ts";
import { examples } from "../../support/examples.ts";
import { momentsOf, naiveCron, wallMinutes } from "./naive.ts";

const from = Date.UTC(2026, 0, 1);
const until = Date.UTC(2027, 0, 1);

function cron(expression: string, timezone = "Europe/Berlin"): Schedule {
  const parsed = parseCron(expression, createZone(timezone));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.schedule;
}

function problemOf(expression: string): string {
  const parsed = parseCron(expression, createZone("Europe/Berlin"));
  return parsed.ok ? "" : parsed.problem;
}

/** What runs from a local date's midnight (as UTC) on, as UTC times of day. */
function night(expression: string, day: number, timezone?: string): string[] {
  const moments = momentsOf(cron(expression, timezone), day - 1, day + 12 * 3_600_000);
  return moments.map((at) => new Date(at).toISOString().slice(11, 19));
}

describe("a whole year agrees with a walk over its minutes", () => {
  const expressions = [
    "0 30 2 * * *",
    "0 0 0 * * *",
    "0 15 1,2,3 * * mon-fri",
    "0 0,30 1-3 * 3,4,10,11 *",
    "0 */15 * * * *",
    "0 */20 2 * * *",
    "30 5 */2 * * *",
    "0 0-58/2 2 * * *",
    "*/20 30 2 * * sun",
    "0 0 2-3 13 * fri",
    "0 45 1 */2 * mon",
    "0 59 23 31 12 *",
  ];
  for (const timeZone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
    test(timeZone, () => {
      const minutes = wallMinutes({ timeZone, from, until });
      for (const expression of expressions) {
        const expected = naiveCron(expression, minutes).filter((at) => at <= until);
        expect(expected.length).toBeGreaterThan(0);
        expect({ expression, moments: momentsOf(cron(expression, timeZone), from, until) }).toEqual({
          expression,
          moments: expected,
        });
      }
    });
});

// Berlin: on 2026-03-29 02:00 CET becomes 03:00 CEST at 01:00 UTC; on 2026-10-25 03:00 CEST becomes 02:00 CET at 01:00 UTC.
describe("the nights of the clock change", () => {
  const spring = Date.UTC(2026, 2, 29);
  const autumn = Date.UTC(2026, 9, 24, 22);

  test("a fixed time in the skipped hour runs right after the jump", () => {
    expect(night("0 30 2 * * *", spring)).toEqual(["01:00:00"]);
  });
  test("several in it, and one at its end, run once together", () => {
    expect(night("0 0,20,40 2,3 * * *", spring)).toEqual(["01:00:00", "01:20:00", "01:40:00"]);
  });
  test("a wildcard does not make up for the skipped hour", () => {
    expect(night("0 */30 2 * * *", spring)).toEqual([]);
    expect(night("0 0 */1 * * *", spring).slice(0, 3)).toEqual(["00:00:00", "01:00:00", "02:00:00"]);
  });
  test("a fixed time in the doubled hour runs the first time only", () => {
    expect(night("0 30 2 * * *", autumn)).toEqual(["00:30:00"]);
    expect(night("0 0 2,3 * * *", autumn)).toEqual(["00:00:00", "02:00:00"]);
  });
  test("a wildcard follows real time through both", () => {
    expect(night("0 */30 2 * * *", autumn)).toEqual(["00:00:00", "00:30:00", "01:00:00", "01:30:00"]);
  });
  test("in the middle of the doubled hour the fixed time is over, the wildcard is not", () => {
    const second = Date.UTC(2026, 9, 25, 1, 10);
    expect(cron("0 30 2 * * *").next(second)).toBe(Date.UTC(2026, 9, 26, 1, 30));
    expect(cron("0 */30 2 * * *").next(second)).toBe(Date.UTC(2026, 9, 25, 1, 30));
  });
  test("half an hour of change, on Lord Howe", () => {
    // 02:00 → 02:30 on 2026-10-04 (15:30 UTC the day before), 02:00 → 01:30 on 2026-04-05 (15:00 UTC the day before).
    expect(night("0 15 2 * * *", Date.UTC(2026, 9, 3, 13), "Australia/Lord_Howe")).toEqual(["15:30:00"]);
    expect(night("0 45 1 * * *", Date.UTC(2026, 3, 4, 13), "Australia/Lord_Howe")).toEqual(["14:45:00"]);
    expect(night("0 */15 1 * * *", Date.UTC(2026, 3, 4, 13), "Australia/Lord_Howe")).toHaveLength(6);
  });
  test("a whole day that a place left out is a new clock: nothing is made up for", () => {
    // Apia had no 30 December 2011.
    const day = Date.UTC(2011, 11, 29, 12);
    expect(momentsOf(cron("0 0 12 30 12 *", "Pacific/Apia"), day, day + 5 * 86_400_000)).toEqual([]);
  });
});

test("L, W, # and the rest of the calendar agree with croner's own in UTC", () => {
  const expressions = [
    "0 0 0 L * *",
    "0 0 0 LW * *",
    "0 0 0 1W * *",
    "0 0 0 15W * *",
    "0 0 0 30W,31W * *",
    "0 0 12 * * fri#2",
    "0 0 12 * * 5L",
    "0 0 12 * * mon#1,sun#5",
    "0 0 0 29 2 *",
    "0 0 0 13 * fri",
    "0 0 0 13 * +fri",
    "0 0 0 * jan-mar,DEC 7",
    "0 0 0 15,L * sunL",
    "5/20 0/30 6-8 ? * ?",
  ];
  for (const expression of expressions) {
    const croner = new Cron(expression, { mode: "6-part", sloppyRanges: true, timezone: "UTC" });
    const expected = croner.nextRuns(60, new Date(from)).map((date) => date.getTime());
    const schedule = cron(expression, "UTC");
    const moments: number[] = [];
    for (let at = schedule.next(from); at !== undefined && moments.length < 60; at = schedule.next(at))
      moments.push(at);
    // croner counts a run at the starting moment itself.
    expect({ expression, moments }).toEqual({ expression, moments: expected });
  }
});

test("what can never come is a problem, and what is rare is found", () => {
  for (const expression of ["0 0 0 30 2 *", "0 0 0 31 4,6,9,11 *", "0 0 0 31 2 +mon"])
    expect(problemOf(expression)).toContain("names a day that never comes");
  expect(cron("0 0 0 29 2 +mon").next(from)).toBe(Date.UTC(2044, 1, 28, 23));
});

test("problems say what to write instead", () => {
  expect(problemOf("30 7 * * *")).toBe(
    'the cron expression has five fields and needs six, seconds first: put "0 " in front: "0 30 7 * * *"',
  );
  expect(problemOf("0 30 7 * * * 2026")).toContain("a year cannot be given");
  expect(problemOf("@daily")).toContain('"0 0 0 * * *" is every midnight');
  expect(problemOf("")).toContain("needs six fields");
  expect(problemOf("0 0 25 * * *")).toContain('a wrong hour "25"');
  expect(problemOf("0 0 0 * foo *")).toContain('a wrong month "foo"');
  expect(problemOf("0 0 22-6 * * *")).toContain('a wrong hour "22-6"');
  expect(problemOf(`0 ${"1,".repeat(500)}1 * * * *`)).toContain("longer than");
});

test("no expression, however odd, throws or hangs", () => {
  const field = fc.stringMatching(/^[0-9*/,LW#?a-z-]{1,6}$/);
  const zone = createZone("Europe/Berlin");
  fc.assert(
    fc.property(fc.array(field, { minLength: 6, maxLength: 6 }), (fields) => {
      const parsed = parseCron(fields.join(" "), zone);
      const next = parsed.ok ? parsed.schedule.next(from) : undefined;
      return next === undefined || next > from;
    }),
    { numRuns: examples(500) },
  );
});

test("the last moment between two is found without counting through", () => {
  const everySecond = cron("* * * * * *");
  expect(lastBetween(everySecond, from, until)).toBe(until);
  const yearly = cron("0 0 0 1 6 *");
  expect(lastBetween(yearly, from, until)).toBe(Date.UTC(2026, 4, 31, 22));
  expect(lastBetween(yearly, Date.UTC(2026, 4, 31, 22), until)).toBeUndefined();
});
