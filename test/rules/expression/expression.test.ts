import { describe, expect, test } from "bun:test";
import { type Compiled, createExpressions } from "../../../src/rules/expression/compile.ts";
import type { Program } from "../../../src/rules/expression/host.ts";
import { ask, createHome } from "./home.ts";

const NO_TIME = 'this is not a time; write "2026-06-15T11:00:00Z", or another offset than Z, such as +02:00';

function program(text: string): Program {
  const compiled = createExpressions().compile(text);
  if (!compiled.ok) throw new Error(compiled.problem.message);
  return compiled.program;
}

function problem(compiled: Compiled): { line: number; column: number; message: string } {
  return compiled.ok ? { line: 0, column: 0, message: "" } : compiled.problem;
}

describe("numbers compare and add as people expect, whole or not", () => {
  const rows: [string, unknown][] = [
    ['device_state("lamp").temperature > 20', true],
    ['device_state("lamp").level > 20', true],
    ['device_state("lamp").level > 20.5', false],
    ['device_state("lamp").temperature == 21', true],
    ['device_state("lamp").temperature == 21.0', true],
    ['21 == device_state("lamp").temperature', true],
    ['device_state("lamp").temperature != 21', false],
    ["21 == 21.0", true],
    ["21 == 21.5", false],
    ["1 < 1.5", true],
    ['device_state("lamp").temperature + 1', 22],
    ['1 + device_state("lamp").level', 21.5],
    ['device_state("lamp").temperature * 2 - 0.5', 41.5],
    ['device_state("lamp").temperature / 2', 10.5],
    ['device_state("lamp").temperature % 2 == 1', true],
    ["-7 / 2", -3],
    ['device_state("lamp").temperature in [20, 21]', true],
    ['device_state("lamp").list == [1, 2, 3]', true],
    ['hub_var("map") == {"a": 1, "b": {"c": [1.0, 2]}}', true],
    ['current_hour() == hub_var("limit") - 20', true],
    ['device_state("lamp").list[hub_var("limit") - 19]', 2],
    ['string(device_state("lamp").temperature) + " °C"', "21 °C"],
    ['int(device_state("lamp").level)', 20],
  ];
  for (const [text, expected] of rows)
    test(text, () => {
      expect(ask(text)).toEqual(expected as never);
    });
});

describe("what is of different kinds is not equal, and null is null", () => {
  const rows: [string, unknown][] = [
    ['device_state("lamp").nothing == null', true],
    ['device_state("lamp").temperature == null', false],
    ['device_state("lamp").on == "true"', false],
    ['device_state("lamp").name == 1', false],
    ['has(device_state("lamp").nothing)', true],
    ['device_state("lamp").name > 3', "text > number is not possible"],
  ];
  for (const [text, expected] of rows)
    test(text, () => {
      expect(ask(text)).toEqual(expected as never);
    });
});

describe("what people write is understood", () => {
  const rows: [string, unknown][] = [
    ['[].exists(e, e == 2) || {}.exists(e, e == "a")', false],
    ["[].map(n, n / 2)", []],
    [".5 + .25e1", 3],
    ["{true: 5, 2: 6}[true] + {true: 5, 2: 6}[2.0]", 11],
    ['{1: "a"}["1"] + {"1": "a"}[1]', "aa"],
    ["{1: 2, 3: 4}.exists_one(key, key % 3 == 0)", true],
    ['device_state("lamp").`temperature` + {"a-b": 1}.`a-b`', 22],
    ['{"constructor": 1, "__proto__": 2}.constructor', 1],
    ["[1, 2] == [1.0, 2.0] && 2u == 2 && 2.0 in [1u, 2u]", true],
    ['string(now()) + " " + string(duration("1m30.5s"))', "2026-06-14T22:05:00Z 90.5s"],
    ['int(timestamp("2026-06-15T11:00:00+02:00"))', 1781514000],
    ['duration("-1.5s") + duration("1s")', "-0.5s"],
    ['[duration("1s") - duration("1.5s"), duration("2h45m")]', ["-0.5s", "9900s"]],
    ['timestamp("2026-06-15T11:00:00.0000004Z") + duration("600ns")', "2026-06-15T11:00:00.000001000Z"],
    ['timestamp("1969-12-31T23:59:59.9999999Z") < timestamp("1969-12-31T23:59:59.99999991Z")', true],
    ['timestamp("2026-06-15T11:00:00.1000001Z") == timestamp("2026-06-15T11:00:00.1Z")', false],
    ['timestamp("2026-06-15T11:00:00.1000001Z") - timestamp("2026-06-15T11:00:00Z")', "0.1000001s"],
    ['[duration("61.25s").getMilliseconds(), duration("-1.5s").getMilliseconds()]', [250, -500]],
    ['[int("+12"), int(7u), double(".5")]', [12, 7, 0.5]],
    ["-9223372036854775808 < -9223372036854775807", true],
  ];
  for (const [text, expected] of rows)
    test(text, () => {
      expect(ask(text)).toEqual(expected as never);
    });

  test("clocks and calendars do not depend on the time zone of the machine", () => {
    const { TZ } = process.env;
    try {
      process.env.TZ = "Europe/Berlin";
      // In Berlin there is no such hour, as clocks go forward, and summer days of the year begin an hour earlier.
      expect(new Date("2026-07-01T12:00:00Z").getHours()).toBe(14);
      expect(ask('timestamp("2026-03-29T02:30:00Z").getHours("UTC")')).toBe(2);
      expect(ask('timestamp("2026-07-01T12:00:00Z").getDayOfYear()')).toBe(181);
      expect(ask('timestamp("2026-07-01T12:00:00Z").getHours("02:00")')).toBe(14);
    } finally {
      process.env.TZ = TZ ?? "UTC";
    }
  });
});

describe("the home's functions", () => {
  const scope = { trigger: { device_id: "lamp", new_value: 21 }, vars: { limit: 3 } };
  const rows: [string, unknown][] = [
    ['device("lamp").attributes.on && device("lamp").available', true],
    ['device("lamp").name', "The lamp"],
    ['hub_var("days")[1]', "tue"],
    ['"mon" in hub_var("days")', true],
    ['mode("night") && !mode("away")', true],
    ["trigger.device_id", "lamp"],
    ["device_state(trigger.device_id).temperature == trigger.new_value", true],
    ["vars.limit", 3],
    ["now()", "2026-06-14T22:05:00.000Z"],
    // In Berlin it is Monday, five past midnight.
    ["[current_hour(), current_minute(), current_weekday()]", [0, 5, 1]],
    ['now() - timestamp(device_state("lamp").seen) < duration("10m")', true],
    ['now() + duration("90s")', "2026-06-14T22:06:30.000Z"],
    ['timestamp("2026-06-14T23:00:00Z") - now()', "3300s"],
    ['has(device_state("lamp").temperature)', true],
    ['has(device_state("lamp").humidity)', false],
    ['has(hub_var("map").b.c)', true],
    ['has(device_state("lamp").humidity) && device_state("lamp").humidity > 50', false],
    ['hub_var("days").exists(d, d.startsWith("t"))', true],
    ['device_state("lamp").list.filter(x, x > 1).map(x, x * 2)', [4, 6]],
    ['device_state("lamp").exists(name, name == "level")', true],
    ['cel.bind(t, device_state("lamp").temperature, t + t)', 42],
    ['device_state("lamp").on ? "on" : "off"', "on"],
    ['device_state("lamp").name.lowerAscii().contains("lam")', true],
    ['device_exists("lamp") && !device_exists("moon")', true],
    ['[hub_var("limit", 3), hub_var("absent", 3)]', [20, 3]],
    ['devices("hall", "light").any(d, d.on)', true],
    ['devices("attic", "light").any(d, d.on)', false],
    ['devices("hall", "").any(d, d.motion)', true],
    ['devices("cellar", "").any(d, d.on)', false],
    ['devices("", "light").count(d, !d.on)', 2],
    ['devices("hall").count(d, true)', 4],
    ['devices().count(d, d.device_type == "light" && d.level > 10)', 2],
    ['devices("attic", "light").all(d, !d.on)', true],
    ['devices("hall", "light").exists(d, d.on)', true],
    ['devices("hall", "light").filter(d, has(d.on) && d.on).map(d, d.id)', ["hall_lamp"]],
    ['max(devices("hall", "light").filter(d, has(d.level)).map(d, d.level))', 80],
    ["[min(3, 2), max(3, 2.5), min([3, 1.5, 2]), abs(-3), abs(-2.5)]", [2, 3, 1.5, 3, 2.5]],
    ["[round(20.5), round(-1.4), round(1.005, 2), round(7), round(1234.5678, 1)]", [21, -1, 1.01, 7, 1234.6]],
    ["[random(1, 6), random(0.0, 1.0), random(5, 5)]", [4, 0.5, 5]],
    ["sun_elevation() < -6", true],
  ];
  for (const [text, expected] of rows)
    test(text, () => {
      expect(ask(text, scope)).toEqual(expected as never);
    });

  test("Sunday is 7, and each place has its own hour", () => {
    const home = createHome();
    home.timezone = "America/New_York";
    expect(ask("[current_hour(), current_weekday()]", {}, home)).toEqual([18, 7]);
    home.timezone = "Asia/Kolkata";
    expect(ask("[current_hour(), current_minute(), current_weekday()]", {}, home)).toEqual([3, 35, 1]);
  });

  test("values are live: one program sees each change", () => {
    const home = createHome();
    const hot = program('device_state("lamp").temperature > hub_var("limit") && current_hour() < 12');
    const answers = () => hot.evaluate(home);
    expect(answers()).toEqual({ ok: true, value: true });
    home.states.lamp = { temperature: 19.9 };
    expect(answers()).toEqual({ ok: true, value: false });
    home.variables.limit = 19;
    expect(answers()).toEqual({ ok: true, value: true });
    home.time += 12 * 3_600_000;
    expect(answers()).toEqual({ ok: true, value: false });
  });
});

describe("what the house's functions refuse", () => {
  const rows: [string, string][] = [
    // A misspelt attribute is not just false.
    ['devices("hall", "light").any(d, d.onn)', 'd has no "onn"'],
    ['devices("hall", "light").count(d, d.level)', "gives a number where true or false is needed"],
    ["devices(1)", "devices() does not take (number)"],
    ["random(3, 1)", "random(a, b) needs an a that is not above b"],
    ["max([])", "max() needs a list of at least one number, and only of numbers"],
    ["round(1.5, 99)", "round() takes 0 to 10 digits"],
    ["round(1e300)", "gives a whole number beyond 2^53"],
  ];
  for (const [text, expected] of rows)
    test(text, () => {
      expect(ask(text)).toStartWith(expected);
    });

  test("the height of the sun without a place", () => {
    expect(ask("sun_elevation()", {}, { ...createHome(), sunElevation: () => undefined })).toStartWith(
      "the location of the house is unknown",
    );
  });
});

describe("problems name the place and say what to write", () => {
  const rows: [string, string][] = [
    ['device_state("attic").on', 'there is no device "attic"'],
    ['has(device_state("attic").on)', 'there is no device "attic"'],
    ['hub_var("x")', 'there is no variable "x"'],
    ['mode("x")', 'there is no mode "x"'],
    [
      'device_state("lamp").temprature',
      'device_state("lamp") has no "temprature" – did you mean "temperature"? (it has on, temperature, level, name, nothing, list, seen)',
    ],
    ['device_state("empty").on', 'device_state("empty") has no "on" (it is empty)'],
    ['device_state("lamp").nothing.x', 'device_state("lamp").nothing is null and has no attributes'],
    ['device_state("lamp").list[3]', 'device_state("lamp").list has 3 items; 3 is not one of 0 to 2'],
    ["trigger.x", 'trigger has no "x" (it is empty)'],
    ['device_state("lamp").name + 1', "text + number is not possible; put string(…) around what is not a text"],
    [
      "temperature > 20",
      'there is no "temperature" here; there are trigger, vars, and a variable of the hub is hub_var("temperature")',
    ],
    ['device_stat("lamp")', 'there is no function device_stat() – did you mean "device_state"?'],
    ["device_state(1)", "device_state() does not take (number)"],
    ["current_hour() = 7", "a single = compares nothing; write =="],
    ["true and false", 'write && instead of "and"'],
    [
      "true ? 1 : 2.5",
      'one branch gives a whole number and the other a fractional one; write both with a point, such as "1.0"',
    ],
    ["has(vars)", 'has() needs an attribute: has(device_state("id").name)'],
    ["1 +", "Unexpected token: the end of the text"],
    ["(1", 'Expected ")", got the end of the text'],
    ["", "the expression is empty"],
    ["1 / 0", "division by zero"],
    ["1.0 / 0", "gives a number that is infinite or none at all; was something divided by 0?"],
    ["9007199254740993", "gives a whole number beyond 2^53, which JSON cannot hold exactly"],
    ['now().getHours("Mars/Olympus")', "invalid time zone: Mars/Olympus"],
    ['timestamp("2026-06-15T11:00:00.000")', NO_TIME],
    ['timestamp("2026-02-30T12:00:00Z")', NO_TIME],
    ['timestamp("9999-12-31T23:59:59Z") + duration("1s")', "gives a time before the year 1 or after 9999"],
    ['duration("200000000000s")', "gives a duration of more than 292 years"],
    ['duration("s")', 'this is not a duration; write "90s", "10m" or "1h30m"'],
    ['int("")', 'int() reads a whole number, and "" is none'],
    ['double("0x10")', 'double() reads a number, and "0x10" is none'],
    ["1u + 1", "unsigned number + number is not possible"],
    ['{"a": 1, "a": 2}', "the map has the key a twice"],
    ["{1.5: 2}", "a key of a map is a text, a whole number, or true or false, and this is a fractional number"],
    ["[][0]", "[] is empty"],
    ["1 in 2", "number in number is not possible"],
    ["1 in dyn(2)", "only a list or a map can hold something, and this is a number"],
    ["(1).exists(e, e)", "only a list or a map can be gone through, and this is of the type number"],
    ["now().hour", "now() is a timestamp and has no attributes"],
    ['b"a"', "gives bytes; put string(…) around them"],
    ['duration("5 minutes")', 'this is not a duration; write "90s", "10m" or "1h30m"'],
  ];
  for (const [text, expected] of rows)
    test(text || "(empty)", () => {
      expect(ask(text)).toBe(expected);
    });

  test("line and column count from one", () => {
    const expressions = createExpressions();
    expect(problem(expressions.compile("true &&\n  temprature > 1"))).toMatchObject({ line: 2, column: 3 });
    expect(problem(expressions.compile("1 + ")).column).toBe(5);
    const late = program('true &&\n  device_state("lamp").x == 1').evaluate(createHome());
    expect(late).toMatchObject({ ok: false, problem: { line: 2, column: 24 } });
    const unknown = program('1 == 1 && device_state("attic").x').evaluate(createHome());
    expect(unknown).toMatchObject({ ok: false, problem: { line: 1, column: 11 } });
  });
});

describe("conditions", () => {
  test("take true and false", () => {
    expect(program('mode("night")').evaluateBoolean(createHome())).toEqual({ ok: true, value: true });
    expect(program('device_state("lamp").on').evaluateBoolean(createHome())).toEqual({ ok: true, value: true });
  });
  test("and refuse everything else", () => {
    for (const [text, kind] of [
      ['device_state("lamp").temperature', "a number"],
      ['device_state("lamp").name', "a text"],
      ['device_state("lamp").nothing', "null"],
      ['device_state("lamp")', "a map"],
    ] as const)
      expect(program(text).evaluateBoolean(createHome())).toMatchObject({
        ok: false,
        problem: { message: `gives ${kind} where true or false is needed; compare it with something` },
      });
  });
  test("is known beforehand where the text alone decides it", () => {
    expect(program("current_hour()").type).toBe("int");
    expect(program("current_hour() > 5").type).toBe("bool");
    expect(program('hub_var("x")').type).toBe("dyn");
  });
});

test("references are what is named outright, also inside macros and branches not taken", () => {
  const text = `mode("night") || hub_var("days").exists(d, d == hub_var("today") && device("door").available)
    || (has(device_state("lamp").x) ? device_state("hall").on : device_state(trigger.device_id).on)
    || devices("attic", "light").any(d, d.on) || devices(hub_var("where", "")).any(d, d.on)
    || cel.bind(a, hub_var("bound"), a == mode("away")) || "x".matches(hub_var("pattern"))`;
  expect(program(text).references()).toEqual({
    areas: ["attic"],
    types: ["light"],
    devices: ["door", "hall", "lamp"],
    variables: ["bound", "days", "pattern", "today"],
    modes: ["away", "night"],
  });
});

test("the same text is compiled once, and the memory is bounded", () => {
  const expressions = createExpressions();
  const first = expressions.compile("1 == 1");
  expect(expressions.compile("1 == 1")).toBe(first);
  for (let index = 0; index < 9_999; index++) expressions.compile(`${index} == 0`);
  expect(expressions.compile("1 == 1")).toBe(first);
  for (let index = 0; index < 10_000; index++) expressions.compile(`${index} != 1`);
  expect(expressions.compile("1 == 1")).not.toBe(first);
});
