import { expect, test } from "bun:test";
import { dateProblem, fullDate } from "../../../src/kit/time/date-formats.ts";

test.each([
  ["date", "2026-11-27", true],
  ["date", "2026-02-30", false],
  ["date", "27.11.2026", false],
  ["time", "06:30", true],
  ["time", "06:30:15+01:00", true],
  ["time", "25:00", false],
  ["time", "half past six", false],
  ["date-time", "2026-11-27T06:30:00Z", true],
  ["date-time", "2026-11-27 06:30", true],
  ["date-time", "2026-11-27", false],
  ["date-time", "2026-13-01T00:00:00Z", false],
  ["date-time", 1_764_225_000, false],
  ["password", "anything", true],
  [undefined, 5, true],
])("a %s may be %p: %p", (format, value, isGood) => {
  expect(dateProblem(format, value) === undefined).toBe(isGood);
});

test("a refusal says what is needed", () => {
  expect(dateProblem("date", "tomorrow")).toBe('must be a date such as "2026-11-27"');
});

test("in full, a moment needs a zone", () => {
  expect(fullDate("date-time", "2026-11-27T06:30")).toBeUndefined();
  expect(fullDate("date-time", "2026-11-27T06:30", "Europe/Berlin")).toBe("2026-11-27T05:30:00+00:00");
});
