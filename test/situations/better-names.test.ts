// A house of before names were kept: its attributes keep their names, and each is offered the name that a new house would give it. Nothing
// is renamed until somebody does it, and what a person has named is offered nothing.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import mqtt, { type MqttClient } from "mqtt";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import { story } from "../support/story.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

const RULE = `(
    id: "44444444-4444-4444-8444-444444444444",
    name: "Night",
    trigger: DeviceStateChanged(device_id: "box", attribute: "value_pump", to: true),
    actions: [SetDeviceState(device_id: "box", state: (value_pump: false))],
)
`;
const toml = `[[mqtt.users]]
username = "box"
password = "box-password"
publish = ["homeassistant/#", "box/#"]
subscribe = ["homeassistant/#", "box/#"]
`;
/** All of them pick `value`. */
const ENTITIES: readonly (readonly [component: string, id: string, more: object])[] = [
  ["switch", "auto_off", {}],
  ["switch", "pump", {}],
  ["sensor", "boot", { device_class: "timestamp" }],
  ["sensor", "noise", { device_class: "sound_pressure", unit_of_measurement: "dB" }],
];
const BEFORE = ["value_auto_off", "value_boot", "value_noise", "value_pump"];

const folder = createTemporaryFolder();
let hub: TestHub;
let box: MqttClient;
const reported: string[] = [];

async function start(admin?: TestHub["admin"]): Promise<void> {
  hub = await startTestHub({ folder, toml, ...(admin && { admin }) });
  box = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { username: "box", password: "box-password" });
  box.on("message", (topic, payload) => reported.push(`${topic} ${payload}`));
  await box.subscribeAsync("box/+/set");
}
async function announce(): Promise<void> {
  for (const [component, id, more] of ENTITIES) {
    const config = {
      ...{ name: id, unique_id: `box_${id}`, ...more, device: { identifiers: ["box"], name: "Box" } },
      ...{ state_topic: `box/${id}`, value_template: "{{ value_json.value }}", state_on: 1, state_off: 0 },
      ...(component === "switch" && { command_topic: `box/${id}/set`, payload_on: 1, payload_off: 0 }),
    };
    await box.publishAsync(`homeassistant/${component}/box/${id}/config`, JSON.stringify(config), { qos: 1 });
  }
  for (const [component, id] of ENTITIES)
    await box.publishAsync(`box/${id}`, JSON.stringify({ value: component === "switch" ? 0 : 5 }), { qos: 1 });
  await until("all of it is there", async () => Object.keys(await values()).length === ENTITIES.length);
}
async function stop(): Promise<TestHub["admin"]> {
  const { admin } = hub;
  await box.endAsync();
  await hub[Symbol.asyncDispose]();
  return admin;
}
async function ask<T>(method: string, path: string, body?: unknown, token = hub.adminToken): Promise<T> {
  const answer = await hub.request(method, path, { token, ...(body !== undefined && { body }) });
  return (await answer.json()) as T;
}
const values = async () => (await ask<{ attributes?: JsonObject }>("GET", "/devices/box")).attributes ?? {};
const offered = async () =>
  Object.fromEntries(
    (await ask<{ name: string; suggested: string | null }[]>("GET", "/devices/box/attribute-names")).map(
      ({ name, suggested }) => [name, suggested],
    ),
  );
const rename = (from: string, name: string, dry = false) =>
  ask<{ places: { kind: string; name: string }[] }>("PATCH", `/devices/box/attributes/${from}?dry_run=${dry}`, {
    name,
  });

beforeAll(async () => {
  mkdirSync(folder.at("rules"), { recursive: true });
  writeFileSync(folder.at("rules", "night.ron"), RULE);
  await start();
  const admin = await stop();
  // As a hub of before leaves it: the device is known, and the names of its attributes are not.
  using state = new Database(folder.at("data", "state.redb"));
  state.run("INSERT INTO discovery_identities (identity, device_id) VALUES ('box', 'box')");
  await start(admin);
  await announce();
});
afterAll(async () => {
  await stop();
  folder[Symbol.dispose]();
});

const step = story("a box whose attributes are all called value");

step("what it has stays, and each is offered what a new house would call it", async () => {
  expect(Object.keys(await values()).sort()).toEqual(BEFORE);
  expect(await offered()).toEqual({
    value_boot: "boot",
    value_auto_off: "on",
    value_noise: "sound_pressure",
    value_pump: "on_pump",
  });
  expect(Object.keys(await values()).sort()).toEqual(BEFORE);
  expect(
    (await hub.request("GET", "/devices/box/attribute-names", { token: await hub.tokenFor("viewer") })).status,
  ).toBe(200);
  expect((await hub.request("GET", "/devices/nobody/attribute-names", { token: hub.adminToken })).status).toBe(404);
  expect((await hub.request("GET", "/devices/box/attribute-names")).status).toBe(401);
});

step("one is taken as any other name is, with its dry run first, and still commands the same relay", async () => {
  const { places } = await rename("value_pump", "on_pump", true);
  expect(places.map(({ kind, name }) => [kind, name])).toContainEqual(["rule", "Night"]);
  expect(await values()).toHaveProperty("value_pump", false);
  await rename("value_pump", "on_pump");
  expect(readFileSync(folder.at("rules", "night.ron"), "utf8")).toContain("state: (on_pump: false)");
  await ask("PATCH", "/devices/box/state?wait=false", { on_pump: true });
  await until("the relay is commanded", () => reported.length > 0);
  expect(reported).toEqual(["box/pump/set 1"]);
  expect(await offered()).toEqual({
    value_boot: "boot",
    value_auto_off: "on",
    value_noise: "sound_pressure",
    on_pump: null,
  });
});

step("what a person has named is offered nothing", async () => {
  await rename("value_noise", "noise");
  await rename("value_boot", "sound_pressure");
  expect(await offered()).toEqual({ noise: null, sound_pressure: null, value_auto_off: "on", on_pump: null });
});

step("after a restart the same is offered", async () => {
  const before = await offered();
  await start(await stop());
  await announce();
  await until("the same is offered", async () => Bun.deepEquals(await offered(), before));
});

step("a device of a new house is offered nothing", async () => {
  const config = {
    name: "x",
    unique_id: "other",
    device: { identifiers: ["other"], name: "Other" },
    state_topic: "box/x",
  };
  const text = JSON.stringify({ ...config, value_template: "{{ value_json.value }}" });
  await box.publishAsync("homeassistant/sensor/other/x/config", text, { qos: 1 });
  await box.publishAsync("box/x", JSON.stringify({ value: 3 }), { qos: 1 });
  await until(
    "it is there",
    async () => (await hub.request("GET", "/devices/other", { token: hub.adminToken })).status === 200,
  );
  const names = await ask<{ suggested: string | null }[]>("GET", "/devices/other/attribute-names");
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter(({ suggested }) => suggested !== null)).toEqual([]);
});
