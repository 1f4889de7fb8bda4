// The contract's two situations, with the real kinds, to the second.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { actions } from "../../../src/rules/actions/index.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { type Rule, readRule } from "../../../src/rules/read/rule.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import { openRig } from "./rig.ts";

const { evaluate, check } = createRuleExpressions();
const real = { vocabulary: { triggers, conditions, actions }, evaluate };

function read(value: JsonObject): Rule {
  const { rule, problems } = readRule(value, check);
  if (!rule) throw new Error(JSON.stringify(problems));
  return rule;
}

test("the door has been open for ten minutes: at most one alert in ten minutes", async () => {
  await using rig = openRig(real);
  const about = { device_id: "front_door", attribute: "open" };
  const door = read({
    id: "4f8e0a52-5a5e-4d0e-9e0f-3a8d5a0f7b11",
    name: "Door left open",
    enabled: true,
    priority: 10,
    cooldown_secs: 600,
    trigger: { type: "cron", expression: "0 * * * * *" },
    conditions: [
      { type: "device_state", ...about, op: "Eq", value: true },
      { type: "time_elapsed", ...about, duration_secs: 600 },
    ],
    actions: [
      {
        type: "parallel",
        actions: [
          { type: "notify", channel: "all", message: "The door is open" },
          { type: "parallel", actions: [{ type: "notify", channel: "log", message: "door" }] },
        ],
      },
    ],
  });
  rig.report("front_door", { open: false });
  rig.begin(door);
  await rig.clock.advance(90_500);
  rig.report("front_door", { open: true });
  await rig.clock.advance(11 * 60_000 - 31_501);
  expect(rig.commands).toEqual([]);
  const [trace] = rig.engine.traces(door.id);
  expect(trace?.conditions).toMatchObject([{ passed: true }, { type: "time_elapsed", passed: false }]);
  expect(trace?.why).toStartWith("front_door.open was unchanged for");
  await rig.clock.advance(60_000);
  expect(rig.commands).toEqual(["all: The door is open", "log: door"]);
  expect(rig.events.at(-1)).toMatchObject({ type: "rule_fired", rule_name: "Door left open", trigger_type: "Cron" });
  const firedAt = rig.engine.state(door.id).last_fired_at ?? 0;
  expect(new Date(firedAt).toISOString()).toBe("2026-01-15T12:12:00.000Z");
  await rig.restart({ offMs: 30_000 });
  await rig.clock.advance(8 * 60_000);
  expect(rig.commands).toHaveLength(2);
  expect(rig.engine.traces(door.id)[0]?.outcome).toBe("cooldown");
  await rig.clock.advance(60_000);
  expect(rig.commands).toHaveLength(4);
  expect(rig.engine.state(door.id).last_fired_at).toBe(firedAt + 600_000);
});

test("it is too hot: once an hour, with the value that triggered it", async () => {
  await using rig = openRig(real);
  const about = { device_id: "attic", attribute: "temperature" };
  const hot = read({
    id: "b",
    name: "Too hot",
    cooldown_secs: 3600,
    trigger: { type: "device_state_changed", ...about },
    conditions: [{ type: "device_state", ...about, op: "Gt", value: 30 }],
    actions: [{ type: "notify", channel: "all", message: "It is hot °😀" }],
  });
  rig.begin(hot);
  rig.report("attic", { temperature: 30 });
  rig.report("attic", { temperature: 30.5 });
  await rig.clock.advance(3_599_999);
  rig.report("attic", { temperature: 31 });
  expect(rig.commands).toEqual(["all: It is hot °😀"]);
  const [event] = rig.events.filter(({ type }) => type === "rule_fired");
  expect(event).toMatchObject({
    trigger_type: "DeviceStateChanged",
    trigger_context: { device_id: "attic", attribute: "temperature", value: 30.5 },
  });
  await rig.clock.advance(1);
  rig.report("attic", { temperature: 32 });
  await rig.clock.advance(0);
  expect(rig.commands).toHaveLength(2);
});

test("a cancelled delay ends its run and the actions around it as cancelled", async () => {
  await using rig = openRig(real);
  const late = read({
    id: "late",
    name: "late",
    trigger: { type: "custom_event", event_type: "go" },
    actions: [
      {
        type: "repeat_count",
        count: 3,
        actions: [
          { type: "delay", duration_secs: 60, key: "k" },
          { type: "notify", channel: "log", message: "x" },
        ],
      },
      { type: "notify", channel: "log", message: "y" },
    ],
  });
  const stop = read({
    id: "stop",
    name: "stop",
    trigger: { type: "custom_event", event_type: "stop" },
    actions: [{ type: "cancel_delays", rule_id: "late", key: "k" }],
  });
  rig.begin(late, stop);
  rig.emit("go");
  await rig.clock.advance(70_000);
  rig.emit("stop");
  await rig.clock.advance(600_000);
  expect(rig.commands).toEqual(["log: x"]);
  expect(rig.engine.state("late").running).toBe(0);
  expect(rig.engine.traces("late")[0]).toMatchObject({
    why: "event go; there are no conditions; ended by delay: its delay was cancelled",
    actions: [
      {
        type: "repeat_count",
        parts: [{ result: "ok" }, { result: "ok" }, { type: "delay", result: "cancelled", durationMs: 10_000 }],
      },
    ],
  });
});
