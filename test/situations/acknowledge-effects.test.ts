// [standby] acknowledge = "standby": what leaves the house because of a change (a message, a call of a service, `rule_fired`, what a chat
// is answered) leaves it when the second machine has that change. The second machine and Telegram are the tests' own.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connectAsync, type MqttClient } from "mqtt";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { type FakeTelegram, serveTelegram } from "../reach/notify/notices/fake-telegram.ts";
import { ANNA, CONFIRM } from "../reach/notify/notices/house.ts";
import { chatChannel, hookedRule, hookOf } from "../reach/notify/notices/rule-texts.ts";
import { type FakeStandby, followAs } from "../support/fake-standby.ts";
import { createTestStanding } from "../support/fake-standing.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

const OTHER = { id: "machine-b", name: "attic", address: "http://192.168.1.21:8080" };

/** Sets a variable, switches a lamp, and notifies a service and Anna. */
const LEAVE = hookedRule(
  "leave",
  `[[actions]]
type = "set_hub_variable"
name = "left"
expression = "trigger.body.count"
[[actions]]
type = "set_device_state"
device_id = "lamp"
state = { on = false }
[[actions]]
type = "call_service"
url = "http://service.test/left"
[[actions]]
type = "notify"
channel = "anna"
message = "Left"
`,
);

const ASK = hookedRule(
  "ask",
  `[[actions]]
type = "notify"
channel = "anna"
message = "Water"
actions = [{ id = "valve", label = "Close the valve" }]
`,
);

const folder = createTemporaryFolder();
const telegram: FakeTelegram = serveTelegram();
/** What was asked of the world outside, with what the second machine had at that moment. */
let left: { method: string; variable: unknown; answered: unknown }[] = [];
let hub: TestHub;
let lamp: MqttClient;
let commands = 0;
let standby: FakeStandby;

const world = (async (input: string | URL | Request, init?: RequestInit) => {
  const url = input instanceof Request ? input.url : String(input);
  const method = url.split("/").at(-1) ?? "";
  if (method !== "getUpdates") left.push({ method, ...atSecond() });
  return url.startsWith("http://service.test/") ? new Response("ok") : fetch(input, init);
}) as typeof fetch;

/** Of the copy, as it is at this moment. */
function atSecond(): { variable: unknown; answered: unknown } {
  const bytes = readFileSync(standby.copy.stateDb);
  // Not written ahead: there is no such file for bytes.
  bytes.fill(1, 18, 20);
  using db = Database.deserialize(bytes);
  const first = (query: string): unknown => Object.values(db.query(query).get() ?? {})[0];
  return {
    variable: first("SELECT value FROM variables WHERE name = 'left'"),
    answered: first("SELECT count(*) FROM notices WHERE state = 'acknowledged'"),
  };
}

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  return hub.request(method, path, { token: hub.adminToken, ...(body !== undefined && { body }) });
}

async function fired(rule: string): Promise<number> {
  const events = (await (await ask("GET", "/events?type=rule_fired&limit=100")).json()) as JsonObject[];
  return events.filter((event) => JSON.stringify(event).includes(`"${rule}"`)).length;
}

const call = (count: number): Promise<Response> => hub.request("POST", hookOf("leave"), { body: { count } });

beforeAll(async () => {
  const toml = `[standby]\nacknowledge = "standby"\n${chatChannel(telegram, "anna", 7)}`;
  await Bun.write(folder.at("config", "hub.toml"), toml);
  hub = await startTestHub({ toml, folder, fetch: world, standing: createTestStanding(systemClock) });
  lamp = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, keepalive: 0 });
  lamp.on("message", () => commands++);
  await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await lamp.publishAsync("hub/devices/lamp/state", '{"on":true}', { qos: 1, retain: true });
  await until("the device", async () => (await ask("GET", "/devices/lamp")).status === 200);
  for (const rule of [LEAVE, ASK]) expect((await ask("POST", "/rules", Bun.TOML.parse(rule))).status).toBe(201);
  const paired = await ask("POST", "/standby/pair", { machine: OTHER });
  const { key } = (await paired.json()) as { key: string };
  standby = followAs(OTHER, { api: hub.api, key, folder: folder.at("copy") });
});
beforeEach(async () => {
  standby.follows = true;
  await until("it confirms", async () => (await ask("PUT", "/variables/ready", { value: 1 })).status === 200);
  left = [];
});
afterAll(async () => {
  await standby[Symbol.asyncDispose]();
  await lamp.endAsync(true);
  await hub[Symbol.asyncDispose]();
  telegram[Symbol.dispose]();
  folder[Symbol.dispose]();
});

test("a webhook's caller, a service and a chat learn of what a rule set when the second machine has it", async () => {
  for (let count = 1; count <= 10; count++) {
    const before = telegram.texts("7").length;
    const answer = await call(count);
    expect([answer.status, atSecond().variable]).toEqual([202, String(count)]);
    await until("Anna is notified", () => telegram.texts("7").length > before);
    expect(left.map(({ method, variable }) => [method, variable])).toEqual([
      ["left", String(count)],
      ["sendMessage", String(count)],
    ]);
    left = [];
  }
});

test("while the second machine is silent the lamp goes at once, and nobody is notified before it is back or three seconds are over", async () => {
  standby.follows = false;
  const [seen, before] = [commands, await fired("leave")];
  const answer = call(50);
  await until("the lamp is switched", () => commands > seen);
  expect([left, await fired("leave")]).toEqual([[], before]);
  standby.follows = true;
  expect((await answer).status).toBe(202);
  await until("it has fired", async () => (await fired("leave")) > before);
  expect(left.every(({ variable }) => variable === "50")).toBe(true);
});

test("a second machine that stays away: the rule goes on after three seconds, and its caller reads that it is here alone", async () => {
  standby.follows = false;
  const before = telegram.texts("7").length;
  const answer = await call(60);
  expect([answer.status, await answer.json()]).toEqual([504, expect.objectContaining({ code: "unconfirmed" })]);
  await until("Anna is notified", () => telegram.texts("7").length > before);
});

test("who presses a button is thanked, and the message changes, when the second machine has the answer", async () => {
  const press = async (): Promise<string | undefined> => {
    await hub.request("POST", hookOf("ask"), { body: {} });
    // Not what the tests before have sent.
    const asked = () => telegram.messages.findLast(({ buttons }) => buttons[CONFIRM] !== undefined);
    await until("Anna is asked", () => asked() !== undefined);
    const message = asked();
    if (!message) throw new Error("no message");
    left = [];
    const id = telegram.press(message, CONFIRM, ANNA);
    await until("the press is answered", () => telegram.answers.has(id) && message.edits > 0);
    return telegram.answers.get(id);
  };
  expect(await press()).toContain("Confirmed");
  expect(left.map(({ method, answered }) => [method, answered]).sort()).toEqual([
    ["answerCallbackQuery", 1],
    ["editMessageText", 1],
  ]);
  standby.follows = false;
  expect(await press()).toContain("second machine does not have it yet");
});
