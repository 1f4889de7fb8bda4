// The edges of a schedule's stretches: where they may be moved, and what is left of the stretch then.
import "./browser.ts";
import { expect, test } from "bun:test";
import { limitsOf, planOf, timeOf, weekOf, withEdge } from "../../src/page/model/place/week-plan.ts";

const MORNING = { from: "06:30", to: "08:00" };
const NIGHT = { from: "22:30", to: "01:30" };
const WHOLE = { from: "00:00", to: "00:00" };

test.each([
  [MORNING, "from", 5 * 60, { from: "05:00", to: "08:00" }],
  [MORNING, "from", -30, { from: "00:00", to: "08:00" }],
  [MORNING, "from", 20 * 60, { from: "07:55", to: "08:00" }],
  [MORNING, "to", 9 * 60, { from: "06:30", to: "09:00" }],
  [MORNING, "to", 0, { from: "06:30", to: "06:35" }],
  [MORNING, "to", 24 * 60, { from: "06:30", to: "00:00" }],
  [MORNING, "to", 25 * 60, { from: "06:30", to: "01:00" }],
  [MORNING, "to", 40 * 60, { from: "06:30", to: "06:25" }],
  [NIGHT, "from", 0, { from: "01:35", to: "01:30" }],
  [NIGHT, "from", 24 * 60, { from: "23:55", to: "01:30" }],
  [NIGHT, "to", 24 * 60 + 15, { from: "22:30", to: "00:15" }],
  [WHOLE, "to", 48 * 60, WHOLE],
  [WHOLE, "to", 12 * 60, { from: "00:00", to: "12:00" }],
  [WHOLE, "from", 12 * 60, { from: "12:00", to: "00:00" }],
] as const)("%j with its %s at %d minutes is %j", (stretch, edge, minutes, expected) => {
  expect(withEdge(stretch, edge, minutes)).toEqual(expected);
});

test("no edge can be moved to where a stretch has no length", () => {
  for (let from = 0; from < 1440; from += 15)
    for (let to = 0; to < 1440; to += 15) {
      const stretch = { from: timeOf(from), to: timeOf(to) };
      for (const edge of ["from", "to"] as const)
        for (const minutes of limitsOf(stretch, edge)) {
          const moved = withEdge(stretch, edge, minutes);
          const isWholeDay = moved.from === "00:00" && moved.to === "00:00";
          if (moved.from === moved.to && !isWholeDay)
            throw new Error(`${stretch.from}–${stretch.to} becomes ${moved.from}`);
        }
    }
});

test("what is moved to midnight ends with the day, for the hub as well", () => {
  const week = { ...weekOf([]), mon: [withEdge(MORNING, "to", 24 * 60)] };
  expect(planOf(week)).toEqual([{ days: ["mon"], from: "06:30", to: "24:00" }]);
});
