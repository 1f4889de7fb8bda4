import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { type PlanEntry, planAt, readWeekPlan } from "../../../../src/house/state/virtual/week-plan.ts";
import { WEEKDAYS } from "../../../../src/kit/time/weekdays.ts";
import { createZone } from "../../../../src/kit/time/zone.ts";
import { examples } from "../../../support/examples.ts";

const BERLIN = createZone("Europe/Berlin");
const MINUTE = 60_000;

/** The changes of a plan from a moment on, as local times. */
function changes(plan: PlanEntry[], from: string, count: number, zone = BERLIN): string[] {
  let at = Date.parse(from);
  const seen: string[] = [];
  while (seen.length < count) {
    const { until } = planAt(plan, zone, at);
    if (until === undefined) break;
    const { on } = planAt(plan, zone, until);
    const local = Temporal.Instant.fromEpochMilliseconds(until).toZonedDateTimeISO(zone.name);
    seen.push(`${local.toString({ smallestUnit: "minute" }).slice(0, 22)} ${on ? "on" : "off"}`);
    at = until;
  }
  return seen;
}

describe("a weekly plan", () => {
  test("goes on and off on its days", () => {
    const plan = readWeekPlan([{ days: ["wed", "mon"], from: "7:00", to: "08:30" }]);
    expect(plan).toEqual([{ days: ["mon", "wed"], from: "07:00", to: "08:30" }]);
    // A Thursday.
    expect(changes(plan, "2026-01-15T12:00:00Z", 4)).toEqual([
      "2026-01-19T07:00+01:00 on",
      "2026-01-19T08:30+01:00 off",
      "2026-01-21T07:00+01:00 on",
      "2026-01-21T08:30+01:00 off",
    ]);
  });

  test("lasts over midnight, and over the end of the week", () => {
    const plan: PlanEntry[] = [{ days: ["sun"], from: "22:00", to: "06:00" }];
    expect(changes(plan, "2026-01-15T12:00:00Z", 2)).toEqual([
      "2026-01-18T22:00+01:00 on",
      "2026-01-19T06:00+01:00 off",
    ]);
    expect(planAt(plan, BERLIN, Date.parse("2026-01-19T03:00:00Z")).on).toBe(true);
  });

  test("takes entries that overlap or touch as one", () => {
    const plan: PlanEntry[] = [
      { days: ["thu"], from: "08:00", to: "10:00" },
      { days: ["thu"], from: "09:00", to: "12:00" },
      { days: ["thu"], from: "12:00", to: "24:00" },
      { days: ["fri"], from: "00:00", to: "01:00" },
    ];
    expect(changes(plan, "2026-01-15T00:00:00Z", 2)).toEqual([
      "2026-01-15T08:00+01:00 on",
      "2026-01-16T01:00+01:00 off",
    ]);
  });

  test("never changes where it is always on, or empty", () => {
    const always: PlanEntry[] = [{ days: [...WEEKDAYS], from: "00:00", to: "24:00" }];
    for (const at of ["2026-01-15T12:00:00Z", "2026-03-29T01:00:00Z", "2026-10-25T01:30:00Z"]) {
      expect(planAt(always, BERLIN, Date.parse(at))).toMatchObject({ on: true, until: undefined });
      expect(planAt([], BERLIN, Date.parse(at))).toMatchObject({ on: false, until: undefined });
    }
  });

  test("begins and ends when the clocks are put forward where its time is left out", () => {
    const plan = (from: string, to: string): PlanEntry[] => [{ days: ["sun"], from, to }];
    const before = "2026-03-28T12:00:00Z";
    expect(changes(plan("02:30", "04:00"), before, 2)).toEqual([
      "2026-03-29T03:00+02:00 on",
      "2026-03-29T04:00+02:00 off",
    ]);
    expect(changes(plan("01:00", "02:30"), before, 2)).toEqual([
      "2026-03-29T01:00+01:00 on",
      "2026-03-29T03:00+02:00 off",
    ]);
    // Wholly within the hour that there is not: the next one is in a week.
    expect(changes(plan("02:10", "02:50"), before, 1)).toEqual(["2026-04-05T02:10+02:00 on"]);
  });

  test("takes the first of two times where the clocks are put back", () => {
    const plan = (from: string, to: string): PlanEntry[] => [{ days: ["sun"], from, to }];
    const before = "2026-10-24T12:00:00Z";
    expect(changes(plan("02:00", "02:30"), before, 3)).toEqual([
      "2026-10-25T02:00+02:00 on",
      "2026-10-25T02:30+02:00 off",
      "2026-11-01T02:00+01:00 on",
    ]);
    expect(changes(plan("01:00", "03:00"), before, 2)).toEqual([
      "2026-10-25T01:00+02:00 on",
      "2026-10-25T03:00+01:00 off",
    ]);
  });

  test("refuses an entry that ends when it begins, and says how to write a whole day", () => {
    expect(() => readWeekPlan([{ days: ["mon"], from: "7:00", to: "07:00" }])).toThrow('write "00:00" and "24:00"');
  });

  test("says at every minute what the clock on the wall says", () => {
    const time = fc.integer({ min: 0, max: 24 * 60 - 1 });
    const entry = fc.record({
      days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
      from: time,
      to: time,
    });
    const asText = (minutes: number): string =>
      `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
    const zones = ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Kiritimati", "UTC"];
    void fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 4 }),
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2026, 0, 1) / MINUTE, max: Date.UTC(2027, 0, 1) / MINUTE }),
        (given, zoneName, minute) => {
          const plan = given
            .filter(({ from, to }) => from !== to)
            .map(({ days, from, to }) => ({ days, from: asText(from), to: asText(to) }));
          const zone = createZone(zoneName);
          const at = minute * MINUTE;
          // Within a day of a change of the clocks the tests above say what is right.
          const { from: begun, until } = zone.at(at);
          if (at - begun < 2 * 86_400_000 || until - at < 2 * 86_400_000) return;
          const local = new Date(at + zone.at(at).offsetMs);
          const today = WEEKDAYS[(local.getUTCDay() + 6) % 7];
          const yesterday = WEEKDAYS[(local.getUTCDay() + 5) % 7];
          const now = asText(local.getUTCHours() * 60 + local.getUTCMinutes());
          const expected = plan.some(({ days, from, to }) => {
            const on = (day: string | undefined): boolean => days.some((one) => one === day);
            if (from < to) return on(today) && from <= now && now < to;
            return (on(today) && from <= now) || (on(yesterday) && now < to);
          });
          expect(planAt(plan, zone, at).on).toBe(expected);
        },
      ),
      { numRuns: examples(300) },
    );
  });
});
