import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { calendarActive } from "../../../src/rules/conditions/calendar-active.ts";
import type { TriggerDefinition } from "../../../src/rules/model/define.ts";
import type { CalendarEvent, RuleCalendars } from "../../../src/rules/model/host.ts";
import { calendarEvent as definition } from "../../../src/rules/triggers/calendar-event.ts";
import { createHouse, type House } from "../support/host.ts";
import { problemsIn, readIn } from "../support/read.ts";

const calendarEvent = definition as unknown as TriggerDefinition;

const event = (title: string, start: string, minutes: number): CalendarEvent => {
  const at = Date.parse(start);
  return { uid: title, title, start: at, end: at + minutes * 60_000, allDay: false, location: undefined };
};
const EVENTS = [
  event("School", "2026-01-15T13:00:00Z", 60),
  event("Swimming at school", "2026-01-15T13:00:00Z", 30),
  event("Dentist", "2026-01-15T15:00:00Z", 30),
];

function houseWith(events: readonly CalendarEvent[] = EVENTS): House {
  const calendars: RuleCalendars = {
    events: (id) => (id === "family" ? events : undefined),
    onChange: () => ({ [Symbol.dispose]() {} }),
  };
  return Object.assign(createHouse(), { calendars });
}

/** The moments of the trigger after noon, with their titles. */
function moments(fields: JsonObject, house = houseWith()): string[] {
  const spec = readIn("triggers", { type: "calendar_event", calendar: "family", ...fields });
  const schedule = calendarEvent.schedule?.(spec, house);
  const seen: string[] = [];
  for (let at = schedule?.next(Date.parse("2026-01-15T12:00:00Z")); at !== undefined; at = schedule?.next(at))
    seen.push(`${new Date(at).toISOString()} ${calendarEvent.contextAt?.(spec, at, house).title}`);
  return seen;
}

describe("calendar_event", () => {
  test("comes for each event, also for those at the same moment", () => {
    expect(moments({})).toEqual([
      "2026-01-15T13:00:00.000Z School",
      "2026-01-15T13:00:00.001Z Swimming at school",
      "2026-01-15T15:00:00.000Z Dentist",
    ]);
  });

  test("comes before or after it, for events by title", () => {
    expect(moments({ event: "end", offset_minutes: -10, title: "SCHOOL" })).toEqual([
      "2026-01-15T13:20:00.000Z Swimming at school",
      "2026-01-15T13:50:00.000Z School",
    ]);
  });

  test("never comes without such a calendar", () => {
    expect(moments({ calendar: "work" })).toEqual([]);
    expect(moments({}, createHouse())).toEqual([]);
  });

  test("says what it waits for", () => {
    const spec = readIn("triggers", { type: "calendar_event", calendar: "family", offset_minutes: -15, title: "bins" });
    expect(calendarEvent.label(spec)).toBe('15 min before "bins" of family begins');
  });

  test.each<[JsonObject, RegExp]>([
    [{ event: "begin" }, /^event: must be "start" or "end"/],
    [{ offset_minutes: 99_999 }, /^offset_minutes: must be a number from -10080 to 10080/],
    [{ title: "" }, /^title: must not be empty/],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("triggers", { type: "calendar_event", calendar: "family", ...fields })[0]).toMatch(problem);
  });
});

describe("calendar_active", () => {
  const ask = (at: string, fields: object = {}, house = houseWith()) =>
    calendarActive.evaluate({ calendar: "family", ...fields }, {
      host: { ...house, now: () => Date.parse(at) },
    } as never);

  test("passes during an event, from its start until just before its end", () => {
    expect(ask("2026-01-15T12:59:59Z")).toMatchObject({ passed: false, actual: "none goes on" });
    expect(ask("2026-01-15T13:00:00Z")).toMatchObject({ passed: true });
    expect(ask("2026-01-15T13:59:59Z")).toMatchObject({ passed: true, actual: '"School" goes on' });
    expect(ask("2026-01-15T14:00:00Z")).toMatchObject({ passed: false });
  });

  test("may ask for a title", () => {
    expect(ask("2026-01-15T13:10:00Z", { title: "swim" })).toMatchObject({ passed: true });
    expect(ask("2026-01-15T13:40:00Z", { title: "swim" })).toMatchObject({ passed: false });
  });

  test("does not pass without such a calendar, and says so", () => {
    expect(ask("2026-01-15T13:10:00Z", { calendar: "work" })).toMatchObject({
      passed: false,
      actual: 'there is no calendar "work"',
    });
  });
});
