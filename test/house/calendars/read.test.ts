import { describe, expect, test } from "bun:test";
import { readCalendar } from "../../../src/house/calendars/read.ts";

const FROM = Date.UTC(2026, 0, 1);
const UNTIL = Date.UTC(2027, 0, 1);

const calendar = (...parts: string[]): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", ...parts, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: string[]): string => ["BEGIN:VEVENT", "UID:1", ...lines, "END:VEVENT"].join("\r\n");

function read(text: string, timezone = "Europe/Berlin") {
  const found = readCalendar(text, { timezone, from: FROM, until: UNTIL });
  if (!found) throw new Error("no calendar");
  return found;
}

/** `start/end title` of the first ones. */
function lines(text: string, count = 10): string[] {
  const iso = (at: number): string => new Date(at).toISOString().replace(":00.000Z", "Z");
  return read(text)
    .occurrences.slice(0, count)
    .map(({ start, end, title }) => `${iso(start)}/${iso(end)} ${title}`);
}

describe("one event", () => {
  test("in UTC, in a zone with a name, and floating", () => {
    expect(lines(calendar(event("SUMMARY:A", "DTSTART:20260115T120000Z", "DTEND:20260115T130000Z")))).toEqual([
      "2026-01-15T12:00Z/2026-01-15T13:00Z A",
    ]);
    const zoned = event("SUMMARY:B", "DTSTART;TZID=America/New_York:20260715T120000", "DURATION:PT30M");
    expect(lines(calendar(zoned))).toEqual(["2026-07-15T16:00Z/2026-07-15T16:30Z B"]);
    expect(lines(calendar(event("SUMMARY:C", "DTSTART:20260715T120000", "DTEND:20260715T130000")))).toEqual([
      "2026-07-15T10:00Z/2026-07-15T11:00Z C",
    ]);
  });

  test("of whole days lasts from midnight to midnight at the house", () => {
    const one = calendar(event("SUMMARY:Holiday", "DTSTART;VALUE=DATE:20260328", "DTEND;VALUE=DATE:20260330"));
    expect(lines(one)).toEqual(["2026-03-27T23:00Z/2026-03-29T22:00Z Holiday"]);
    expect(read(one).occurrences[0]?.allDay).toBe(true);
    const without = calendar(event("SUMMARY:Birthday", "DTSTART;VALUE=DATE:20260328"));
    expect(lines(without)).toEqual(["2026-03-27T23:00Z/2026-03-28T23:00Z Birthday"]);
  });

  test("without an end, or one that ends before it begins, has no length", () => {
    expect(lines(calendar(event("DTSTART:20260115T120000Z")))).toEqual(["2026-01-15T12:00Z/2026-01-15T12:00Z "]);
    const odd = event("DTSTART:20260115T120000Z", "DTEND:20260114T120000Z");
    expect(lines(calendar(odd))).toEqual(["2026-01-15T12:00Z/2026-01-15T12:00Z "]);
  });

  test("that is cancelled is left out", () => {
    expect(lines(calendar(event("DTSTART:20260115T120000Z", "STATUS:CANCELLED")))).toEqual([]);
  });

  test("in a zone that only the calendar knows takes its rules", () => {
    const zone = [
      "BEGIN:VTIMEZONE",
      "TZID:W. Europe Standard Time",
      "BEGIN:STANDARD",
      "DTSTART:16010101T030000",
      "TZOFFSETFROM:+0200",
      "TZOFFSETTO:+0100",
      "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10",
      "END:STANDARD",
      "BEGIN:DAYLIGHT",
      "DTSTART:16010101T020000",
      "TZOFFSETFROM:+0100",
      "TZOFFSETTO:+0200",
      "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3",
      "END:DAYLIGHT",
      "END:VTIMEZONE",
    ].join("\r\n");
    const dated = (day: string) =>
      event("SUMMARY:M", `DTSTART;TZID=W. Europe Standard Time:${day}T120000`, "DURATION:PT1H");
    expect(lines(calendar(zone, dated("20260115"), dated("20260715")))).toEqual([
      "2026-01-15T11:00Z/2026-01-15T12:00Z M",
      "2026-07-15T10:00Z/2026-07-15T11:00Z M",
    ]);
  });

  test("in a zone that nobody knows, or that is broken, is at the time of the house", () => {
    const broken = ["BEGIN:VTIMEZONE", "TZID:Nowhere", "BEGIN:STANDARD", "END:STANDARD", "END:VTIMEZONE"].join("\r\n");
    const one = event("SUMMARY:N", "DTSTART;TZID=Nowhere:20260715T120000", "DURATION:PT1H");
    expect(lines(calendar(broken, one))).toEqual(["2026-07-15T10:00Z/2026-07-15T11:00Z N"]);
    expect(lines(calendar(one))).toEqual(["2026-07-15T10:00Z/2026-07-15T11:00Z N"]);
  });
});

describe("a series", () => {
  const weekly = ["SUMMARY:W", "DTSTART;TZID=Europe/Berlin:20251231T180000", "DURATION:PT1H"];

  test("keeps its time on the wall when the clocks change", () => {
    const series = calendar(event(...weekly, "RRULE:FREQ=MONTHLY;COUNT=5"));
    expect(lines(series)).toEqual([
      "2026-01-31T17:00Z/2026-01-31T18:00Z W",
      "2026-03-31T16:00Z/2026-03-31T17:00Z W",
      "2026-05-31T16:00Z/2026-05-31T17:00Z W",
      "2026-07-31T16:00Z/2026-07-31T17:00Z W",
    ]);
  });

  test("leaves out what is taken out, and moves what is moved", () => {
    const series = event(...weekly, "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE;TZID=Europe/Berlin:20260107T180000");
    const moved = event(
      "SUMMARY:Moved",
      "RECURRENCE-ID;TZID=Europe/Berlin:20260114T180000",
      "DTSTART;TZID=Europe/Berlin:20260115T200000",
      "DURATION:PT2H",
    );
    expect(lines(calendar(series, moved))).toEqual([
      "2026-01-15T19:00Z/2026-01-15T21:00Z Moved",
      "2026-01-21T17:00Z/2026-01-21T18:00Z W",
    ]);
  });

  test("without an end goes on to the end of the window", () => {
    const { occurrences, problems } = read(calendar(event(...weekly, "RRULE:FREQ=DAILY")));
    expect(occurrences).toHaveLength(365);
    expect(problems).toEqual([]);
  });

  test("of every second is cut off, and said so", () => {
    const mad = event("DTSTART:20000101T000000Z", "DURATION:PT1S", "RRULE:FREQ=SECONDLY");
    const { occurrences, problems } = read(calendar(mad, event("SUMMARY:Other", "DTSTART:20260115T120000Z")));
    expect(occurrences.map(({ title }) => title)).toEqual(["Other"]);
    expect(problems).toEqual(['1 of its events repeat too often up to now and are cut off: "1"']);
  });
});

describe("a file that is wrong", () => {
  test("is no calendar", () => {
    for (const text of ["", "<html>", "BEGIN:VCARD\r\nEND:VCARD", "{}"])
      expect(readCalendar(text, { timezone: "UTC", from: FROM, until: UNTIL })).toBeUndefined();
  });

  test("loses only what cannot be read", () => {
    const good = event("SUMMARY:Good", "DTSTART:20260115T120000Z");
    const bad = [
      event("DTSTART:2026"),
      event("SUMMARY:No start"),
      event("DTSTART:20260115T120000Z", "RRULE:FREQ=NEVER"),
    ];
    const { occurrences, problems, events } = read(calendar(...bad, good));
    expect(occurrences.map(({ title }) => title)).toEqual(["Good"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(
      '3 of its entries cannot be read and are left out: "1" (it is not written as iCalendar is: invalid date-time value: "2026--T::"), "No start" (it has no DTSTART), "1" (it is not written as iCalendar is',
    );
    expect(events).toBeGreaterThan(0);
  });

  test("that stops in the middle has what was before", () => {
    const text = calendar(
      event("SUMMARY:Good", "DTSTART:20260115T120000Z"),
      event("SUMMARY:Cut", "DTSTART:20260116T120000Z"),
    );
    expect(lines(text.slice(0, text.indexOf("Cut")))).toEqual(["2026-01-15T12:00Z/2026-01-15T12:00Z Good"]);
  });

  test("with 50,000 events is bounded", () => {
    const many = Array.from({ length: 50_000 }, (_, index) => {
      const at = new Date(FROM + index * 60_000).toISOString().replace(/[-:]|\.000/g, "");
      return event(`SUMMARY:${index}`, `DTSTART:${at}`, "DURATION:PT1H");
    });
    const { occurrences, events, problems } = read(calendar(...many));
    expect(occurrences).toHaveLength(10_000);
    expect(events).toBe(50_000);
    expect(problems).toEqual(["it has too many events: the last 40000 are left out"]);
  });
});
