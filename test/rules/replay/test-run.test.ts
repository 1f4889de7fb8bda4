// What a rule would do: a whole run in simulated time, in a house that may be made up.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ActionTrace, Trace } from "../../../src/rules/model/trace.ts";
import { openReplayRig, type ReplayRig } from "./rig.ts";

let rig: ReplayRig;
beforeEach(() => {
  rig = openReplayRig({ timezone: "UTC" });
  rig.house.put("lamp", { attributes: { on: false, level: 10 } });
  rig.house.put("motion", { attributes: { motion: false } });
  rig.house.put("door", { attributes: { open: true } });
});
afterEach(() => rig[Symbol.asyncDispose]());

const MOTION = '[trigger]\ntype = "device_state_changed"\ndevice_id = "motion"\nattribute = "motion"\nto = true\n';
const set = (on: boolean): string =>
  `[[actions]]\ntype = "set_device_state"\ndevice_id = "lamp"\nstate = { on = ${on} }\n`;
const delay = (secs: number): string => `[[actions]]\ntype = "delay"\nduration_secs = ${secs}\n`;
const AT = Date.parse("2026-02-01T20:00:00Z");

/** `20:00:00 set_device_state lamp {"on":true}`, those inside others as well. */
function steps({ actions }: Pick<Trace, "actions">): string[] {
  const line = ({ startedAt, type, detail, error, parts = [] }: ActionTrace): string[] => [
    `${new Date(startedAt).toISOString().slice(11, 19)} ${type} ${error ?? detail ?? ""}`,
    ...parts.flatMap(line),
  ];
  return actions.flatMap(line);
}

const askLamp = (then: string): string =>
  `[[actions]]\ntype = "conditional"\ncondition = "device_state('lamp').on"\nthen_actions = [{ type = "log_message", message = "${then}" }]\n`;

test("a delay of days takes no time, and the trace shows when what would happen", async () => {
  const began = performance.now();
  const { trace, unknown } = await rig.test(MOTION + set(true) + delay(3 * 86_400) + set(false), { at: AT });
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(trace).toMatchObject({ dryRun: true, outcome: "fired", at: AT, endedAt: AT + 3 * 86_400_000 });
  expect(steps(trace)).toEqual([
    '20:00:00 set_device_state lamp {"on":true}',
    "20:00:00 delay 259200 s",
    '20:00:00 set_device_state lamp {"on":false}',
  ]);
  expect(trace.actions.map(({ durationMs }) => durationMs)).toEqual([0, 259_200_000, 0]);
  expect(trace.actions[2]?.startedAt).toBe(AT + 259_200_000);
  expect(unknown).toEqual([]);
  expect(rig.house.done.commands).toEqual([]);
  expect(rig.house.device("lamp")?.attributes.on).toBe(false);
});

test("what the rule sets, it sees; the house does not", async () => {
  rig.house.modes.set("night", false);
  rig.house.put("night", { deviceType: "mode", attributes: { on: false } });
  const rule = `${MOTION}${set(true)}${askLamp("it is on")}
    [[actions]]
    type = "set_hub_variable"
    name = "count"
    value = 41
    [[actions]]
    type = "set_mode"
    mode_id = "night"
    on = true
    [[actions]]
    type = "log_message"
    expression = "string(int(hub_var('count')) + 1) + ' ' + string(mode('night'))"`;
  const { trace } = await rig.test(rule, { at: AT });
  expect(steps(trace).filter((step) => step.includes("log_message"))).toEqual([
    "20:00:00 log_message info: it is on",
    "20:00:00 log_message info: 42 true",
  ]);
  expect(rig.house.variables.size).toBe(0);
  expect(rig.house.mode("night")).toBe(false);
});

describe("waits", () => {
  const waitFor = (onTimeout: string): string => `
    [[actions]]
    type = "wait_for_event"
    event_type = "device_state_changed"
    device_id = "door"
    timeout_secs = 600
    on_timeout = "${onTimeout}"\n`;
  const waitUntil = `
    [[actions]]
    type = "wait_for_expression"
    expression = "!device_state('door').open"
    timeout_secs = 3600\n`;

  test("nothing happens unless it is said: they time out", async () => {
    const { trace } = await rig.test(MOTION + waitFor("exit") + set(true), { at: AT });
    expect(trace.why).toContain("device_state_changed did not come within 600 s");
    expect(trace).toMatchObject({ endedAt: AT + 600_000, actions: [{ durationMs: 600_000 }] });
    const { trace: other } = await rig.test(MOTION + waitUntil + set(true), { at: AT });
    expect(steps(other)).toEqual([
      "20:00:00 wait_for_expression !device_state('door').open did not come within 3600 s; continuing",
      '21:00:00 set_device_state lamp {"on":true}',
    ]);
  });

  test("the door closes after 30 seconds", async () => {
    const changes = [{ afterSecs: 30, devices: { door: { open: false } } }];
    const first = await rig.test(MOTION + waitFor("exit") + set(true), { at: AT, changes });
    expect(steps(first.trace)).toEqual([
      "20:00:00 wait_for_event device_state_changed came",
      '20:00:30 set_device_state lamp {"on":true}',
    ]);
    const second = await rig.test(MOTION + waitUntil + set(true), { at: AT, changes });
    expect(steps(second.trace)[1]).toBe('20:00:30 set_device_state lamp {"on":true}');
  });

  test("an event of its own, and the report of a device that it commands itself", async () => {
    const rule = `${MOTION}
      [[actions]]
      type = "wait_for_event"
      event_type = "custom_doorbell"
      fields = { button = "front" }
      timeout_secs = 60
      ${set(true)}
      [[actions]]
      type = "wait_for_event"
      event_type = "device_state_changed"
      device_id = "lamp"
      timeout_secs = 60`;
    const event = { type: "custom_doorbell", button: "front" } as const;
    const { trace } = await rig.test(rule, { at: AT, changes: [{ afterSecs: 7, event }] });
    expect(steps(trace)).toEqual([
      "20:00:00 wait_for_event custom_doorbell came",
      '20:00:07 set_device_state lamp {"on":true}',
      "20:00:07 wait_for_event device_state_changed came",
    ]);
  });

  test("a loop goes on until what happens ends it", async () => {
    const rule = `${MOTION}
      [[actions]]
      type = "repeat_while"
      expression = "device_state('door').open"
      actions = [{ type = "log_message", message = "open" }, { type = "delay", duration_secs = 60 }]`;
    const changes = [{ afterSecs: 150, devices: { door: { open: false } } }];
    const { trace } = await rig.test(rule, { at: AT, changes });
    expect(steps(trace).filter((step) => step.includes("log"))).toEqual([
      "20:00:00 log_message info: open",
      "20:01:00 log_message info: open",
      "20:02:00 log_message info: open",
    ]);
    expect(trace.endedAt).toBe(AT + 180_000);
  });

  test("a fade, parallel branches and a timer keep their time", async () => {
    rig.house.put("kettle", { deviceType: "timer", attributes: { state: "idle" } });
    const rule = `${MOTION}
      [[actions]]
      type = "timer"
      device_id = "kettle"
      command = "start"
      duration_secs = 90
      [[actions]]
      type = "parallel"
      actions = [
        { type = "fade_device", device_id = "lamp", attribute = "level", to = 100, duration_secs = 30 },
        { type = "wait_for_event", event_type = "timer_state_changed", fields = { state = "expired" }, timeout_secs = 600 },
      ]
      [[actions]]
      type = "log_message"
      expression = "string(device_state('lamp').level)"`;
    const { trace } = await rig.test(rule, { at: AT });
    expect(steps(trace)).toEqual([
      "20:00:00 timer kettle start 90 s",
      "20:00:00 parallel 2 at the same time",
      "20:00:00 fade_device lamp.level 10 → 100 in 30 s, 90 steps",
      "20:00:00 wait_for_event timer_state_changed came",
      "20:01:30 log_message info: 100",
    ]);
  });
});

describe("what is made up", () => {
  const rule = `
    [[triggers]]
    type = "device_state_changed"
    device_id = "motion"
    attribute = "motion"
    to = true
    [[triggers]]
    type = "time_of_day"
    time = "07:30"
    [[conditions]]
    type = "time_window"
    start = "19:00"
    end = "22:00"
    [[conditions]]
    type = "time_elapsed"
    device_id = "door"
    attribute = "open"
    duration_secs = 600
    [[conditions]]
    type = "hub_variable"
    name = "guests"
    op = "Gt"
    value = 0
    ${set(true)}`;
  const door = { devices: { door: { open: false } } };

  test("the moment, devices, since when, and variables", async () => {
    const lastChanged = { door: { open: AT - 700_000 } };
    const fired = await rig.test(rule, { at: AT, ...door, lastChanged, variables: { guests: 2 } });
    expect(fired.trace.outcome).toBe("fired");
    expect(fired.trace.trigger.context).toMatchObject({ device_id: "motion", attribute: "motion", value: true });
    const justNow = await rig.test(rule, { at: AT, ...door, variables: { guests: 2 } });
    expect(justNow.trace.conditions.map(({ passed }) => passed)).toEqual([true, false, true]);
    const atNight = await rig.test(rule, { at: AT + 7_200_000, ...door, lastChanged, variables: { guests: 0 } });
    expect(atNight.trace.conditions.map(({ passed }) => passed)).toEqual([false, true, false]);
  });

  test("the trigger, by its place, its type or its id", async () => {
    const typeOf = async (trigger: object): Promise<string> => (await rig.test(rule, { trigger })).trace.trigger.type;
    expect(await typeOf({ index: 1 })).toBe("time_of_day");
    expect(await typeOf({ type: "time_of_day" })).toBe("time_of_day");
    expect(await typeOf({})).toBe("device_state_changed");
    await expect(typeOf({ index: 2 })).rejects.toThrow("there is no trigger 2: the rule has 2, counted from 0");
    await expect(typeOf({ id: "noon" })).rejects.toThrow('no trigger of the rule has the id "noon"');
  });

  test("what the trigger says is so in the house, unless another state is made up", async () => {
    const asks = `${MOTION}[[conditions]]\ntype = "device_state"\ndevice_id = "motion"\nattribute = "motion"\nvalue = true\n${set(true)}`;
    expect((await rig.test(asks)).trace.outcome).toBe("fired");
    const made = await rig.test(asks, { devices: { motion: { motion: false } } });
    expect(made.trace.outcome).toBe("conditions_failed");
  });

  test("a device that is not there is refused", async () => {
    await expect(rig.test(rule, { devices: { dor: { open: true } } })).rejects.toThrow(
      'devices: there is no device "dor", and the rule names none',
    );
  });
});

describe("bounds", () => {
  test("an endless loop ends with the reason", async () => {
    const loop = (actions: string): string =>
      `${MOTION}[[actions]]\ntype = "repeat_while"\nexpression = "true"\nmax_turns = 10000\nactions = [${actions}]`;
    const inner = `{ type = "repeat_while", expression = "true", max_turns = 10000, actions = [{ type = "delay", duration_secs = 1 }] }`;
    const { trace } = await rig.test(loop(inner), { at: AT });
    expect(trace.why).toContain("the test ended after 30000 steps: it may never end by itself");
    expect(JSON.stringify(trace).length).toBeLessThan(300_000);
    expect(trace.omittedActions).toBeGreaterThan(10_000);
    const { trace: other } = await rig.test(loop('{ type = "comment", text = "x" }'), { at: AT });
    expect(other.why).toContain("stopped after 10000 turns");
  });

  test("a run of more than a year ends there", async () => {
    const { trace } = await rig.test(MOTION + delay(31_000_000) + delay(31_000_000) + set(true), { at: AT });
    expect(trace.why).toContain("the test ended here: it runs for more than a year");
    expect(trace.actions.map(({ result }) => result)).toEqual(["ok", "cancelled"]);
  });

  test("a wait of half a year for an expression is quick", async () => {
    const rule = `${MOTION}[[actions]]\ntype = "wait_for_expression"\nexpression = "hub_var('never') == 1"\ntimeout_secs = 15000000\n${set(true)}`;
    const began = performance.now();
    const { trace } = await rig.test(rule, { at: AT, variables: { never: 0 } });
    expect(trace.actions.map(({ type }) => type)).toEqual(["wait_for_expression", "set_device_state"]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

test("what cannot be known is said", async () => {
  rig.house.scenes.add("evening");
  rig.house.put("fan", { available: false });
  const rule = `${MOTION}
    [[actions]]
    type = "activate_scene"
    scene_id = "evening"
    [[actions]]
    type = "call_service"
    url = "https://example.com/"
    method = "GET"
    [[actions]]
    type = "run_rule"
    rule_id = "other"
    [[actions]]
    type = "set_device_state"
    device_id = "fan"
    state = { command = "boost" }`;
  const { trace, unknown } = await rig.test(rule);
  expect(trace.actions.map(({ result }) => result)).toEqual(["ok", "ok", "ok", "ok"]);
  expect(unknown).toEqual([
    "what services answer: each was taken to answer 200 without a text",
    "what the rules do that it runs: try them out as well",
    'what the scene "evening" changes: nothing was taken to change',
    '"fan" is not available now: it was taken to do what it is told',
    'what the command "boost" changes at "fan": nothing was taken to change',
  ]);
});

describe("in simulated time", () => {
  const action = (type: string, fields: string): string => `[[actions]]\ntype = "${type}"\n${fields}\n`;

  test("wait_for_trigger takes the time of its triggers, and receives what is made up", async () => {
    const rule = `${MOTION}${action(
      "wait_for_trigger",
      `timeout_secs = 7200\non_timeout = "continue"
       triggers = [{ type = "device_state_changed", device_id = "door", attribute = "open", to = false, for_duration_secs = 300 }]`,
    )}${set(true)}`;
    const timedOut = await rig.test(rule, { at: AT });
    expect(timedOut.trace.endedAt).toBe(AT + 7_200_000);
    const changes = [
      { afterSecs: 60, devices: { door: { open: false } } },
      { afterSecs: 120, devices: { door: { open: true } } },
      { afterSecs: 600, devices: { door: { open: false } } },
    ];
    const { trace } = await rig.test(rule, { at: AT, changes });
    expect(trace.endedAt).toBe(AT + 900_000);
    expect(trace.actions[0]?.detail).toEndWith("came");
  });

  test("an expression that must stay true for a while is waited for", async () => {
    const rule = `${MOTION}${action(
      "wait_for_expression",
      `expression = "!device_state('door').open"\nfor_duration_secs = 30\ntimeout_secs = 600\non_timeout = "exit"`,
    )}${set(true)}`;
    const changes = [
      { afterSecs: 10, devices: { door: { open: false } } },
      { afterSecs: 20, devices: { door: { open: true } } },
      { afterSecs: 40, devices: { door: { open: false } } },
    ];
    const { trace } = await rig.test(rule, { at: AT, changes });
    expect(trace.endedAt).toBe(AT + 70_000);
  });

  test("devices of an area are those of the house, with what is made up and what the rule does", async () => {
    rig.house.put("lamp", { area: "hall", deviceType: "light", attributes: { on: false } });
    rig.house.put("spot", { area: "hall", deviceType: "light", attributes: { on: false } });
    const rule = `${MOTION}${action("set_device_state", 'area = "hall"\ndevice_type = "light"\nstate = { on = true }')}
      ${action("conditional", `condition = "devices('hall', 'light').all(l, device_state(l.id).on)"\nthen_actions = [{ type = "comment", text = "all on" }]`)}`;
    const { trace } = await rig.test(rule, { at: AT });
    expect(trace.actions.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(trace.actions[0]?.detail).toBe('lamp, spot {"on":true}');
    expect(trace.actions[1]?.parts).toHaveLength(1);
    expect(rig.house.done.commands).toEqual([]);
  });

  test("private booleans begin as they are, and what the test sets stays in it", async () => {
    const real = new Map([["armed", true]]);
    const privateBooleans = {
      get: (name: string) => real.get(name) ?? false,
      set: (name: string, value: boolean) => void real.set(name, value),
    };
    const rule = `${MOTION}
      [[conditions]]
      type = "private_boolean_is"
      name = "armed"
      value = true
      ${action("set_private_boolean", 'name = "armed"\nvalue = false')}`;
    const { trace } = await rig.test(rule, { at: AT }, { privateBooleans });
    expect(trace.outcome).toBe("fired");
    expect(real.get("armed")).toBe(true);
    expect((await rig.test(rule, { at: AT })).trace.outcome).toBe("conditions_failed");
  });

  test("nothing is pinged and no rule is run or stopped, and the trace goes on as if", async () => {
    const rule = `${MOTION}
      ${action("ping_host", 'host = "192.168.1.1"\nthen_actions = [{ type = "comment", text = "it answers" }]')}
      ${action("run_rule", 'rule_id = "other"\nparameters = { level = "{{= 1 + 1 }}" }\nwait = true')}
      ${action("stop_rule_chain", "")}
      ${action("fade_device", 'device_id = "lamp"\nattribute = "level"\nto = 20\nduration_secs = 10\nsteps = 5')}`;
    const { trace, unknown } = await rig.test(rule, { at: AT });
    expect(trace.actions.map(({ result, error }) => error ?? result)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(trace.actions[0]?.detail).toBe("192.168.1.1 answers");
    expect(trace.endedAt).toBe(AT + 10_000);
    expect(unknown).toContain("whether what it pings answers: it was taken to answer");
  });

  test("the run ends when its conditions no longer hold, where the rule wants that", async () => {
    const rule = `cancel_on_false = true\n${MOTION}
      [[conditions]]
      type = "device_state"
      device_id = "door"
      attribute = "open"
      value = true
      ${delay(600)}${set(true)}`;
    const { trace } = await rig.test(rule, {
      at: AT,
      changes: [{ afterSecs: 60, devices: { door: { open: false } } }],
    });
    expect(trace.endedAt).toBe(AT + 60_000);
    expect(trace.why).toContain("cancelled, because its conditions no longer hold");
  });

  test("a device that is not available takes what is sent, unless the rule says that this fails", async () => {
    rig.house.put("lamp", { available: false, attributes: { on: false } });
    const strict = set(true).replace("state =", 'offline = "fail"\nstate =');
    const { trace } = await rig.test(MOTION + set(true) + strict, { at: AT });
    expect(trace.actions.map(({ result }) => result)).toEqual(["ok", "failed"]);
  });
});
