// Expressions in Rhai as CEL: what they give is what Rhai gives, and what has no counterpart is refused by name and place.
import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { celOf } from "../../../src/rules/homecore/rhai/cel.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { createHouse } from "../support/host.ts";

const expressions = createRuleExpressions();
// A Saturday.
const house = createHouse({ at: "2026-01-17T08:30:00Z" });
house.put("lamp", { attributes: { on: true, brightness: 80, name: "Ä lamp", tags: ["a", "b"], color: { x: 0.5 } } });
house.put("timer_egg", { attributes: { state: "started" } });
house.variables.set("level", 7);
const trigger: JsonObject = {
  device_id: "lamp",
  attribute: "on",
  value: true,
  previous: false,
  query: { token: "t1" },
  change: { kind: "hub", source: "rule", actor_id: "r1", actor_name: "Evening" },
};

function evaluated(script: string, given: JsonObject = trigger): Json {
  const constants = { trigger_label: '"door bell"', trigger_event_type: '"device_state_changed"' };
  const translated = celOf(script, constants);
  if (!translated.ok) throw new Error(translated.problem);
  return expressions.evaluate(translated.cel, house, { trigger: given, vars: { turns: 3 } });
}

describe("gives what Rhai gives", () => {
  test.each<[string, Json]>([
    // The idioms of homeCore's rules.
    ['device_state("lamp")["on"] == true && current_hour() >= 8', true],
    ['device_state("lamp").on', true],
    ['device_state("lamp")["brightness"] > 50', true],
    ['!(device_state("lamp").on)', false],
    ['hub_var("level") == 7', true],
    ['device_state("lamp")["name"].contains("lamp")', true],
    ["current_hour() in 6..22", true],
    ["current_hour() in 6..8", false],
    ["current_hour() in 6..=8", true],
    ["[1, 7, 8].contains(current_hour())", true],
    ['["on", "off"].contains(device_state("lamp").name)', false],
    ['current_weekday() == "Saturday"', true],
    ['current_weekday() == "Sat"', true],
    ['current_weekday() != "Sun"', true],
    ['["Saturday", "Sunday"].contains(current_weekday())', true],
    ['current_weekday() in ["Mon", "Tue"]', false],
    ['let lamp = device_state("lamp"); lamp["on"] == true && lamp.brightness > 50', true],
    ['if current_hour() < 12 { hub_var("level") } else { 0 }', 7],
    ["if current_hour() > 12 { 1.5 } else if current_hour() == 8 { 2 } else { 3 }", 2],
    ["trigger_value() == true && trigger_prev_value() == false", true],
    ['trigger_device() == "lamp" && trigger_attribute() == "on"', true],
    ['trigger_change_kind() == "homecore" && trigger_change_source() == "rule"', true],
    ['trigger_change_actor_name() == "Evening"', true],
    ['trigger_extra()["token"] == "t1"', true],
    ['trigger_label() == "door bell" && trigger_event_type() == "device_state_changed"', true],
    ['rule_var("turns") + 1', 4],
    ['rule_var("nothing") == ()', true],
    ['device_state("timer_egg")["state"] == "running"', true],
    ['device_state("timer_egg").state == "finished"', false],
    // What is not there is nothing, and no error.
    ['device_state("unknown")["on"]', null],
    ['device_state("unknown")["on"] == true', false],
    ['device_state("unknown")["on"] != true', true],
    ['device_state("lamp")["missing"] > 20', false],
    ['!(device_state("lamp")["missing"] > 20)', true],
    ['device_state("unknown")["on"] == ()', true],
    ['hub_var("unknown") == ()', true],
    ['hub_var("unknown") > 3', false],
    ['device_state("lamp")["name"] > 3', false],
    ['(hub_var("unknown") ?? 5) + 1', 6],
    // Types that are not alike are not equal.
    ['1 == "1"', false],
    ['true != "true"', true],
    ['"b" > "a"', true],
    ["1 == 1.0", true],
    // Precedence, as in Rhai.
    ["true || false && false", true],
    ["1 + 2 * 3 == 7 && 2 < 3", true],
    ["!true == false", true],
    ["1 in [1, 2] == true", true],
    ["7 / 2", 3],
    ["7 / 2.0", 3.5],
    ["7 % 4 + -1", 2],
    ["0x1f + 1_000", 1031],
    // Values inside values.
    ['device_state("lamp")["color"]["x"] == 0.5', true],
    ['device_state("lamp")["tags"][1]', "b"],
    ['"a" in device_state("lamp")["tags"]', true],
    ['device_state("lamp").contains("on")', true],
    ['device_state("lamp")["name"].len() == 6', true],
    ['device_state("lamp").name.ends_with("lamp") && !device_state("lamp").name.starts_with("x")', true],
    // Texts and comments.
    ['"a\\"b" == `a"b` /* no */ // yes', true],
    ["{ let x = 2; x * 2 }", 4],
  ])("%s", (script, value) => {
    expect(evaluated(script)).toEqual(value);
  });

  test("without a trigger, its functions give nothing", () => {
    expect(evaluated("trigger_value() == ()", {})).toBe(true);
    expect(evaluated('trigger_device() == "" && trigger_change_kind() == ""', {})).toBe(true);
  });
});

describe("refuses by name and place", () => {
  test.each<[string, string]>([
    ["for x in 0..3 { x }", "a loop (`for`) cannot be translated (character 1 of the script)"],
    ["while true { }", "a loop (`while`)"],
    ["let x = 1; x = 2; x", "an assignment (`=`) cannot be translated (character 14 of the script)"],
    ['hub_var("a"); true', "only `let` may come before its value"],
    ["x += 1", "there is nothing called `x`"],
    ["let x = 1;\nx += 1", "an assignment (`+=`) cannot be translated (line 2, character 3 of the script)"],
    ['set_device_state("lamp", #{ on: true })', "`set_device_state()` does something: write it as an action"],
    ["fn f() { 1 } f()", "a function of its own (`fn`)"],
    ["|x| x + 1", "a function of its own"],
    ["current_weekday()", "can only be compared with the name of a day"],
    ['current_weekday() == "Someday"', '"Someday" is no day'],
    ["current_weekday() == 6", "`current_weekday()` is the name of a day"],
    ['hub_var("level") / 2', "a division may drop what is behind the point or not"],
    ["if true { 1 }", "an `if` without `else`"],
    ["switch 1 { 1 => 2 }", "a choice by `switch`"],
    ["curent_hour() > 3", 'there is no function `curent_hour()` in rules – did you mean "current_hour"?'],
    [`\`a $\{1}\``, "a text that is put together"],
    ['"a".to_upper()', "`.to_upper()` cannot be translated"],
    ["1 ** 2", "`**` cannot be translated"],
    ["(1 + 2", "`)` is missing before the end"],
    ["", "the end is not expected here"],
    ["1 2", "`2` is not expected here"],
    ["#{}", "a map (`#{…}`)"],
  ])("%s", (script, problem) => {
    const translated = celOf(script);
    expect(translated.ok ? translated.cel : translated.problem).toContain(problem);
  });

  test("whatever is long or deep", () => {
    const problems = [
      "(".repeat(5000),
      "(".repeat(2000),
      "!".repeat(3000),
      Array.from({ length: 30 }, (_, n) => `let x${n + 1} = x${n} + x${n};`)
        .join("")
        .replace("x0 + x0", "1 + 1")
        .concat("x30"),
    ].map((script) => celOf(script));
    expect(problems.map(({ ok }) => ok)).toEqual([false, false, false, false]);
  });
});
