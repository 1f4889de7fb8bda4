// What `hub rules` understands and how it writes: names of rules, made-up states, times and colours.
import { describe, expect, test } from "bun:test";
import { findRule } from "../../../../src/app/cli/rules/listed-rules.ts";
import { afterText, createClockface, createPaint, table } from "../../../../src/app/cli/rules/text.ts";
import { testBody } from "../../../../src/app/cli/rules/try-rule.ts";
import type { Output } from "../../../../src/kit/lifecycle/platform.ts";

const rule = (id: string, name: string, file: string) => ({ id, name, file });
const RULES = [
  rule("a1", "Night light", "night.ron"),
  rule("night", "Alarm", "alarm.ron"),
  rule("c3", "Light", "hall.toml"),
  rule("d4", "Light", "kitchen.ron"),
];

describe("a rule is found by", () => {
  test.each([
    ["its id, before anything else", "night", "night"],
    ["its file", "night.ron", "a1"],
    ["its file without the ending", "hall", "c3"],
    ["its name in any case", "NIGHT LIGHT", "a1"],
    ["a part of its name", "ala", "night"],
  ])("%s", (_, wanted, id) => {
    expect(findRule(RULES, wanted).id).toBe(id);
  });

  test("no name that two rules have: both are listed", () => {
    expect(() => findRule(RULES, "Light")).toThrow(/2 rules[\s\S]*hall\.toml, c3[\s\S]*kitchen\.ron, d4/);
  });

  test("no name that none has: the nearest is said", () => {
    expect(() => findRule(RULES, "alrm")).toThrow('there is no rule "alrm" – did you mean "alarm"?');
  });
});

describe("what a test assumes", () => {
  test("several attributes of several devices, as JSON or text", () => {
    const set = ["hall.on=true", "hall.level=21.5", "plugin.hue_1.mode=a=b", 'x.list=[1,"2"]'];
    expect(testBody({ trigger: "2", at: "2026-12-24T18:00", set })).toEqual({
      trigger: { index: 1 },
      at: "2026-12-24T18:00",
      devices: { hall: { on: true, level: 21.5 }, "plugin.hue_1": { mode: "a=b" }, x: { list: [1, "2"] } },
    });
  });

  test("nothing, unless it is said", () => {
    expect(testBody({ trigger: undefined, at: undefined, set: [] })).toEqual({});
    expect(testBody({ trigger: "opened", at: undefined, set: [] })).toEqual({ trigger: { id: "opened" } });
  });

  test.each(["hall", "hall.on", "=true", ".on=true", "hall.=true", "on=true"])("not %s", (word) => {
    expect(() => testBody({ trigger: undefined, at: undefined, set: [word] })).toThrow("write DEVICE.ATTRIBUTE=VALUE");
  });

  test("no trigger number 0", () => {
    expect(() => testBody({ trigger: "0", at: undefined, set: [] })).toThrow("counts from 1");
  });
});

test.each([
  [0, "+0 s"],
  [240, "+0.2 s"],
  [59_000, "+59 s"],
  [300_000, "+5 min"],
  [305_000, "+5 min 5 s"],
  [5_400_000, "+1 h 30 min"],
  [7_200_000, "+2 h"],
])("%i ms are %s", (ms, text) => {
  expect(afterText(ms)).toBe(text);
});

test("times are in the house's zone, also in the hour that comes twice", () => {
  const { at } = createClockface("Europe/Berlin");
  expect(at("2026-07-01T12:00:00.000Z")).toBe("2026-07-01 14:00:00");
  expect(at("2026-10-25T01:30:00Z")).toBe("2026-10-25 02:30:00");
  expect(at("\u001b[2J")).toBe("[2J");
});

test("colours go to terminals only, and not with NO_COLOR", () => {
  const output = (isTerminal: boolean): Output => ({ isTerminal, isJournal: false, write() {} });
  expect(createPaint(output(true), {})("red", "x")).toBe("\u001b[31mx\u001b[0m");
  expect(createPaint(output(true), { NO_COLOR: "1" })("red", "x")).toBe("x");
  expect(createPaint(output(false), {})("red", "x")).toBe("x");
});

test("columns are as wide as their longest text, counted in characters", () => {
  expect(
    table([
      ["ä", "b"],
      ["ccc", "😀"],
    ]),
  ).toBe("ä    b\nccc  😀\n");
});
