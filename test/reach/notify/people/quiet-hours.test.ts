import { expect, test } from "bun:test";
import { createZone } from "../../../../src/kit/time/zone.ts";
import { parseQuietHours, quietUntil } from "../../../../src/reach/notify/people/quiet-hours.ts";

const zone = createZone("Europe/Berlin");
/** Local time of Berlin, given with its offset. */
const at = (text: string): number => Date.parse(text);
const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());
const until = (given: Parameters<typeof parseQuietHours>[0], now: string) =>
  iso(quietUntil(parseQuietHours(given), at(now), zone));

test.each([
  ["22:00-07:00", "2026-01-15T21:59:59+01:00", undefined],
  ["22:00-07:00", "2026-01-15T22:00:00+01:00", "2026-01-16T06:00:00.000Z"],
  ["22:00-07:00", "2026-01-16T06:59:59+01:00", "2026-01-16T06:00:00.000Z"],
  ["22:00-07:00", "2026-01-16T07:00:00+01:00", undefined],
  ["13:00 – 15:00", "2026-01-15T14:30:00+01:00", "2026-01-15T14:00:00.000Z"],
  // Friday the 16th: its night ends on Saturday.
  [[{ from: "23:30", to: "09:00", days: ["fri", "sat"] }], "2026-01-17T08:00:00+01:00", "2026-01-17T08:00:00.000Z"],
  [[{ from: "23:30", to: "09:00", days: ["fri", "sat"] }], "2026-01-16T08:00:00+01:00", undefined],
  [["22:00-24:00", "00:00-06:00"], "2026-01-15T22:30:00+01:00", "2026-01-16T05:00:00.000Z"],
  // The clocks are put forward on 2026-03-29 at two, and back on 2026-10-25 at three.
  ["22:00-07:00", "2026-03-28T22:30:00+01:00", "2026-03-29T05:00:00.000Z"],
  ["22:00-07:00", "2026-10-24T22:30:00+02:00", "2026-10-25T06:00:00.000Z"],
])("%j at %s: %s", (given, now, expected) => {
  expect(until(given, now)).toBe(expected);
});

test("a week of quiet has an end that can be said", () => {
  expect(until("00:00-24:00", "2026-01-15T12:00:00+01:00")).toBeDefined();
});
