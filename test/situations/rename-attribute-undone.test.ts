// A new name of an attribute that cannot be given to everything: then nothing has it, also where a hub was killed in the middle; and what
// goes along, or is named because it does not: groups, and keys of hub.toml.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import mqtt, { type MqttClient } from "mqtt";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

/** Its folder takes this name, but none that is a little longer, under which it would be written first. */
const UNWRITABLE = `${"z".repeat(246)}.ron`;
const toml = `[[mqtt.users]]
username = "box"
password = "box-password"
publish = ["hub/#"]
subscribe = ["hub/#"]
[[notify.channels]]
name = "chat"
type = "messaging_bot"
bot_token = "12345:a-token-of-the-test"
chat_id = "7"
[[people]]
name = "Anna"
channels = ["chat"]
home = "device:relays.value_2"
`;
const rule = (number: number, name: string, device = "relays"): string => `(
    id: "33333333-3333-4333-8333-33333333333${number}",
    name: "Rule ${number}",
    trigger: DeviceStateChanged(device_id: "${device}", attribute: "${name}", to: true),
    actions: [SetDeviceState(device_id: "${device}", state: {"${name}": false})],
)
`;

interface Place {
  kind: string;
  id: string;
  name: string;
  why_not: string | null;
}

let folder: TemporaryFolder;
let hub: TestHub;
let box: MqttClient;

const read = (file: string): string => readFileSync(folder.at("rules", file), "utf8");
const write = (file: string, text: string): void => writeFileSync(folder.at("rules", file), text);
async function start(admin?: TestHub["admin"]): Promise<void> {
  hub = await startTestHub({ folder, toml, ...(admin && { admin }) });
  box = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { username: "box", password: "box-password" });
}
async function stop(): Promise<TestHub["admin"]> {
  const { admin } = hub;
  await box.endAsync();
  await hub[Symbol.asyncDispose]();
  return admin;
}
const say = (device: string, state: JsonObject) =>
  box.publishAsync(`hub/devices/${device}/state`, JSON.stringify(state), { qos: 1 });
async function ask<T = JsonObject>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...(body !== undefined && { body }) });
  return { status: answer.status, body: (await answer.json().catch(() => undefined)) as T };
}
const rename = (from: string, name: string, dry = false) =>
  ask<{ places: Place[]; detail: string }>("PATCH", `/devices/relays/attributes/${from}?dry_run=${dry}`, { name });
const values = async (device = "relays"): Promise<JsonObject> =>
  (await ask<{ attributes: JsonObject }>("GET", `/devices/${device}`)).body.attributes;
const scene = async (): Promise<JsonObject> => (await ask<{ states: JsonObject }>("GET", "/scenes/calm")).body.states;
const loaded = (count: number) =>
  until("the rules", async () => (await ask<unknown[]>("GET", "/rules")).body.length === count);
const begunAsIf = (from: string, to: string): void => {
  using db = new Database(folder.at("data", "state.redb"));
  const value = JSON.stringify({ deviceId: "relays", from, to });
  db.query("INSERT OR REPLACE INTO meta (key, value) VALUES ('attribute_rename', ?)").run(value);
};
const noted = (): unknown => {
  using db = new Database(folder.at("data", "state.redb"));
  return db.query<{ value: string }, []>("SELECT value FROM meta WHERE key = 'attribute_rename'").get()?.value;
};

beforeEach(async () => {
  folder = createTemporaryFolder();
  mkdirSync(folder.at("rules"), { recursive: true });
  write("a.ron", rule(1, "value_2"));
  write("b.ron", rule(2, "value_2"));
  await start();
  await say("relays", { value: false, value_2: true });
  await say("lamp", { on: true });
  await until("both", async () => (await ask("GET", "/devices/lamp")).status === 200);
  await ask("POST", "/scenes", { id: "calm", name: "Calm", states: { relays: { value_2: false } } });
});
afterEach(async () => {
  await stop();
  folder[Symbol.dispose]();
});

/** Everything has this name. */
async function allCalled(name: string): Promise<void> {
  expect(read("a.ron")).toBe(rule(1, name));
  expect(read("b.ron")).toBe(rule(2, name));
  expect(await values()).toEqual({ value: false, [name]: true });
  expect(await scene()).toEqual({ relays: { [name]: false } });
}

test("where one rule cannot be written, all keep the former name, and get the new one when it can", async () => {
  write(UNWRITABLE, rule(3, "value_2"));
  await loaded(3);
  const { status, body } = await rename("value_2", "pump");
  expect(status).toBe(507);
  expect(body.detail).toContain("cannot be written");
  await allCalled("value_2");
  expect(read(UNWRITABLE)).toBe(rule(3, "value_2"));
  await say("relays", { value: false, value_2: false });
  await say("relays", { value: false, value_2: true });
  await until("the rules fire", async () => {
    const { body } = await ask<{ outcome: string }[]>("GET", "/rules/33333333-3333-4333-8333-333333333331/traces");
    return body.some(({ outcome }) => outcome === "fired");
  });
  rmSync(folder.at("rules", UNWRITABLE));
  await loaded(2);
  expect((await rename("value_2", "pump")).status).toBe(200);
  await allCalled("pump");
});

test("what a hub had begun that was killed is put back at the next start, where it cannot be gone on with", async () => {
  const admin = await stop();
  write("a.ron", rule(1, "pump"));
  write(UNWRITABLE, rule(3, "value_2"));
  begunAsIf("value_2", "pump");
  await start(admin);
  await allCalled("value_2");
  expect(read(UNWRITABLE)).toBe(rule(3, "value_2"));
  expect(noted()).toBe("null");
});

test("it is gone on with, also where the device has not said anything since", async () => {
  await stop().then(async (admin) => {
    write("a.ron", rule(1, "pump"));
    begunAsIf("value_2", "pump");
    {
      using db = new Database(folder.at("data", "state.redb"));
      db.run("UPDATE device_state SET attributes = '{}' WHERE device_id = 'relays'");
    }
    await start(admin);
  });
  expect([read("a.ron"), read("b.ron")]).toEqual([rule(1, "pump"), rule(2, "pump")]);
  await say("relays", { value: false, value_2: true });
  await until("it says it", async () => (await values()).pump === true);
  await allCalled("pump");
});

test("a group that has it of this device alone calls it so at once: its rules, scenes and history too", async () => {
  await ask("POST", "/groups", { id: "all", name: "All", members: ["relays", "lamp"] });
  expect(await values("all")).toEqual({ value: false, value_2: true, on: true });
  write("c.ron", rule(3, "value_2", "all"));
  await loaded(3);
  await ask("POST", "/scenes", { id: "calm", name: "Calm", states: { relays: { value_2: false } } });
  await ask("PATCH", "/scenes/calm", { states: { all: { value_2: false } } });
  const { body } = await rename("value_2", "pump", true);
  expect(body.places.map(({ kind, id, why_not }) => [kind, id, why_not])).toContainEqual(["group", "all", null]);
  expect((await rename("value_2", "pump")).status).toBe(200);
  await until("the group has it", async () => (await values("all")).pump === true);
  expect(await values("all")).toEqual({ value: false, pump: true, on: true });
  // Nothing has happened: nothing that is switched on by it is.
  expect((await ask<unknown[]>("GET", "/rules/33333333-3333-4333-8333-333333333333/traces")).body).toEqual([]);
  expect(read("c.ron")).toBe(rule(3, "pump", "all"));
  expect(await scene()).toEqual({ all: { pump: false } });
  const history = await ask<{ value: unknown }[]>(
    "GET",
    "/devices/all/history?from=2020-01-01T00:00:00Z&attribute=pump",
  );
  expect(history.body.map(({ value }) => value)).toEqual([true]);
});

test("a group whose other members are called so keeps it, and the dry run says so", async () => {
  await say("others", { value_2: true });
  await until("them", async () => (await ask("GET", "/devices/others")).status === 200);
  await ask("POST", "/groups", { id: "all", name: "All", members: ["relays", "others"] });
  write("c.ron", rule(3, "value_2", "all"));
  await loaded(3);
  const { body } = await rename("value_2", "pump");
  expect(body.places.find(({ kind }) => kind === "group")?.why_not).toContain("other members");
  expect(read("c.ron")).toBe(rule(3, "value_2", "all"));
  await until("the group has both", async () => (await values("all")).pump === true);
  expect(await values("all")).toEqual({ value: false, pump: true, value_2: true });
});

test("who is at home is named, and known still", async () => {
  const { body } = await rename("value_2", "pump");
  expect(body.places).toContainEqual(
    expect.objectContaining({ kind: "config", name: '[[people]] home of Anna: "device:relays.value_2"' }),
  );
  const people = await ask<{ name: string; home: boolean | null }[]>("GET", "/notify/people");
  expect(people.body).toContainEqual(expect.objectContaining({ name: "Anna", home: true }));
});
