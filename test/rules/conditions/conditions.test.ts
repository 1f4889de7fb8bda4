import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createHouse } from "../support/host.ts";
import { problemsIn } from "../support/read.ts";
import { ask } from "../support/scope.ts";

describe("device_state", () => {
  const state = (fields: JsonObject): JsonObject => ({
    type: "device_state",
    device_id: "door",
    attribute: "open",
    ...fields,
  });

  function evaluated(
    fields: JsonObject,
    attributes: JsonObject = { open: true, t: 21, text: "21", gone: null, l: [1] },
  ) {
    const house = createHouse();
    house.put("door", { attributes });
    return ask(house, state(fields));
  }

  test("reports what was expected and what was found", () => {
    expect(evaluated({ value: true })).toEqual({
      type: "device_state",
      passed: true,
      expected: "door.open is true",
      actual: true,
    });
    expect(evaluated({ attribute: "t", op: "gt", value: 25 })).toMatchObject({
      passed: false,
      expected: "door.t is above 25",
      actual: 21,
    });
  });

  test.each<[JsonObject, boolean]>([
    [{ value: true }, true],
    [{ value: false }, false],
    [{ value: "true" }, false],
    [{ value: 1 }, false],
    [{ op: "Ne", value: false }, true],
    [{ op: "NE", value: true }, false],
    [{ op: "!=", value: true }, false],
    [{ attribute: "t", op: "eq", value: 21.0 }, true],
    [{ attribute: "t", op: "==", value: 21 }, true],
    [{ attribute: "t", op: "Gt", value: 21 }, false],
    [{ attribute: "t", op: "gt", value: 20.9 }, true],
    [{ attribute: "t", op: "GTE", value: 21 }, true],
    [{ attribute: "t", op: ">=", value: 22 }, false],
    [{ attribute: "t", op: "Lt", value: 21 }, false],
    [{ attribute: "t", op: "lte", value: 21 }, true],
    [{ attribute: "t", op: "<", value: 22 }, true],
    [{ attribute: "gone", value: null }, true],
    [{ attribute: "l", value: [1] }, true],
    [{ attribute: "l", op: "Ne", value: [1, 2] }, true],
  ])("%j: %p", (fields, passed) => {
    expect(evaluated(fields)).toMatchObject({ passed });
    expect(evaluated(fields).error).toBeUndefined();
  });

  test.each([
    ["text", 'the text "21"'],
    ["open", "the boolean true"],
    ["gone", "null"],
    ["l", "a list"],
  ])("a value that is not a number cannot be ordered: %s", (attribute, kind) => {
    for (const op of ["Gt", "Gte", "Lt", "Lte"]) {
      expect(evaluated({ attribute, op, value: 0 })).toMatchObject({
        passed: false,
        error: `only numbers can be compared by ${op}, and this is ${kind}`,
      });
    }
  });

  test.each(["Eq", "Ne"])("without the attribute or device it does not pass, even with %s", (op) => {
    expect(evaluated({ op, attribute: "humidity °", value: 1 })).toMatchObject({
      passed: false,
      actual: 'the device "door" has no "humidity °"',
    });
    expect(evaluated({ op, device_id: "shed 🛖", value: 1 })).toMatchObject({
      passed: false,
      actual: 'there is no device "shed 🛖"',
    });
    expect(evaluated({ op, attribute: "toString", value: 1 })).toMatchObject({ passed: false });
  });

  test("refuses to order a value that is not a number", () => {
    expect(problemsIn("conditions", state({ op: "Gt", value: "21 °C" }))).toEqual([
      "value: must be a number for the op Gt; only Eq and Ne compare anything else",
    ]);
    expect(problemsIn("conditions", state({ op: "above", value: 1 }))[0]).toStartWith("op: must be one of");
    expect(problemsIn("conditions", state({}))).toEqual(["value: missing: must be any value"]);
  });
});

describe("time_elapsed", () => {
  const elapsed = (duration_secs: number): JsonObject => ({
    type: "time_elapsed",
    device_id: "door",
    attribute: "open",
    duration_secs,
  });

  test("passes to the millisecond", async () => {
    const house = createHouse();
    house.put("door", { attributes: { open: true }, lastChanged: { open: house.now() } });
    expect(ask(house, elapsed(0)).passed).toBe(true);
    await house.clock.advance(599_999);
    expect(ask(house, elapsed(600))).toEqual({
      type: "time_elapsed",
      passed: false,
      expected: "door.open unchanged for at least 600 s",
      actual: "unchanged for 599.9 s",
    });
    await house.clock.advance(1);
    expect(ask(house, elapsed(600))).toMatchObject({ passed: true, actual: "unchanged for 600 s" });
    expect(ask(house, elapsed(600.001)).passed).toBe(false);
  });

  test("does not pass if the clock was set back before the change", () => {
    const house = createHouse();
    house.put("door", { lastChanged: { open: house.now() + 60_000 } });
    expect(ask(house, elapsed(0))).toMatchObject({ passed: false, actual: "unchanged for -60 s" });
  });

  test("does not pass for unknown devices and attributes", () => {
    const house = createHouse();
    expect(ask(house, elapsed(0))).toMatchObject({ passed: false, actual: 'there is no device "door"' });
    house.put("door", {});
    expect(ask(house, elapsed(0))).toMatchObject({
      passed: false,
      actual: 'no change of "open" is known of the device "door"',
    });
  });
});

describe("time_window", () => {
  const passes = (at: string, fields: JsonObject, timezone = "Europe/Berlin") =>
    ask(createHouse({ at, timezone }), { type: "time_window", ...fields }).passed;

  test.each<[string, string, string, boolean]>([
    // In winter Berlin is an hour ahead.
    ["06:59:59", "08:00", "17:00", false],
    ["07:00:00", "08:00", "17:00", true],
    ["15:59:59", "08:00", "17:00", true],
    ["16:00:00", "08:00", "17:00", false],
    ["07:00:14", "8:00:15", "17:00", false],
    ["07:00:15", "8:00:15", "17:00", true],
    // Over midnight.
    ["20:59:59", "22:00", "06:00", false],
    ["21:00:00", "22:00", "06:00", true],
    ["23:00:00", "22:00", "06:00", true],
    ["04:59:59", "22:00", "06:00", true],
    ["05:00:00", "22:00", "06:00", false],
    // The whole day, and up to its end.
    ["22:59:59", "00:00", "24:00", true],
    ["23:00:00", "00:00", "24:00", true],
    ["22:59:59", "12:00", "24:00", true],
    ["23:00:00", "12:00", "24:00", false],
  ])("at %s UTC, from %s to %s: %p", (at, start, end, passed) => {
    expect(passes(`2026-01-15T${at}Z`, { start, end })).toBe(passed);
  });

  test.each<[string, string, string[], boolean]>([
    // 2026-01-15 is a Thursday.
    ["2026-01-15T22:00:00Z", "22:00", ["thu"], true],
    ["2026-01-16T03:00:00Z", "22:00", ["thu"], true],
    ["2026-01-16T03:00:00Z", "22:00", ["fri"], false],
    ["2026-01-16T21:30:00Z", "22:00", ["Friday"], true],
    ["2026-01-19T03:00:00Z", "22:00", ["sun"], true],
    ["2026-01-19T03:00:00Z", "22:00", ["mon"], false],
    ["2026-01-15T12:00:00Z", "12:00", ["thu", "fri"], true],
    ["2026-01-15T12:00:00Z", "12:00", ["wed"], false],
    // Already Thursday in Berlin, still Wednesday in UTC.
    ["2026-01-14T23:30:00Z", "00:00", ["thu"], true],
  ])("a window over midnight belongs to the day it began: %s from %s on %j: %p", (at, start, days, passed) => {
    expect(passes(at, { start, end: start === "00:00" ? "06:00" : start === "12:00" ? "18:00" : "06:00", days })).toBe(
      passed,
    );
  });

  describe("on the nights of the clock change", () => {
    test("in spring from before the skipped hour until after it", () => {
      const window = { start: "01:30", end: "03:30" };
      expect(passes("2026-03-29T00:29:59Z", window)).toBe(false);
      expect(passes("2026-03-29T00:30:00Z", window)).toBe(true);
      // 03:00 on the wall, right after the jump.
      expect(passes("2026-03-29T01:00:00Z", window)).toBe(true);
      expect(passes("2026-03-29T01:30:00Z", window)).toBe(false);
    });

    test("in spring never within the skipped hour", () => {
      for (let minute = 0; minute < 180; minute++) {
        const at = new Date(Date.parse("2026-03-29T00:00:00Z") + minute * 60_000).toISOString();
        expect(passes(at, { start: "02:10", end: "02:50" })).toBe(false);
      }
    });

    test("in autumn both times the clock shows it", () => {
      const window = { start: "02:10", end: "02:50" };
      expect(passes("2026-10-25T00:10:00Z", window)).toBe(true);
      expect(passes("2026-10-25T00:50:00Z", window)).toBe(false);
      expect(passes("2026-10-25T01:10:00Z", window)).toBe(true);
      expect(passes("2026-10-25T01:50:00Z", window)).toBe(false);
    });

    test("half an hour of it is half an hour", () => {
      const window = { start: "01:45", end: "02:15" };
      // Lord Howe puts its clocks forward by thirty minutes at 02:00.
      expect(passes("2026-10-03T15:20:00Z", window, "Australia/Lord_Howe")).toBe(true);
      expect(passes("2026-10-03T15:30:00Z", window, "Australia/Lord_Howe")).toBe(false);
    });
  });

  test("reports the local time", () => {
    const house = createHouse({ at: "2026-07-15T21:30:00Z", timezone: "Asia/Kolkata" });
    expect(ask(house, { type: "time_window", start: "22:00", end: "06:00", days: ["wed", "sat"] })).toEqual({
      type: "time_window",
      passed: true,
      expected: "22:00–06:00 on wed, sat",
      actual: "thu 03:00:00",
    });
  });

  test.each<[JsonObject, string]>([
    [
      { start: "22:00", end: "22:00:00" },
      "end: is the same as the start, so the window is empty; the whole day is from 00:00 to 24:00",
    ],
    [{ start: "24:00", end: "06:00" }, 'start: must be a time of day such as "07:30" or "22:15:30"'],
    [{ start: "22:00", end: "24:01" }, 'end: must be a time of day such as "07:30" or "22:15:30", or "24:00"'],
    [{ start: "22", end: "6:00" }, 'start: must be a time of day such as "07:30" or "22:15:30"'],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("conditions", { type: "time_window", ...fields })).toEqual([problem]);
  });
});

test.each<[JsonObject, boolean, string]>([
  [{ mode_id: "night" }, true, "on"],
  [{ mode_id: "night", on: false }, false, "on"],
  [{ mode_id: "away" }, false, "off"],
  [{ mode_id: "away", on: false }, true, "off"],
  [{ mode_id: "party 🎉" }, false, 'there is no mode "party 🎉"'],
  [{ mode_id: "party 🎉", on: false }, false, 'there is no mode "party 🎉"'],
])("mode_is %j: %p, %s", (fields, passed, actual) => {
  const house = createHouse();
  house.modes.set("night", true).set("away", false);
  expect(ask(house, { type: "mode_is", ...fields })).toMatchObject({ passed, actual });
});

test.each<[JsonObject, boolean]>([
  [{ name: "guests", value: 3 }, true],
  [{ name: "guests", op: "Gte", value: 4 }, false],
  [{ name: "guests", op: "Ne", value: "3" }, true],
  [{ name: "nothing", value: null }, true],
  [{ name: "missing", value: null }, false],
  [{ name: "missing", op: "Ne", value: 1 }, false],
  [{ name: "list", value: ["°", { a: 1 }] }, true],
])("hub_variable %j: %p", (fields, passed) => {
  const house = createHouse();
  house.variables
    .set("guests", 3)
    .set("nothing", null)
    .set("list", ["°", { a: 1 }]);
  expect(ask(house, { type: "hub_variable", ...fields }).passed).toBe(passed);
});

describe("sun", () => {
  const sunAt = (isUp: boolean) => ({
    around: () => ({ previous: undefined, next: undefined }),
    isUp: () => isUp,
    elevation: () => (isUp ? 1 : -1),
  });

  test.each<[string, boolean, boolean]>([
    ["above_horizon", true, true],
    ["AboveHorizon", false, false],
    ["below_horizon", true, false],
    ["Below", false, true],
  ])("%s while it is up is %p: %p", (position, isUp, passed) => {
    expect(ask(createHouse({ sun: sunAt(isUp) }), { type: "sun", position })).toMatchObject({
      passed,
      actual: `${isUp ? "above" : "below"} the horizon`,
    });
  });

  test("says what to do if the location is unknown", () => {
    expect(ask(createHouse(), { type: "sun", position: "above_horizon" })).toMatchObject({
      passed: false,
      error: "set latitude and longitude in [location] of hub.toml",
    });
  });
});

describe("and, or, xor, not", () => {
  const yes = { type: "mode_is", mode_id: "night" };
  const no = { type: "mode_is", mode_id: "away" };
  const unknown = { type: "mode_is", mode_id: "nowhere" };

  test.each<[string, JsonObject[], boolean]>([
    ["and", [yes], true],
    ["and", [yes, yes], true],
    ["and", [yes, no], false],
    ["and", [yes, unknown], false],
    ["or", [no], false],
    ["or", [no, yes], true],
    ["or", [no, unknown], false],
    ["xor", [yes], true],
    ["xor", [yes, no], true],
    ["xor", [yes, yes], false],
    ["xor", [no, no], false],
    ["xor", [yes, yes, yes], false],
    ["not", [yes], false],
    ["not", [no], true],
    ["not", [no, unknown], true],
    ["not", [no, yes], false],
  ])("%s of %j: %p", (type, conditions, passed) => {
    const house = createHouse();
    house.modes.set("night", true).set("away", false);
    const trace = ask(house, { type, conditions });
    expect(trace.passed).toBe(passed);
    // All are evaluated and reported.
    expect(trace.parts).toHaveLength(conditions.length);
    expect(trace.parts?.[0]).toMatchObject({ type: "mode_is", expected: expect.stringContaining("mode") });
  });

  test("not takes a single condition", () => {
    const house = createHouse();
    house.modes.set("night", true);
    expect(ask(house, { type: "not", condition: yes })).toMatchObject({
      passed: false,
      expected: "none passes",
      actual: "1 of 1 passed",
    });
    expect(ask(house, { type: "not", condition: { type: "not", condition: yes } }).passed).toBe(true);
  });

  test("refuse to be empty, and report problems inside", () => {
    expect(problemsIn("conditions", { type: "and", conditions: [] })).toEqual([
      "conditions: must have at least 1 entry",
    ]);
    expect(problemsIn("conditions", { type: "not" })).toEqual([": give `condition` or `conditions`"]);
    expect(problemsIn("conditions", { type: "not", condition: yes, conditions: [yes] })).toHaveLength(1);
    const deep = { type: "or", conditions: [yes, { type: "and", conditions: [{ type: "mode_is", mode: "night" }] }] };
    expect(problemsIn("conditions", deep)).toEqual([
      "conditions[1].conditions[0].mode_id: missing: must be text",
      'conditions[1].conditions[0].mode: unknown key "mode"; there are type, mode_id, on, comment',
    ]);
  });
});

describe("expression", () => {
  const expressions = { yes: () => true, no: () => false, number: () => 1 };
  const evaluated = (type: string, expression: string) => ask(createHouse(), { type, expression }, { expressions });

  test("passes when it is true", () => {
    expect(evaluated("expression", "yes")).toEqual({ type: "expression", passed: true, expected: "yes", actual: true });
    expect(evaluated("expression", "no")).toMatchObject({ passed: false, actual: false });
    expect(evaluated("script_expression", "yes")).toMatchObject({ type: "expression", passed: true });
  });

  test("does not pass, and reports why, when it cannot be evaluated", () => {
    expect(evaluated("expression", "number")).toMatchObject({ passed: false, error: '"number" is not true or false' });
    expect(evaluated("expression", "x °")).toMatchObject({ passed: false, error: '"x °" cannot be evaluated' });
  });
});
