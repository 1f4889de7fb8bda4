// Times of the house, whatever zone the browser is in; and its nights.

import { afterAll, expect, test } from "bun:test";
import { momentAt } from "../../src/page/model/place/moment-at.ts";
import "./browser.ts";
import { houseDay, setZone, wallClock } from "../../src/page/browser/zone.ts";
import { nightsIn } from "../../src/page/model/place/sun-times.ts";
import { formatDate } from "../../src/page/texts/index.ts";

afterAll(() => setZone("UTC"));

test("moments are shown as clocks in the house show them", () => {
  const at = Date.parse("2026-11-22T23:30:00Z");
  setZone("Asia/Tokyo");
  expect([wallClock(at), houseDay(at), formatDate(at, { hour: "2-digit", hourCycle: "h23" })]).toEqual([
    "2026-11-23T08:30:00",
    "2026-11-23",
    "08",
  ]);
  setZone("America/New_York");
  expect(wallClock(at)).toBe("2026-11-22T18:30:00");
});

test.each([
  ["Europe/Berlin", "2026-07-01T12:00", "2026-07-01T10:00:00Z"],
  ["Europe/Berlin", "2026-01-01T12:00:30", "2026-01-01T11:00:30Z"],
  // An hour that comes twice: its first time.
  ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00Z"],
  // One that does not come: the clock has jumped over it.
  ["Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30:00Z"],
  ["Pacific/Chatham", "2026-07-01T00:15", "2026-06-30T11:30:00Z"],
])("in %s %s is %s", (zone, local, utc) => {
  setZone(zone);
  expect(new Date(momentAt(local, wallClock)).toISOString()).toBe(new Date(utc).toISOString());
});

test("what is no time is none, and a zone nobody knows leaves the browser's own", () => {
  expect(momentAt("soon", wallClock)).toBeNaN();
  setZone("Atlantis/Poseidonis");
  expect(wallClock(0)).toMatch(/^19(69|70)-/);
});

test("nights are from sunset to sunrise, within what is shown", () => {
  const berlin = { latitude: 52.5, longitude: 13.4 };
  const day = { from: Date.parse("2026-06-20T22:00:00Z"), to: Date.parse("2026-06-21T22:00:00Z") };
  const [first, second, ...more] = nightsIn(berlin, day);
  expect(more).toEqual([]);
  expect(first?.from).toBe(day.from);
  expect(Math.abs((first?.to ?? 0) - Date.parse("2026-06-21T02:43:00Z"))).toBeLessThan(4 * 60_000);
  expect(Math.abs((second?.from ?? 0) - Date.parse("2026-06-21T19:33:00Z"))).toBeLessThan(4 * 60_000);
  expect(second?.to).toBe(day.to);
  expect(nightsIn({ latitude: 78, longitude: 15 }, day)).toEqual([]);
  expect(nightsIn(berlin, { from: 0, to: day.to })).toEqual([]);
});
