// In a whole hub: whatever a rule is made of, trying it moves nothing. Every trigger, condition and action there is, as rule-samples.ts
// writes them, is tested and replayed over the API, and devices, variables, modes, timers, scenes, rules, topics, events, messages and
// requests are afterwards what they were. That such a rule really run moves each of them shows that this looks.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { connectAsync, type MqttClient } from "mqtt";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import type { Typed } from "../../src/rules/model/define.ts";
import type { Kind } from "../../src/rules/model/fields.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";
import { allTypes, samplesOf } from "./rule-samples.ts";

const CONFIG = `
[discovery]
anonymous = true
[[notify.channels]]
name = "board"
type = "webhook"
url = "https://board.home.example/messages"
`;
const BARRIER = "test/barrier";
// All of them run in simulated-houses.test.ts, which takes less time for each.
const MAX_SAMPLES = 5;
/** One of each door. */
const MOVING: readonly Typed[] = [
  { type: "set_device_state", device_id: "lamp", state: { on: true } },
  { type: "timer", device_id: "kettle", command: "start", duration_secs: 60 },
  { type: "set_mode", mode_id: "away", on: true },
  { type: "set_hub_variable", name: "count", value: 9 },
  { type: "activate_scene", scene_id: "evening" },
  { type: "publish_mqtt", topic: "cmnd/plug/POWER", payload: "ON" },
  { type: "notify", channel: "board", message: "here" },
  { type: "call_service", url: "https://service.home.example/api" },
  { type: "fire_event", event_type: "doorbell" },
  { type: "pause_rule", rule_id: "other", duration_secs: 60 },
  { type: "log_message", message: "it ran" },
];

const folder = createTemporaryFolder();
const clock = createVirtualClock();
const requests: string[] = [];
const messages: string[] = [];
let hub: TestHub;
let others: MqttClient;
let barriers = 0;

async function ask<T = JsonObject>(method: string, path: string, body?: unknown): Promise<T> {
  const sent = { token: hub.adminToken, ...(body === undefined ? {} : { body }) };
  const response = await hub.request(method, path, sent);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text === "" ? "{}" : text) as T;
}

/** What was sent before has arrived. */
async function settle(): Promise<void> {
  const barrier = `${BARRIER} ${++barriers}`;
  await clock.advance(0);
  await others.publishAsync(BARRIER, String(barriers), { qos: 1 });
  await until("the barrier is back", () => messages.includes(barrier), { everyMs: 1 });
}

/** All that a rule could move. */
async function house(): Promise<Record<string, unknown>> {
  await settle();
  const paths = [
    "/devices",
    "/variables",
    "/modes",
    "/timers",
    "/scenes",
    "/rules",
    "/notify/outbox",
    "/events?limit=1",
  ];
  const answers = await Promise.all(paths.map(async (path) => [path, await ask<unknown>("GET", path)] as const));
  const received = messages.filter((message) => !message.startsWith(BARRIER));
  const log = hub.platform.stdout.text.split("\n").filter((line) => line !== "").length;
  return { ...Object.fromEntries(answers), messages: received, requests: [...requests], log };
}

beforeAll(async () => {
  mkdirSync(folder.at("config"));
  writeFileSync(folder.at("config", "modes.toml"), `[[modes]]\nid = "away"\nname = "Away"\nkind = "manual"\n`);
  const network = async (input: string | URL | Request): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    requests.push(url);
    // What is not taken stays in the outbox.
    return new Response("{}", { status: url.includes("board") ? 503 : 200 });
  };
  const fetching = Object.assign(network, { preconnect: fetch.preconnect });
  hub = await startTestHub({ folder, clock, toml: CONFIG, fetch: fetching });
  others = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, keepalive: 0 });
  others.on("message", (topic, payload) => void messages.push(`${topic} ${payload}`));
  await others.subscribeAsync("#", { qos: 1 });
  await others.publishAsync("hub/devices/lamp/state/partial", `{"on":false,"brightness":10}`, { qos: 1 });
  await settle();
  await ask("PATCH", "/devices/lamp", { area: "hall", tags: ["downstairs"] });
  await ask("POST", "/timers", { id: "kettle", name: "Kettle" });
  await ask("PUT", "/variables/count", { value: 1 });
  await ask("PUT", "/variables/step", { value: 1 });
  await ask("POST", "/scenes", { id: "evening", name: "Evening", states: { lamp: { on: true } } });
  await ask("POST", "/rules", { id: "other", name: "Other", actions: MOVING });
});
afterAll(async () => {
  others?.end(true);
  await hub?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface TriedRule {
  id: string;
  name: string;
  enabled: boolean;
  triggers: readonly Typed[];
  actions: readonly Typed[];
}

/** A rule of all samples of a type; disabled, as nothing but the test is to trigger it. */
function ruleAbout(kind: Kind, type: string): TriedRule {
  const samples = samplesOf(kind, type).slice(0, MAX_SAMPLES);
  const move: Typed[] = [{ type: "set_device_state", device_id: "lamp", state: { on: true } }];
  const asked = samples.map((one) => ({
    type: "conditional",
    conditions: [one],
    then_actions: move,
    else_actions: move,
  }));
  return {
    id: `${kind}-${type}`,
    name: type,
    enabled: false,
    triggers: kind === "trigger" ? samples : [],
    actions: kind === "action" ? samples : kind === "condition" ? asked : move,
  };
}

const rules = allTypes.map(({ kind, type }) => ruleAbout(kind, type));

/** As each of its triggers would do it. */
async function tryOut({ id, triggers }: TriedRule): Promise<void> {
  for (const index of triggers.length === 0 ? [undefined] : triggers.keys()) {
    const wanted = index === undefined ? {} : { trigger: { index } };
    const path = `/rules/${id}/test`;
    const { outcome, actions } = await ask<{ outcome: string; actions: unknown[] }>("POST", path, wanted);
    expect({ id, index, outcome, ran: actions.length > 0 }).toEqual({ id, index, outcome: "fired", ran: true });
  }
}

test("nothing that a rule can be made of reaches the house when it is tried", async () => {
  for (const rule of rules) await ask("POST", "/rules", rule);
  const before = await house();
  for (const rule of rules) await tryOut(rule);
  expect(await house()).toEqual(before);
}, 120_000);

test("nor when it is replayed", async () => {
  const before = await house();
  const triggers = [{ type: "time_of_day", time: "10:00" }];
  for (const kind of ["condition", "action"]) {
    const actions = rules.filter(({ id }) => id.startsWith(kind)).flatMap(({ actions }) => actions);
    const goingOn = actions.filter(({ type }) => type !== "exit_rule");
    const replay = await ask<{ firings: { at: string }[] }>("POST", "/rules/replay", {
      rule: { name: "Tried", triggers, actions: goingOn },
      from: new Date(clock.now() - 86_400_000).toISOString(),
      to: new Date(clock.now()).toISOString(),
    });
    expect({ kind, fired: replay.firings.length }).toEqual({ kind, fired: 1 });
    expect(await house()).toEqual(before);
  }
}, 60_000);

test("but it moves all of that when it is run", async () => {
  const before = await house();
  await ask("POST", "/rules/other/run");
  const ranToItsEnd = async (): Promise<boolean> => {
    await clock.advance(100);
    return hub.platform.stdout.text.includes("it ran");
  };
  await until("all of it is done", ranToItsEnd, { everyMs: 1 });
  const after = await house();
  const same = Object.keys(before).filter((part) => Bun.deepEquals(before[part], after[part]));
  // No action changes what a scene is.
  expect(same).toEqual(["/scenes"]);
});
