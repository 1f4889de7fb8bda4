// time_of_day, sun_event and periodic over a whole year, against plainer ways to compute the same.
import { describe, expect, test } from "bun:test";
import { getPosition } from "suncalc";
import { createSun } from "../../../src/kit/time/sun.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import { parseTimeOfDay } from "../../../src/rules/schedule/cron.ts";
import type { Schedule, ScheduleResult } from "../../../src/rules/schedule/schedule.ts";
import { createSunEvent, parsePeriodic } from "../../../src/rules/schedule/schedule.ts";
import { createWall, momentsOf, naiveCron, wallMinutes } from "./naive.ts";

const from = Date.UTC(2026, 0, 1);
const until = Date.UTC(2027, 0, 1);
const MINUTE_MS = 60_000;

function scheduleOf(result: ScheduleResult): Schedule {
  if (!result.ok) throw new Error(result.problem);
  return result.schedule;
}

const places = [
  { timeZone: "Europe/Berlin", latitude: 52.52, longitude: 13.4 },
  { timeZone: "Australia/Lord_Howe", latitude: -31.55, longitude: 159.08 },
  { timeZone: "Asia/Kolkata", latitude: 22.57, longitude: 88.36 },
];

describe("time_of_day over a year", () => {
  for (const { timeZone } of places)
    test(timeZone, () => {
      const minutes = wallMinutes({ timeZone, from, until });
      const zone = createZone(timeZone);
      for (const [time, days, same] of [
        ["02:30", undefined, "0 30 2 * * *"],
        ["1:45:30", undefined, "30 45 1 * * *"],
        ["07:00", ["mon", "fri"], "0 0 7 * * mon,fri"],
        ["02:15", ["sun"], "0 15 2 * * sun"],
      ] as const) {
        const schedule = scheduleOf(parseTimeOfDay({ time, ...(days && { days }) }, zone));
        expect(momentsOf(schedule, from, until)).toEqual(naiveCron(same, minutes).filter((at) => at <= until));
      }
    });
});

test("a time of day shows that time on the wall, but for the night that skips it", () => {
  const wall = createWall("Europe/Berlin");
  const schedule = scheduleOf(parseTimeOfDay({ time: "02:30" }, createZone("Europe/Berlin")));
  const odd = momentsOf(schedule, from, until).filter((at) => wall(at).toISOString().slice(11, 16) !== "02:30");
  expect(odd).toEqual([Date.UTC(2026, 2, 29, 1)]);
});

test("a wrong time or day says what is right", () => {
  const zone = createZone("UTC");
  const problem = (time: string, days?: string[]) => {
    const parsed = parseTimeOfDay({ time, ...(days && { days }) }, zone);
    return parsed.ok ? "" : parsed.problem;
  };
  for (const time of ["24:00", "7", "07:60", "07:30 pm", ""]) expect(problem(time)).toContain('write "07:30"');
  expect(problem("07:30", [])).toContain("leave it out for every day");
  expect(problem("07:30", ["monday"])).toContain("use mon, tue, wed");
  expect(problem("07:30", ["mom"])).toContain('did you mean "mon"?');
});

describe("sun_event over a year", () => {
  for (const { timeZone, ...place } of places)
    test(timeZone, () => {
      const sun = createSun(place);
      // Minute by minute: when the sun is above or below the height at which its rim is seen rising.
      const crossings = { sunrise: [] as number[], sunset: [] as number[] };
      const isUp = (at: number) => getPosition(new Date(at), place.latitude, place.longitude).altitude > -0.25;
      let up = isUp(from);
      for (let at = from + MINUTE_MS; at <= until; at += MINUTE_MS) {
        if (isUp(at) === up) continue;
        up = !up;
        crossings[up ? "sunrise" : "sunset"].push(at);
      }
      for (const event of ["sunrise", "sunset"] as const) {
        const moments = momentsOf(createSunEvent({ event, offsetMinutes: 0 }, sun), from, until);
        expect(moments.length).toBe(crossings[event].length);
        for (const [index, at] of moments.entries())
          expect(Math.abs(at - (crossings[event][index] ?? 0))).toBeLessThan(5 * MINUTE_MS);
        const earlier = momentsOf(
          createSunEvent({ event, offsetMinutes: -45 }, sun),
          from - 45 * MINUTE_MS,
          until - 45 * MINUTE_MS,
        );
        expect(earlier).toEqual(moments.map((at) => at - 45 * MINUTE_MS));
      }
    });
});

test("where the sun does not set there is no moment until it does again", () => {
  const sun = createSun({ latitude: 69.65, longitude: 18.96 });
  const next = createSunEvent({ event: "sunset", offsetMinutes: 0 }, sun).next(Date.UTC(2026, 5, 1));
  expect(new Date(next ?? 0).toISOString().slice(0, 7)).toBe("2026-07");
});

describe("periodic", () => {
  test("keeps its beat at any moment it is asked for", () => {
    for (const { timeZone } of places) {
      const schedule = scheduleOf(parsePeriodic({ everySecs: 1000 }, createZone(timeZone)));
      const beats = momentsOf(schedule, from, from + 86_400_000);
      expect([86, 87]).toContain(beats.length);
      for (const [index, beat] of beats.entries()) {
        expect(beat - (beats[index - 1] ?? beat - 1_000_000)).toBe(1_000_000);
        expect(schedule.next(beat - 1)).toBe(beat);
      }
    }
  });
  test("a full hour is one on the wall, in India too", () => {
    for (const timeZone of ["Europe/Berlin", "Asia/Kolkata"]) {
      const wall = createWall(timeZone);
      const schedule = scheduleOf(parsePeriodic({ everySecs: 3600 }, createZone(timeZone)));
      for (const beat of momentsOf(schedule, from, from + 86_400_000)) expect(wall(beat).getUTCMinutes()).toBe(0);
    }
  });
  test("refuses what is no beat", () => {
    for (const everySecs of [0, -1, 1.5, Number.NaN, 1e9])
      expect(parsePeriodic({ everySecs }, createZone("UTC"))).toMatchObject({ ok: false });
  });
});
