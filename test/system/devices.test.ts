// Devices over real MQTT, and what is no device.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { soon, until } from "../support/wait.ts";

// An account each: the warnings about one account are limited, and each test looks for its own.
const ACCOUNTS = ["json", "object", "deep", "prototype", "nested", "utf8", "ids"];
const place = createHubPlace({
  toml: ACCOUNTS.map((name) => `[[mqtt.users]]\nusername = "bad-${name}"\npassword = "bad-${name}"\n`).join(""),
});
let hub: HubProcess;
let lamps: MqttClient;
beforeAll(async () => {
  hub = await place.start();
  lamps = await connectLamps();
});
afterAll(() => place[Symbol.asyncDispose]());

const connectLamps = () => hub.mqtt({ username: "lamps", password: "mqtt-password-of-lamps" });
const say = (topic: string, payload: unknown, client = lamps) =>
  client.publishAsync(`hub/${topic}`, typeof payload === "string" ? payload : JSON.stringify(payload), { qos: 1 });
const register = (id: string, more: object = {}) =>
  say("plugins/lamps/register", { device_id: id, name: "Lamp", ...more });

interface DeviceBody {
  id: string;
  attributes: Record<string, unknown>;
  [field: string]: unknown;
}
const device = (id: string) => hub.get<DeviceBody>(`/devices/${id}`);
const ids = async () => (await hub.get<DeviceBody[]>("/devices")).map(({ id }) => id).sort();

test("registering, reporting, reporting in part, going offline and coming back", async () => {
  const stream = await hub.openStream({ device_id: "desk" });
  await register("desk", { area: "Study", device_type: "light", model: "L1", capabilities: { type: "object" } });
  await say("devices/desk/state", { on: true, level: 10, _hc: { change: { kind: "user" } } });
  await say("devices/desk/state/partial", { level: null, color: "red" });
  await say("devices/desk/availability", "offline");
  await stream.frame("offline", ({ type, available }) => type === "device_availability_changed" && available === false);
  expect(await device("desk")).toMatchObject({
    ...{ name: "Lamp", plugin_id: "lamps", area: "Study", device_type: "light", model: "L1", available: false },
    ...{ attributes: { on: true, color: "red" }, last_changed: { on: expect.any(String), color: expect.any(String) } },
  });
  expect(stream.frames.filter(({ type }) => type === "device_state_changed")).toMatchObject([
    { previous: {}, current: { on: true, level: 10 }, changed: ["on", "level"], change: { kind: "user" } },
    { previous: { on: true, level: 10 }, current: { on: true, color: "red" } },
  ]);
  await say("devices/desk/availability", "Online");
  await stream.frame("online", ({ type, available }) => type === "device_availability_changed" && available === true);
  await say("devices/desk/state", { on: true, color: "red" });
  await say("devices/desk/state/partial", { on: true });
  await say("devices/desk/state", { on: false });
  const last = await stream.frame("off", ({ current }) => (current as { on?: boolean })?.on === false);
  // Nothing changed, nothing said: what was repeated in between made no event.
  expect(last).toMatchObject({ previous: { on: true, color: "red" }, changed: ["on", "color"] });
  expect(stream.frames.filter(({ type }) => type === "device_state_changed")).toHaveLength(3);
});

test("a person's name and area survive the plugin's next registration", async () => {
  await register("hall", { area: "Hall" });
  await until("it is there", async () => (await ids()).includes("hall"));
  const body = { name: "Grandmother's lamp", area: "Stairs" };
  expect((await hub.request("PATCH", "/devices/hall", { body })).json()).toMatchObject(body);
  await register("hall", { area: "Hall", model: "L2" });
  await until("it is registered again", async () => (await device("hall")).model === "L2");
  expect(await device("hall")).toMatchObject(body);
  expect((await hub.request("PATCH", "/devices/hall", { body: { nmae: "x" } })).status).toBe(400);
  expect((await hub.request("PATCH", "/devices/nowhere", { body })).status).toBe(404);
});

test("a command reaches the plugin with who asked", async () => {
  await register("cmd");
  await until("it is there", async () => (await ids()).includes("cmd"));
  const received = Promise.withResolvers<Record<string, unknown>>();
  lamps.on("message", (topic, payload) => {
    if (topic === "hub/devices/cmd/cmd") received.resolve(JSON.parse(payload.toString()) as Record<string, unknown>);
  });
  await lamps.subscribeAsync("hub/devices/cmd/cmd", { qos: 1 });
  const stream = await hub.openStream({ type: "device_command_sent" });
  const sent = await hub.request("PATCH", "/devices/cmd/state", { body: { on: true, _hc: { command: "forged" } } });
  expect(sent.status).toBe(202);
  const { correlation_id } = sent.json();
  expect(await soon("the command", received.promise)).toEqual({
    on: true,
    _hc: {
      command: {
        ...{ kind: "user", source: "api", actor_id: expect.any(String), actor_name: "admin" },
        ...{ correlation_id, changed_at: expect.any(String) },
      },
    },
  });
  expect(await stream.frame("the event", () => true)).toMatchObject({
    device_id: "cmd",
    command: { on: true },
    correlation_id,
  });
});

test("commanding what is not there, not available, or with what is no command", async () => {
  await register("gone");
  await say("devices/gone/availability", "0");
  await until("it is offline", async () => (await device("gone")).available === false);
  const command = (path: string, body: unknown = { on: true }) => hub.request("PATCH", `/devices/${path}`, { body });
  expect((await command("nowhere/state")).status).toBe(404);
  expect((await command("gone/state")).status).toBe(409);
  expect((await command("gone/state?force=true")).status).toBe(202);
  for (const bad of [{}, [], "[1]", "true", '{"__proto__":{"x":1}}', '{"a":{"constructor":1}}'])
    expect({ bad, status: (await command("gone/state?force=true", bad)).status }).toEqual({ bad, status: 400 });
});

test("a device can be forgotten, by a person and by its plugin only", async () => {
  await register("old");
  await register("older");
  await until("they are there", async () => (await ids()).includes("older"));
  expect((await hub.request("DELETE", "/devices/old")).status).toBe(204);
  expect((await hub.request("GET", "/devices/old")).status).toBe(404);
  expect((await hub.request("DELETE", "/devices/old")).status).toBe(404);
  await say("plugins/lamps/unregister", { device_id: "older" });
  await until("it is gone", async () => !(await ids()).includes("older"));
});

test("a plugin speaks only for itself and its own devices", async () => {
  const tester = await hub.mqtt();
  await say("devices/foreign/state", { by: "tester" }, tester);
  await until("it is there", async () => (await ids()).includes("foreign"));
  await say("devices/foreign/state", { by: "lamps" });
  await say("plugins/other/register", { device_id: "usurped", name: "x" });
  await say("plugins/lamps/register", { device_id: "foreign", name: "mine now" });
  await register("after");
  await until("the next is there", async () => (await ids()).includes("after"));
  expect(await device("foreign")).toMatchObject({ plugin_id: "tester", attributes: { by: "tester" }, name: "foreign" });
  expect(await ids()).not.toContain("usurped");
  await expect(hub.mqtt({ username: "lamps", password: "wrong" })).rejects.toThrow();
  await expect(hub.mqtt({ username: undefined, password: undefined })).rejects.toThrow();
});

test.each([
  ["json", "{on:true", "not valid JSON"],
  ["object", "[1,2]", "not a JSON object"],
  ["deep", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`, "nested deeper than 32 levels"],
  ["prototype", '{"__proto__":{"admin":true},"on":true}', "__proto__"],
  ["nested", '{"a":[{"constructor":{"prototype":{}}}]}', "constructor"],
  ["utf8", "\u0000\ud800", "not valid JSON"],
])("a bad payload (%s) is refused with a warning, and the hub goes on", async (name, payload, why) => {
  const id = `bad-${name}`;
  const client = await hub.mqtt({ username: id, password: id });
  await say(`devices/${id}/state`, payload, client);
  await say(`plugins/${id}/register`, payload, client);
  for (const topic of [`devices/${id}/state`, `plugins/${id}/register`])
    await hub.said(new RegExp(`an MQTT message was ignored .*topic=hub/${topic} .*${why}`));
  expect(await ids()).not.toContain(id);
  expect((await hub.request("GET", "/health")).status).toBe(200);
});

test("ten megabytes end the connection that sent them, and nothing else", async () => {
  const client = await connectLamps();
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  client.publish("hub/devices/huge/state", JSON.stringify({ text: "x".repeat(10_000_000) }), { qos: 1 }, () => {});
  await soon("the connection ends", closed);
  await hub.said("a packet of more than 8388608 bytes");
  expect(await ids()).not.toContain("huge");
  expect(lamps.connected).toBe(true);
});

test("ids that cannot stand in a topic make no device, wherever they come from", async () => {
  const before = await ids();
  const tester = await hub.mqtt();
  const bad = ["", "a/b", "a+b", "a#b", "x".repeat(300), "$SYS", "a\u0000b", "a\nb"];
  const client = await hub.mqtt({ username: "bad-ids", password: "bad-ids" });
  for (const id of bad) await say("plugins/bad-ids/register", { device_id: id, name: "x" }, client);
  for (const topic of ["devices//state", "devices/a/b/state", `devices/${"x".repeat(300)}/state`, "devices/$x/state"])
    await say(topic, { on: true }, tester);
  expect((await hub.request("PATCH", "/devices/%00/state", { body: { on: true } })).status).toBe(400);
  for (const id of ["a%2Fb", "%23", "x".repeat(300), "..%2f..%2fetc"])
    expect({ id, status: (await hub.request("PATCH", `/devices/${id}/state`, { body: { on: true } })).status }).toEqual(
      { id, status: 404 },
    );
  await register("good-after-bad");
  await until("the next is there", async () => (await ids()).includes("good-after-bad"));
  expect(await ids()).toEqual([...before, "good-after-bad"].sort());
  await hub.said(/plugin=bad-ids .*device_id must be without \/ \+ #/);
});

test("devices, names and state survive a restart", async () => {
  for (const id of ["attic", "cellar", "porch"]) {
    await register(id, { area: "House", model: "L3" });
    await say(`devices/${id}/state`, { on: true });
  }
  await until("they are there", async () => (await ids()).includes("porch"));
  const body = { name: "Grandfather's lamp", area: "Under the roof" };
  expect((await hub.request("PATCH", "/devices/attic", { body })).status).toBe(200);
  await until("their states are", async () => (await device("porch")).attributes.on);
  const before = await hub.get<DeviceBody[]>("/devices");
  await hub.end();
  hub = await place.start();
  lamps = await connectLamps();
  const kept = ({ id, name, area, attributes, plugin_id, last_changed, model }: DeviceBody) => [
    ...[id, name, area, attributes, plugin_id, last_changed, model],
  ];
  expect((await hub.get<DeviceBody[]>("/devices")).map(kept)).toEqual(before.map(kept).sort());
  expect(await device("attic")).toMatchObject(body);
});
