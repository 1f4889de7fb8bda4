// Calendars with hostile entries among good ones, read by real cells. Whatever one entry asks for, the others are read, and it is named.
import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createCells } from "../../../src/app/hub/cells.ts";
import type { ReadCalendar } from "../../../src/house/calendars/occurrence.ts";
import { createReader } from "../../../src/house/calendars/reader.ts";
import type { CellBounds } from "../../../src/kit/lifecycle/cell.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const folder = createTemporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const WINDOW = { timezone: "Europe/Berlin", from: Date.UTC(2026, 0, 1), until: Date.UTC(2026, 4, 1) };

let files = 0;
const fileOf = (...parts: string[]): string => {
  const path = folder.at(`${files++}.ics`);
  writeFileSync(path, ["BEGIN:VCALENDAR", "VERSION:2.0", ...parts, "END:VCALENDAR", ""].join("\r\n"));
  return path;
};
const event = (title: string, ...lines: string[]): string =>
  ["BEGIN:VEVENT", `UID:${title}`, `SUMMARY:${title}`, ...lines, "END:VEVENT"].join("\r\n");
const zone = (name: string, rule: string): string =>
  [
    ...["BEGIN:VTIMEZONE", `TZID:${name}`, "BEGIN:STANDARD", "DTSTART:20000101T000000", "TZOFFSETFROM:+0000"],
    ...["TZOFFSETTO:+0100", `RRULE:${rule}`, "END:STANDARD", "END:VTIMEZONE"],
  ].join("\r\n");
const GOOD = Array.from({ length: 100 }, (_, index) =>
  event(`Good ${index}`, "DTSTART:20260115T120000Z", "DURATION:PT1H"),
);

const createRead = (bounds?: Partial<CellBounds>) =>
  createReader(createCells({ execPath: process.execPath, clock: systemClock, ...(bounds && { bounds }) }).calendar);
const among = (...hostile: string[]): string => fileOf(...GOOD.slice(0, 50), ...hostile, ...GOOD.slice(50));
const titles = ({ occurrences }: ReadCalendar): string[] => [...new Set(occurrences.map(({ title }) => title))];

const START = "DTSTART:20000115T120000Z";
const HOSTILE: [what: string, entry: string, says: string][] = [
  ["a zone that changes each second", zone("Bad", "FREQ=SECONDLY"), "its clocks change SECONDLY"],
  ["a zone that changes each day", zone("Bad", "FREQ=DAILY"), "its clocks change DAILY"],
  [
    "a zone that changes every day of each month",
    zone("Bad", `FREQ=MONTHLY;BYMONTHDAY=${[...Array(28).keys()].map((day) => day + 1)}`),
    "its clocks change more than 2000 times",
  ],
  ["a duration of aeons", event("Bad", START, "DURATION:P999999999999W"), "its DURATION is longer than 20 years"],
  ["a negative one", event("Bad", START, "DURATION:-P999999999999W"), "its DURATION is longer than 20 years"],
  [
    "one in a list of periods",
    event("Bad", START, "RDATE;VALUE=PERIOD:20260115T120000Z/P99999999W"),
    "its DURATION is longer than 20 years",
  ],
  ["an interval of aeons", event("Bad", START, "RRULE:FREQ=DAILY;INTERVAL=100000000"), "has an INTERVAL of more than"],
  ["each second for decades", event("Bad", START, "RRULE:FREQ=SECONDLY"), "repeat too often"],
  ["no start", event("Bad", "DURATION:PT1H"), "it has no DTSTART"],
  ["no end", ["BEGIN:VEVENT", "SUMMARY:Bad", START].join("\r\n"), "it has no END:VEVENT"],
  ["a rule of no kind", event("Bad", START, "RRULE:FREQ=NEVER"), 'invalid frequency "NEVER"'],
];

describe("a hundred good events beside", () => {
  test.each(HOSTILE)("%s", async (_, entry, says) => {
    const calendar = await createRead()({ ...WINDOW, path: among(entry) });
    expect(titles(calendar).filter((title) => title !== "Bad")).toHaveLength(100);
    expect(calendar.problems).toHaveLength(1);
    expect(calendar.problems[0]).toContain('"Bad"');
    expect(calendar.problems[0]).toContain(says);
  });

  test("a rule that is never true, and one whose memory has no end, each ended from outside", async () => {
    const endless = event("Endless", START, "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30");
    const huge = event("Huge", START, `RDATE:${Array.from({ length: 1_000_000 }, () => "20260115T120000Z")}`);
    const read = createRead({ markCpuMs: 1000, memoryBytes: 250 * 1_048_576 });
    const calendar = await read({ ...WINDOW, path: among(huge, endless) });
    expect(titles(calendar).filter((title) => title.startsWith("Good"))).toHaveLength(100);
    expect(calendar.problems[0]).toContain('"Endless" (reading it takes longer than a calendar may)');
    expect(calendar.problems[0]).toContain('"Huge" (reading it takes more memory than a calendar may)');
  }, 60_000);
});

test("a calendar that takes too much keeps no other waiting", async () => {
  const endless = event("Endless", START, "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30");
  const read = createRead({ markCpuMs: 400 });
  const slow = read({ ...WINDOW, path: among(...Array.from({ length: 7 }, () => endless)) });
  let isSlowThrough = false;
  const through = slow
    .catch((error: Error) => error.message)
    .finally(() => {
      isSlowThrough = true;
    });
  for (let count = 0; count < 10; count++)
    expect(titles(await read({ ...WINDOW, path: fileOf(...GOOD) }))).toHaveLength(100);
  expect(isSlowThrough).toBe(false);
  expect(await through).toContain("more than 5 of its entries take too much to be read");
}, 60_000);

describe("what many programs write against the standard is read", () => {
  const read = createRead();
  const spans = async (...lines: string[]) =>
    (await read({ ...WINDOW, path: fileOf(event("A", ...lines)) })).occurrences.map(
      ({ start, end }) => `${new Date(start).toISOString().slice(0, 16)}/${new Date(end).toISOString().slice(0, 16)}`,
    );

  test("a day without VALUE=DATE", async () => {
    const day = ["2026-01-16T23:00/2026-01-17T23:00"];
    expect(await spans("DTSTART:20260117", "DTEND:20260118")).toEqual(day);
    expect(await spans("DTSTART;TZID=Europe/Berlin:20260117")).toEqual(day);
  });

  test("repetitions that are listed with their ends", async () => {
    const listed = "RDATE;VALUE=PERIOD:20260120T120000Z/PT2H,20260121T120000Z/20260121T130000Z";
    expect(await spans("DTSTART:20260115T120000Z", "DURATION:PT1H", listed)).toEqual([
      "2026-01-15T12:00/2026-01-15T13:00",
      "2026-01-20T12:00/2026-01-20T14:00",
      "2026-01-21T12:00/2026-01-21T13:00",
    ]);
  });

  test("a semicolon too many", async () => {
    expect(await spans("DTSTART;:20260115T120000Z", "RRULE:FREQ=DAILY;COUNT=2;")).toHaveLength(2);
    expect(await spans("DTSTART;VALUE=DATE;:20260115")).toHaveLength(1);
  });
});
