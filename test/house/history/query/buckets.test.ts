import { afterEach, beforeEach, expect, test } from "bun:test";
import { bucketStarts } from "../../../../src/house/history/query/buckets.ts";
import { parseBucket, parseTime } from "../../../../src/house/history/query/parse-time.ts";
import { createZone } from "../../../../src/kit/time/zone.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createStoreRig, DAY_MS } from "../store-rig.ts";

const HOUR_MS = 3_600_000;
const berlin = createZone("Europe/Berlin");
const utc = (text: string): number => Date.parse(`${text}Z`);
const starts = (zone: string, from: string, to: string, bucketMs: number): string[] =>
  bucketStarts(utc(from), utc(to), bucketMs, createZone(zone)).map((ms) => new Date(ms).toISOString().slice(0, 16));

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

test.each([
  ["spring, 23 hours", "2026-03-28T23:00", "2026-03-29T22:00", 23],
  ["autumn, 25 hours", "2026-10-24T22:00", "2026-10-25T23:00", 25],
])("a day in Berlin begins and ends at midnight: %s", (_season, begin, end, hours) => {
  expect(starts("Europe/Berlin", `${begin}:30`, `${end}:30`, DAY_MS)).toEqual([begin, end]);
  expect(utc(end) - utc(begin)).toBe(hours * HOUR_MS);
  const rig = createStoreRig({ path: folder.at("history.db"), timezone: "Europe/Berlin" });
  rig.record("level", utc(begin) - DAY_MS, 0);
  // On for the last hour of the day.
  rig.record("level", utc(end) - HOUR_MS, 100);
  rig.at.now = utc(end) + DAY_MS;
  const days = rig.ask({ from: utc(begin), to: utc(end) + HOUR_MS, bucketMs: DAY_MS });
  expect(days.map(({ timestamp }) => timestamp.slice(0, 16))).toEqual([begin, end]);
  expect(days[0]?.value).toBeCloseTo(100 / hours, 9);
  rig.store.close(rig.at);
});

test("hours continue through both changes of the clock; the hour that comes twice is two buckets", () => {
  expect(starts("Europe/Berlin", "2026-03-29T00:10", "2026-03-29T03:00", HOUR_MS)).toEqual([
    "2026-03-29T00:00",
    "2026-03-29T01:00",
    "2026-03-29T02:00",
  ]);
  expect(starts("Europe/Berlin", "2026-10-25T00:10", "2026-10-25T03:00", HOUR_MS)).toEqual([
    "2026-10-25T00:00",
    "2026-10-25T01:00",
    "2026-10-25T02:00",
  ]);
});

test("quarters of a day begin at six o'clock local time", () => {
  const spring = starts("Europe/Berlin", "2026-03-29T00:00", "2026-03-29T23:00", 6 * HOUR_MS);
  expect(spring).toEqual([
    "2026-03-28T23:00",
    "2026-03-29T04:00",
    "2026-03-29T10:00",
    "2026-03-29T16:00",
    "2026-03-29T22:00",
  ]);
  const autumn = starts("Europe/Berlin", "2026-10-25T00:00", "2026-10-25T23:00", 6 * HOUR_MS);
  expect(autumn).toEqual(["2026-10-24T22:00", "2026-10-25T05:00", "2026-10-25T11:00", "2026-10-25T17:00"]);
});

test("weeks begin on Monday", () => {
  const weeks = starts("Europe/Berlin", "2026-10-21T12:00", "2026-11-10T12:00", 7 * DAY_MS);
  expect(weeks).toEqual(["2026-10-18T22:00", "2026-10-25T23:00", "2026-11-01T23:00", "2026-11-08T23:00"]);
});

test("a day whose midnight is skipped, one whose midnight comes twice, and offsets of half and quarter hours", () => {
  expect(starts("Asia/Beirut", "2026-03-28T12:00", "2026-03-30T12:00", DAY_MS)).toEqual([
    "2026-03-27T22:00",
    "2026-03-28T22:00",
    "2026-03-29T21:00",
  ]);
  expect(starts("America/Havana", "2026-10-31T12:00", "2026-11-02T12:00", DAY_MS)).toEqual([
    "2026-10-31T04:00",
    "2026-11-01T04:00",
    "2026-11-02T05:00",
  ]);
  expect(starts("Asia/Kathmandu", "2026-01-15T00:20", "2026-01-15T02:20", HOUR_MS)).toEqual([
    "2026-01-15T00:15",
    "2026-01-15T01:15",
    "2026-01-15T02:15",
  ]);
});

test.each([
  ["2026-01-31T18:00:00Z", "2026-01-31T18:00:00"],
  ["2026-01-31T18:00:00.250+01:00", "2026-01-31T17:00:00.250"],
  ["2026-01-31T18:00:00 01:00", "2026-01-31T17:00:00"],
  ["2026-01-31T18:00-0330", "2026-01-31T21:30:00"],
  ["2026-01-31", "2026-01-30T23:00:00"],
  ["2026-07-31", "2026-07-30T22:00:00"],
  ["2026-07-31T10:00", "2026-07-31T08:00:00"],
  ["1769882400", "2026-01-31T18:00:00"],
  ["1769882400.5", "2026-01-31T18:00:00.500"],
])("the time %s is parsed", (text, at) => {
  expect(parseTime(text, berlin)).toBe(utc(at));
});

test.each([
  "",
  "now",
  "2026-02-30",
  "2026-13-01",
  "2026-01-31T25:00Z",
  "-1",
  "1e9",
  "1769882400000",
  "0x10",
  "NaN",
  "2026-01-31[u-ca=hebrew]",
])("%p is not a time", (text) => {
  expect(parseTime(text, berlin)).toBeUndefined();
});

test("sizes of buckets", () => {
  const sizes = ["90", "30s", "15m", "2h", "1d", "1w"].map((text) => (parseBucket(text) ?? 0) / 1000);
  expect(sizes).toEqual([90, 30, 900, 7200, 86_400, 604_800]);
  for (const text of ["", "0", "0d", "-1h", "1.5h", "1y", "h", "99999999w", "1e3"])
    expect(parseBucket(text)).toBeUndefined();
});
