// A person's new name for an attribute: the plugin goes on with its own, and the device, rules, scenes and history have the new one.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import mqtt, { type MqttClient } from "mqtt";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import { story } from "../support/story.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

const RULE = `(
    id: "33333333-3333-4333-8333-333333333333",
    name: "Spins",
    trigger: DeviceStateChanged(device_id: "washer", attribute: "value_2"), // value_2 stays here
    conditions: [Expression(expression: "device('washer').value_2 > 100 && device('other').value_2 == 1")],
    actions: [LogMessage(message: "{{device.value_2}}")],
)
`;
const toml = `[history]
exclude = ["*/value_2x", "other/value_2"]
[[mqtt.users]]
username = "box"
password = "box-password"
publish = ["hub/#"]
subscribe = ["hub/#"]
`;
const folder = createTemporaryFolder();
let hub: TestHub;
let box: MqttClient;
const received: JsonObject[] = [];

interface Answer {
  attributes: JsonObject;
  states: JsonObject;
  places: JsonObject[];
}

async function start(admin?: TestHub["admin"]): Promise<void> {
  hub = await startTestHub({ folder, toml, ...(admin && { admin }) });
  box = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { username: "box", password: "box-password" });
  box.on("message", (_, payload) => received.push(JSON.parse(payload.toString())));
  await box.subscribeAsync("hub/devices/washer/cmd");
}
async function restart(): Promise<void> {
  const { admin } = hub;
  await box.endAsync();
  await hub[Symbol.asyncDispose]();
  await start(admin);
}
const say = (device: string, state: JsonObject) =>
  box.publishAsync(`hub/devices/${device}/state`, JSON.stringify(state), { qos: 1 });
const ask = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }> => {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...(body !== undefined && { body }) });
  return { status: answer.status, body: (await answer.json().catch(() => undefined)) as Answer };
};
const rename = (from: string, name: string, dry = false) =>
  ask("PATCH", `/devices/washer/attributes/${from}?dry_run=${dry}`, { name });
const values = async (): Promise<JsonObject> => (await ask("GET", "/devices/washer")).body.attributes;

beforeAll(async () => {
  mkdirSync(folder.at("rules"), { recursive: true });
  writeFileSync(folder.at("rules", "spins.ron"), RULE);
  await start();
  await say("washer", { value: 1, value_2: 400, name: "x" });
  await say("other", { value_2: 1 });
  await until("both", async () => (await ask("GET", "/devices/other")).status === 200);
  await ask("POST", "/scenes", { id: "calm", name: "Calm", states: { washer: { value_2: 0, value: 1 } } });
});
afterAll(async () => {
  await box.endAsync();
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
const step = story("a washing machine's value_2 becomes spin_speed");

step("a dry run lists the places and changes nothing", async () => {
  const { status, body } = await rename("value_2", "spin_speed", true);
  expect(status).toBe(200);
  expect(body.places.map(({ kind, name }: JsonObject) => [kind, name])).toEqual([
    ["rule", "Spins"],
    ["scene", "Calm"],
    ["history", "washer/spin_speed"],
  ]);
  expect(await values()).toHaveProperty("value_2", 400);
});

step("bad names are refused", async () => {
  const status = async (from: string, to: string) => (await rename(from, to)).status;
  expect(await status("nothing", "x")).toBe(404);
  expect(await status("value_2", "value_2")).toBe(400);
  expect(await status("value_2", "spin speed")).toBe(400);
  expect(await status("value_2", "command")).toBe(400);
  expect(await status("value_2", "open")).toBe(400);
  expect(await status("value_2", "value")).toBe(409);
  expect(
    (
      await hub.request("PATCH", "/devices/washer/attributes/value_2", {
        token: await hub.tokenFor("user"),
        body: { name: "y" },
      })
    ).status,
  ).toBe(403);
});

step("a rule that is changed on the disk meanwhile is no reason to lose anything", async () => {
  writeFileSync(folder.at("rules", "spins.ron"), RULE.replace("Spins", "Spins fast"));
  const { status } = await rename("value_2", "spin_speed");
  if (status !== 200) expect(await values()).toHaveProperty("value_2", 400);
  else expect(readFileSync(folder.at("rules", "spins.ron"), "utf8")).toContain("Spins fast");
  if (status !== 200)
    await until("the rule is read", async () => (await rename("value_2", "spin_speed")).status === 200);
});

step("all have the new name, and what is another's stays", async () => {
  expect(await values()).toEqual({ value: 1, spin_speed: 400, name: "x" });
  const text = readFileSync(folder.at("rules", "spins.ron"), "utf8");
  expect(text).toContain('attribute: "spin_speed"), // value_2 stays here');
  expect(text).toContain("device('washer').spin_speed > 100 && device('other').value_2 == 1");
  expect(text).toContain("{{device.spin_speed}}");
  expect((await ask("GET", "/scenes/calm")).body.states).toEqual({ washer: { spin_speed: 0, value: 1 } });
});

step("the plugin says and receives its own name", async () => {
  await say("washer", { value: 1, value_2: 800, name: "x" });
  await until("the value", async () => (await values()).spin_speed === 800);
  await ask("PATCH", "/devices/washer/state?wait=false", { spin_speed: 5 });
  await ask("PATCH", "/devices/washer/state?wait=false", { value_2: 6 });
  await until("both commands", async () => received.length === 2);
  expect(received.map(({ value_2 }) => value_2)).toEqual([5, 6]);
});

step("the history goes on under it, also after a restart", async () => {
  const recorded = async (attribute: string): Promise<unknown[]> =>
    (
      (await ask("GET", `/devices/washer/history?from=2020-01-01T00:00:00Z&attribute=${attribute}`))
        .body as unknown as JsonObject[]
    ).map(({ value }: JsonObject) => value);
  expect(await recorded("spin_speed")).toEqual([400, 800]);
  expect(await recorded("value_2")).toEqual([]);
  await restart();
  expect(await recorded("spin_speed")).toEqual([400, 800]);
  expect(await values()).toEqual({ value: 1, spin_speed: 800, name: "x" });
});

step("a former name stays its own, and it may have it again", async () => {
  expect((await rename("value", "value_2")).status).toBe(409);
  await say("washer", { value: 1, value_2: 900, name: "x", spin_speed: 7 });
  await until("the value", async () => (await values()).spin_speed === 900);
  expect(await values()).toEqual({ value: 1, spin_speed: 900, name: "x", spin_speed_2: 7 });
  expect((await rename("spin_speed", "value_2")).status).toBe(200);
  expect(await values()).toEqual({ value: 1, value_2: 900, name: "x", spin_speed_2: 7 });
});

step("a device that is removed and returns has it still", async () => {
  expect((await rename("value_2", "spin")).status).toBe(200);
  await ask("DELETE", "/devices/washer");
  await say("washer", { value_2: 3 });
  await until("it is back", async () => (await ask("GET", "/devices/washer")).status === 200);
  expect(await values()).toEqual({ spin: 3 });
});
