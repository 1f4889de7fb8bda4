// "Why did it not turn on?" For every reason, the answer that the hub gives: in one place and in one sentence.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connectAsync, type MqttClient } from "mqtt";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const MODES = '[[modes]]\nid = "away"\nname = "Nobody at home"\nkind = "manual"\n';
// Ten at night in Berlin.
const EVENING = Date.parse("2026-11-21T21:00:00Z");
const PATH = "/rules/light";

const folder = createTemporaryFolder();
const clock = createVirtualClock(EVENING);
let hub: TestHub;
let house: MqttClient;

beforeAll(async () => {
  await Bun.write(folder.at("config", "modes.toml"), MODES);
  hub = await startTestHub({
    folder,
    clock,
    toml: `[location]\nlatitude = 52.52\nlongitude = 13.405\ntimezone = "Europe/Berlin"\n`,
  });
  house = await connectAsync({
    host: "127.0.0.1",
    port: hub.mqttPort,
    reconnectPeriod: 0,
    keepalive: 0,
    clientId: "house",
  });
});
afterAll(async () => {
  house.end(true);
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

beforeEach(async () => {
  await say("hall_lamp/availability", "online");
  await say("hall_lamp/state", { on: false });
  await say("hall_motion/state", { motion: false, lux: 5 });
});

interface TraceBody {
  outcome: string;
  why: string;
  trigger: { label: string };
  conditions: { type: string; passed: boolean; expected: string; actual: unknown; error?: string }[];
  actions: { type: string; result: string; error?: string }[];
}

interface RuleBody {
  state: string;
  running_version: string;
  fire_count: number;
  error?: { line: number; column: number; message: string };
  warnings: { message: string }[];
  last_error: { message: string } | null;
}

async function ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text === "" ? "{}" : text) as T;
}

const say = (topic: string, payload: object | string) =>
  house.publishAsync(`hub/devices/${topic}`, typeof payload === "string" ? payload : JSON.stringify(payload), {
    qos: 1,
  });

/** Saves the rule of the lamp; it is in effect a second later. */
async function rule(
  more: string,
  actions = `SetDeviceState(device_id: "hall_lamp", state: (on: true))`,
): Promise<void> {
  await save(`(
    id: "light",
    name: "Light in the hall",
    trigger: DeviceStateChanged(device_id: "hall_motion", attribute: "motion", to: true),
    ${more}
    actions: [${actions}],
)`);
}

async function save(text: string): Promise<void> {
  writeFileSync(folder.at("rules", "light.ron"), `${text}\n// saved at ${clock.mono()}\n`);
  await clock.advance(1500);
}

/** Somebody walks through the hall. Returns the newest trace. */
async function walk(): Promise<TraceBody> {
  await move();
  const [trace] = await traces();
  if (!trace) throw new Error("there is no trace");
  return trace;
}

async function move(): Promise<void> {
  const before = await moved();
  await say("hall_motion/state", { motion: false, lux: 5 });
  await say("hall_motion/state", { motion: true, lux: 5 });
  await until("the motion is known", async () => (await moved()) > before);
  await clock.advance(0);
}

const traces = () => ask<TraceBody[]>("GET", `${PATH}/traces`);

/** How often motion began. */
async function moved(): Promise<number> {
  const events = await ask<{ current: { motion: boolean } }[]>(
    "GET",
    "/events?type=device_state_changed&device_id=hall_motion&limit=1000",
  );
  return events.filter(({ current }) => current.motion).length;
}

test("without any reason it does turn on", async () => {
  await rule("conditions: [],");
  const trace = await walk();
  expect(trace).toMatchObject({ outcome: "fired", actions: [{ type: "set_device_state", result: "ok" }] });
  expect(trace.why).toBe("hall_motion.motion to true; there are no conditions");
});

// Further fields of the rule, and the sentence.
const CONDITIONS: [string, string, string][] = [
  [
    "it is too light",
    `[DeviceState(device_id: "hall_motion", attribute: "lux", op: Lt, value: 5)]`,
    "hall_motion.lux was 5, must be below 5",
  ],
  ["the wrong mode", `[ModeIs(mode_id: "away")]`, "mode away was off, must be on"],
  [
    "the lamp has not been off for long enough",
    `[TimeElapsed(device_id: "hall_lamp", attribute: "on", duration_secs: 3600)]`,
    "hall_lamp.on was unchanged for ",
  ],
  ["not at this time of day", `[TimeWindow(start: "06:30", end: "21:00")]`, "it was sat 22:"],
  ["the sun", `[Sun(position: "above_horizon")]`, "the sun was below the horizon, must be above the horizon"],
  [
    "a device that is not there",
    `[DeviceState(device_id: "garden", attribute: "lux", value: 1)]`,
    'there is no device "garden"; wanted: garden.lux is 1',
  ],
  [
    "an attribute that is not there",
    `[DeviceState(device_id: "hall_motion", attribute: "luxx", value: 1)]`,
    'the device "hall_motion" has no "luxx"; wanted: hall_motion.luxx is 1',
  ],
  [
    "a variable that is not there",
    `[HubVariable(name: "guests", op: Gt, value: 0)]`,
    'there is no variable "guests"; wanted: variable guests is above 0',
  ],
  [
    "an expression that is false",
    `[Expression(expression: "current_hour() < 12")]`,
    "current_hour() < 12 was false, must be true",
  ],
  [
    "an expression that fails",
    `[Expression(expression: "device_state('garden').lux < 3.0")]`,
    "device_state('garden').lux < 3.0 could not be evaluated: there is no device \"garden\"",
  ],
  [
    "two reasons at once",
    `[ModeIs(mode_id: "away"), ModeIs(mode_id: "away", on: false), Expression(expression: "false")]`,
    "mode away was off, must be on; 1 more did not pass",
  ],
  [
    "nested: one of several",
    `[Or([ModeIs(mode_id: "away"), Expression(expression: "false")])]`,
    'mode away was off, must be on; or false was false, must be true (in "or")',
  ],
];

for (const [reason, conditions, sentence] of CONDITIONS)
  test(`a condition: ${reason}`, async () => {
    await rule(`conditions: ${conditions},`);
    const trace = await walk();
    expect(trace.outcome).toBe("conditions_failed");
    expect(trace.why).toStartWith(sentence);
    expect(trace.actions).toEqual([]);
  });

test("trigger_condition and required_expression are explained like any other condition", async () => {
  await rule(`trigger_condition: "trigger.value == 'no'",`);
  expect((await walk()).why).toBe("trigger_condition trigger.value == 'no' was false, must be true");
  await rule(`required_expression: "mode('away')",`);
  expect((await walk()).why).toBe("required_expression mode('away') was false, must be true");
});

test("the cooldown, with the time left", async () => {
  await rule("cooldown_secs: 600,");
  // It fired in other tests.
  await clock.advance(600_000);
  expect((await walk()).outcome).toBe("fired");
  await clock.advance(200_000);
  expect(await walk()).toMatchObject({
    outcome: "cooldown",
    why: "it fired 200 s ago and has a cooldown of 600 s: another 400 s",
  });
  await clock.advance(399_999);
  expect((await walk()).why).toBe("it fired 599.999 s ago and has a cooldown of 600 s: another 0.001 s");
  await clock.advance(1);
  expect((await walk()).outcome).toBe("fired");
});

test("paused, for how long", async () => {
  await rule("");
  await ask("POST", `${PATH}/pause`, { duration_secs: 60 });
  expect(await walk()).toMatchObject({ outcome: "paused", why: "it is paused for another 60 s" });
  expect(await ask<RuleBody>("GET", PATH)).toMatchObject({ state: "paused" });
  await ask("POST", `${PATH}/pause`);
  expect((await walk()).why).toBe("it is paused until it is resumed");
  await ask("POST", `${PATH}/resume`);
  expect((await walk()).outcome).toBe("fired");
});

test("disabled: nothing triggers it, and the rule itself says why", async () => {
  await rule("enabled: false,");
  const { length } = await traces();
  await move();
  expect(await traces()).toHaveLength(length);
  expect(await ask<RuleBody>("GET", PATH)).toMatchObject({ state: "disabled", enabled: false });
  // A test of the rule still shows what it would do.
  expect(await ask<TraceBody>("POST", `${PATH}/test`)).toMatchObject({ outcome: "fired", dry_run: true });
});

test("the lamp does not answer: it fired, and the action says what is wrong", async () => {
  await rule("", `SetDeviceState(device_id: "hall_lamp", state: (on: true), offline: "fail")`);
  await say("hall_lamp/availability", "offline");
  await until(
    "it is known",
    async () => (await ask<{ available: boolean }>("GET", "/devices/hall_lamp")).available === false,
  );
  const trace = await walk();
  expect(trace).toMatchObject({ outcome: "fired", actions: [{ result: "failed" }] });
  expect(trace.why).toStartWith(
    'hall_motion.motion to true; there are no conditions; set_device_state failed: the device "hall_lamp" is not available',
  );
  expect(trace.actions[0]?.error).toStartWith('the device "hall_lamp" is not available');
  expect((await ask<RuleBody>("GET", PATH)).last_error?.message).toContain('"hall_lamp" is not available');
  const [failed] = await ask<{ rule_id: string; action_type: string; error: string }[]>(
    "GET",
    "/events?type=action_failed",
  );
  expect(failed).toMatchObject({ rule_id: "light", action_type: "set_device_state" });
});

test("a lamp that does not exist: the rule has a warning, and the action fails", async () => {
  await rule("", `SetDeviceState(device_id: "hall_lmap", state: (on: true))`);
  const { warnings } = await ask<RuleBody>("GET", PATH);
  expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('there is no device "hall_lmap"')]);
  const { actions } = await walk();
  expect(actions[0]).toMatchObject({ result: "failed", error: expect.stringContaining('"hall_lmap"') });
});

test("its last run is not over", async () => {
  const actions = `SetDeviceState(device_id: "hall_lamp", state: (on: true)), Delay(300)`;
  await rule(`run_mode: "single",`, actions);
  expect((await walk()).outcome).toBe("fired");
  expect(await walk()).toMatchObject({ outcome: "busy", why: "its last run is not over, and its run mode is single" });
  await clock.advance(300_000);
  expect((await walk()).outcome).toBe("fired");
  await clock.advance(300_000);
  await rule(`run_mode: "queued", max_queued: 1,`, actions);
  for (const outcome of ["fired", "fired", "busy"]) expect((await walk()).outcome).toBe(outcome);
  expect((await traces())[0]?.why).toBe("its last run is not over, and its queue of 1 is full");
});

test("an action after a delay that was cancelled by a change of the file", async () => {
  const lamp = `SetDeviceState(device_id: "hall_lamp", state: (on: true))`;
  await rule("", `Delay(60), ${lamp}`);
  await walk();
  await rule("", `Delay(61), ${lamp}`);
  const [trace] = await traces();
  expect(trace?.why).toEndWith("; cancelled: its actions were changed");
  expect(trace?.actions).toMatchObject([{ type: "delay", result: "cancelled" }]);
});

test("a disabled action, and one that ends the run early", async () => {
  const lamp = `SetDeviceState(device_id: "hall_lamp", state: (on: true))`;
  await rule("", `RuleAction(enabled: false, action: ${lamp})`);
  expect((await walk()).actions).toMatchObject([{ type: "set_device_state", result: "skipped" }]);
  await rule("", `ExitRule(reason: "the guests sleep"), ${lamp}`);
  const trace = await walk();
  expect(trace.actions).toHaveLength(1);
  expect(trace.why).toContain("the guests sleep");
});

test("a broken file: the previous version runs, and the rule says what to fix", async () => {
  await rule("conditions: [],");
  await save(
    `(\n  id: "light",\n  name: "Light in the hall",\n  trigger: DeviceStateChanged(device: "hall_motion"),\n)`,
  );
  expect(await ask<RuleBody>("GET", PATH)).toMatchObject({
    ...{ state: "broken", running_version: "last_good" },
    error: { line: 4, column: 31, message: expect.stringContaining('unknown key "device"') },
  });
  expect((await walk()).outcome).toBe("fired");
});

test("nothing triggered it: no trace, and the events show what the sensor reported", async () => {
  await rule("");
  const { length } = await traces();
  await say("hall_motion/state", { motion: false, lux: 4 });
  await until("it is known", async () => {
    const [event] = await ask<{ changed: string[] }[]>(
      "GET",
      "/events?type=device_state_changed&device_id=hall_motion&limit=1",
    );
    return event?.changed.includes("lux");
  });
  expect(await traces()).toHaveLength(length);
  const would = await ask<TraceBody>("POST", `${PATH}/test`, {
    trigger: { context: { device_id: "hall_motion", attribute: "motion", value: true } },
  });
  expect(would.outcome).toBe("fired");
});
