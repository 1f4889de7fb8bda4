// What a replay cannot know is said, and a replay that is too long says where it ended.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { firingsOf, openReplayRig, type ReplayRig } from "./rig.ts";

let rig: ReplayRig;
beforeEach(() => {
  rig = openReplayRig({ timezone: "UTC" });
});
afterEach(() => rig[Symbol.asyncDispose]());

const WEEK = { from: "2026-01-19T00:00:00Z", to: "2026-01-26T00:00:00Z" };
const EVERY_DAY = '[trigger]\ntype = "time_of_day"\ntime = "12:00"\n';
const LOG = '[[actions]]\ntype = "log_message"\nmessage = "x"\n';

test("triggers that are not recorded, each once", async () => {
  const rule = `
    [[triggers]]
    type = "mqtt_message"
    topic = "a/b"
    [[triggers]]
    type = "mqtt_message"
    topic = "a/c"
    [[triggers]]
    type = "webhook_received"
    path = "bell"
    secret = "a-secret-of-24-characters"
    [[triggers]]
    type = "device_availability_changed"
    device_id = "freezer"
    [[triggers]]
    type = "device_state_changed"
    attribute = "open"
    [[triggers]]
    type = "device_state_changed"
    area = "hall"
    [[triggers]]
    type = "manual_trigger"\n${LOG}`;
  const { unknown, firings } = await rig.replay(rule, WEEK);
  expect(firings).toEqual([]);
  expect(unknown).toEqual([
    "what fires the trigger mqtt_message is not recorded: it did not fire here",
    "what fires the trigger webhook_received is not recorded: it did not fire here",
    "what fires the trigger device_availability_changed is not recorded: it did not fire here",
    "the trigger device_state_changed names no device: the changes of all devices are not replayed",
    "which devices an area, a tag or a type had then: those of now were taken",
  ]);
});

test("variables, availability and values that are not recorded", async () => {
  rig.house.variables.set("guests", 2);
  rig.report("2026-01-18T10:00:00Z", "lamp", { on: false });
  rig.report("2026-01-21T10:00:00Z", "lamp", { on: true, level: 5 });
  rig.house.put("lamp", { attributes: { on: true, level: 5, power_on_behavior: "off" } });
  const rule = `
    required_expression = "device('lamp').available && (!has(device_state('lamp').level) || device_state('lamp').level < 9)"
    ${EVERY_DAY}
    [[conditions]]
    type = "hub_variable"
    name = "guests"
    op = "Gt"
    value = 1
    [[conditions]]
    type = "device_state"
    device_id = "lamp"
    attribute = "power_on_behavior"
    value = "off"\n${LOG}`;
  const { unknown, misses } = await rig.replay(rule, WEEK);
  expect(unknown).toEqual([
    'variables are not recorded: "guests" was taken to have the value of now from the beginning',
    'no value of "power_on_behavior" of "lamp" is recorded in this time: the rule saw none',
    'no value of "level" of "lamp" is recorded before 2026-01-21 10:00: until then the rule saw none',
    "whether devices were available: each was taken to be",
  ]);
  expect(misses.map(({ why, count }) => [why, count])).toEqual([
    ['a condition did not pass: lamp.power_on_behavior is "off"', 7],
  ]);
});

test("what a run cannot know, and what the rule itself would have changed", async () => {
  rig.report("2026-01-18T10:00:00Z", "lamp", { on: false, level: 3 });
  rig.report("2026-01-20T10:00:00Z", "lamp", { on: true });
  const rule = `run_mode = "single"
    [trigger]
    type = "device_state_changed"
    device_id = "lamp"
    attribute = "on"
    to = true
    [[actions]]
    type = "capture_device_state"
    device_ids = ["lamp"]
    [[actions]]
    type = "delay"
    duration_secs = 60
    [[actions]]
    type = "fade_device"
    device_id = "lamp"
    attribute = "level"
    to = 100
    duration_secs = 10
    [[actions]]
    type = "run_rule"
    rule_id = "other"`;
  const replay = await rig.replay(rule, WEEK);
  expect(firingsOf(replay)).toEqual([
    "2026-01-20T10:00:00.000Z capturing states of the past cannot be tried out: nothing was done 60 s " +
      "lamp.level 3 → 100 in 10 s, 50 steps rule other",
  ]);
  expect(replay.firings[0]?.endedAt).toBe(Date.parse("2026-01-20T10:01:10Z"));
  expect(replay.unknown).toEqual([
    "what the rules do that it runs: try them out as well",
    "the states that it captures and restores",
    'what its own actions would have changed: "lamp" went the way that is recorded',
  ]);
});

test("actions are not done, and a variable that the rule sets keeps its value in the replay", async () => {
  rig.house.variables.set("count", 0);
  const rule = `${EVERY_DAY}
    [[actions]]
    type = "set_hub_variable"
    name = "count"
    expression = "int(hub_var('count')) + 1"
    [[actions]]
    type = "notify"
    channel = "mail"
    message = "{{vars.x}}"
    [[actions]]
    type = "call_service"
    url = "https://example.com/"
    method = "GET"`;
  const replay = await rig.replay(rule, WEEK);
  expect(replay.firings).toHaveLength(7);
  for (const { actions } of replay.firings) {
    expect(actions.map(({ result, error }) => error ?? result)).toEqual(["ok", "ok", "ok"]);
  }
  const details = replay.firings.map(({ actions: [first] }) => first?.detail);
  expect(details).toEqual([1, 2, 3, 4, 5, 6, 7].map((count) => `count = ${count}`));
  expect(rig.house.variables.get("count")).toBe(0);
  const { commands, notifications, requests, events } = rig.house.done;
  expect([commands, notifications, requests, events]).toEqual([[], [], [], []]);
});

test("too many samples or evaluations: it says where it ended", async () => {
  for (let hour = 0; hour < 24; hour++)
    rig.report(new Date(Date.UTC(2026, 0, 20, hour)).toISOString(), "door", { open: hour % 2 === 1 });
  const rule = `[trigger]\ntype = "device_state_changed"\ndevice_id = "door"\nto = true\n${LOG}`;
  const cut = await rig.replay(rule, WEEK, { limits: { samples: 10 } });
  expect(firingsOf(cut)).toHaveLength(5);
  expect(cut).toMatchObject({ until: Date.UTC(2026, 0, 20, 9), samples: 10 });
  expect(cut.unknown).toContain("what came after 2026-01-20 09:00: 10 recorded values were read, and no more are");
  const often = await rig.replay(`[trigger]\ntype = "periodic"\nevery_secs = 1\n${LOG}`, WEEK, {
    limits: { evaluations: 120 },
  });
  expect(often.evaluations).toBe(120);
  expect(often.unknown).toEqual([
    "what came after 2026-01-19 00:01: it was triggered 120 times, and no more are replayed",
  ]);
});

test("more pages than one, in the order of time over all devices", async () => {
  const at = (second: number): string => new Date(Date.UTC(2026, 0, 20) + second * 1000).toISOString();
  for (let second = 0; second < 5000; second++) rig.report(at(second), second % 2 === 0 ? "a" : "b", { n: second });
  const rule = `[trigger]
    type = "device_state_changed"
    device_ids = ["a", "b"]
    attribute = "n"
    ${LOG}`.replace("[trigger]", `trigger_condition = "device_state('a').n - 1 <= int(trigger.value)"\n[trigger]`);
  const { evaluations, firings, omittedFirings, misses, samples } = await rig.replay(rule, WEEK);
  expect({ evaluations, samples, misses }).toEqual({ evaluations: 5000, samples: 5000, misses: [] });
  // Of the firings, as many are listed as fit into the answer.
  expect([firings.length, omittedFirings]).toEqual([1000, 4000]);
  const times = firings.map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test("who may not see secrets does not see them here", async () => {
  rig.report("2026-01-18T10:00:00Z", "lock", { pin: "0000", open: false });
  rig.report("2026-01-20T10:00:00Z", "lock", { open: true });
  const rule = `[trigger]
    type = "device_state_changed"
    device_id = "lock"
    attribute = "open"
    to = true
    [[conditions]]
    type = "device_state"
    device_id = "lock"
    attribute = "pin"
    value = "4711"\n${LOG}`;
  const { misses } = await rig.replay(rule, WEEK, { withoutSecrets: true });
  expect(misses).toHaveLength(1);
  expect(JSON.stringify(misses)).not.toContain("4711");
});
