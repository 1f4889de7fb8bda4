// Commands that come to nothing, as a person, a scene and a rule learn of them; and who is available after a restart.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const TOML = `
[devices]
command_timeout_secs = 5

[[mqtt.users]]
username = "lamps"
password = "password-of-lamps"

[[mqtt.users]]
username = "blinds"
password = "password-of-blinds"
`;
const SCHEMA = {
  type: "object",
  properties: {
    on: { type: "boolean" },
    brightness_pct: { type: "number", minimum: 0, maximum: 100, unit: "%" },
    power: { type: "number", unit: "W", readOnly: true },
  },
};

const folder = createTemporaryFolder();
const clock = createVirtualClock();
let hub: TestHub;
let lamps: MqttClient;

beforeAll(async () => {
  hub = await startTestHub({ folder, clock, toml: TOML });
  lamps = await connect("lamps");
  await register(lamps, "lamp", { capabilities: SCHEMA });
  await say(lamps, "devices/lamp/state", { on: false, brightness_pct: 50, power: 0 });
  await until("it is there", async () => (await device("lamp")).attributes?.on === false);
});
afterAll(async () => {
  lamps.end(true);
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface DeviceBody {
  available: boolean;
  attributes?: Record<string, unknown>;
}

async function ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown) {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, body: (await answer.json()) as T };
}

const connect = (username: string): Promise<MqttClient> =>
  connectAsync({
    ...{ host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, keepalive: 0 },
    ...{ username, password: `password-of-${username}` },
  });
const say = (client: MqttClient, topic: string, payload: object | string) =>
  client.publishAsync(`hub/${topic}`, typeof payload === "string" ? payload : JSON.stringify(payload), { qos: 1 });
const register = (client: MqttClient, id: string, more: object = {}) =>
  say(client, `plugins/${id === "blind" ? "blinds" : "lamps"}/register`, { device_id: id, name: id, ...more });
const device = async (id: string) => (await ask<DeviceBody>("GET", `/devices/${id}`)).body;
const command = (body: object) => ask<{ correlation_id: string; detail: string }>("PATCH", "/devices/lamp/state", body);
const failures = async () =>
  (
    await ask<{ correlation_id: string; reason: string; message: string }[]>(
      "GET",
      "/events?type=device_command_failed",
    )
  ).body;
const failureOf = (correlationId: string) =>
  until("its failure", async () => (await failures()).find((one) => one.correlation_id === correlationId));

test("a command that nobody listens to is answered 202, and reported", async () => {
  const { status, body } = await command({ on: true });
  expect(status).toBe(202);
  expect(await failureOf(body.correlation_id)).toMatchObject({
    ...{ device_id: "lamp", plugin_id: "lamps", command: { on: true }, actor_name: "admin", reason: "not_connected" },
    message: expect.stringContaining('"lamps" is not connected, or does not subscribe'),
  });
});

test("one that is heard but not answered is reported after the configured time; one that is answered is not", async () => {
  await lamps.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  const { body } = await command({ on: true });
  await clock.advance(4_999);
  expect(await failures()).toHaveLength(1);
  await clock.advance(1);
  expect(await failureOf(body.correlation_id)).toMatchObject({ reason: "no_answer" });
  lamps.once("message", () => void say(lamps, "devices/lamp/state/partial", { on: true }));
  await command({ on: true });
  await until("it is on", async () => (await device("lamp")).attributes?.on);
  await clock.advance(60_000);
  expect(await failures()).toHaveLength(2);
});

test("a plugin may refuse one, and say why", async () => {
  lamps.once("message", (_, payload) => {
    const { _hc } = JSON.parse(payload.toString()) as { _hc: { command: { correlation_id: string } } };
    const { correlation_id } = _hc.command;
    void say(lamps, "events/command_refused", { device_id: "lamp", correlation_id, reason: "it is too hot" });
  });
  const { body } = await command({ command: "boost" });
  expect(await failureOf(body.correlation_id)).toMatchObject({ reason: "refused", message: "it is too hot" });
});

test("what the device says it does not take is 400 and names it, and nothing is sent", async () => {
  const before = (await ask<unknown[]>("GET", "/events?type=device_command_sent")).body.length;
  const { status, body } = await command({ power: 5, brightness_pct: 101 });
  expect([status, body.detail]).toEqual([
    400,
    "power: the device only reports it; brightness_pct: must be from 0 to 100 %, not 101",
  ]);
  expect((await ask<unknown[]>("GET", "/events?type=device_command_sent")).body).toHaveLength(before);
});

test("a scene with such a value fails for that device alone", async () => {
  const guests = { id: "guests", name: "Guests" };
  expect((await ask("POST", "/switches", guests)).status).toBe(201);
  await ask("POST", "/scenes", {
    id: "evening",
    name: "E",
    states: { lamp: { brightness_pct: 500 }, guests: { on: true } },
  });
  const { body } = await ask("POST", "/scenes/evening/activate");
  expect(body).toMatchObject({
    sent: [{ device_id: "guests" }],
    failed: [{ device_id: "lamp", code: "invalid", error: "brightness_pct: must be from 0 to 100 %, not 500" }],
  });
  expect((await device("guests")).attributes).toEqual({ on: true });
});

test("a rule with such a value says so in its trace", async () => {
  const action = (value: number) => ({ type: "set_device_state", device_id: "lamp", state: { brightness_pct: value } });
  const trigger = { type: "manual_trigger" };
  const made = await ask("POST", "/rules", { id: "bad", name: "Bad", trigger, actions: [action(101)] });
  expect(made.status).toBe(201);
  await clock.advance(2_000);
  await ask("POST", "/rules/bad/run");
  const traces = () => ask<{ actions: { result: string; error?: string }[] }[]>("GET", "/rules/bad/traces");
  const trace = await until("it ran", async () => (await traces()).body[0]);
  expect(trace.actions).toMatchObject([
    { result: "failed", error: expect.stringContaining("brightness_pct: must be from 0 to 100 %, not 101") },
  ]);
});

test("a rule's command is sent to a device that is not available, unless the rule says that it fails", async () => {
  await say(lamps, "devices/lamp/availability", "offline");
  await until("it is not available", async () => !(await device("lamp")).available);
  const action = (offline: object) => ({
    type: "set_device_state",
    device_id: "lamp",
    state: { on: false },
    ...offline,
  });
  const actions = [action({}), action({ offline: "fail" })];
  const made = await ask("POST", "/rules", { id: "off", name: "Off", trigger: { type: "manual_trigger" }, actions });
  expect(made.status).toBe(201);
  await clock.advance(2_000);
  const arrived = new Promise<string>((resolve) => lamps.once("message", (_, payload) => resolve(payload.toString())));
  await ask("POST", "/rules/off/run");
  expect(JSON.parse(await arrived)).toMatchObject({ on: false });
  const traces = () => ask<{ actions: { result: string; error?: string }[] }[]>("GET", "/rules/off/traces");
  const trace = await until("it ran", async () => (await traces()).body[0]);
  expect(trace.actions).toMatchObject([
    { result: "ok", detail: expect.stringContaining("sent though not available: lamp") },
    { result: "failed", error: 'the device "lamp" is not available' },
  ]);
  await say(lamps, "devices/lamp/availability", "online");
  await until("it is available", async () => (await device("lamp")).available);
});

test("after a restart a device is available when its plugin is back, and not before; rules take neither for news", async () => {
  const blinds = await connect("blinds");
  await register(blinds, "blind");
  await say(blinds, "devices/blind/state", { position: 0 });
  await register(lamps, "spare");
  await until("they are there", async () => (await device("spare")).available && (await device("blind")).available);
  await clock.advance(2_000);
  await Bun.write(
    folder.at("rules", "back.ron"),
    `(id: "back", name: "Back", trigger: DeviceAvailabilityChanged(), actions: [LogMessage(message: "changed")])`,
  );
  blinds.end(true);
  lamps.end(true);
  const { admin } = hub;
  await hub[Symbol.asyncDispose]();
  hub = await startTestHub({ folder, clock, toml: TOML, admin });

  const availables = async () =>
    (await ask<{ id: string }[]>("GET", "/devices?available=true")).body.map(({ id }) => id).sort();
  expect(await availables()).toEqual(["guests"]);
  expect(await ask("PATCH", "/devices/lamp/state", { on: false })).toMatchObject({ status: 409 });
  lamps = await connect("lamps");
  // A message about one of its devices is a sign of life of the account.
  await say(lamps, "devices/lamp/state/partial", { on: true });
  await until("its devices are", async () => (await availables()).length === 3);
  expect(await availables()).toEqual(["guests", "lamp", "spare"]);
  const changes = async () =>
    (await ask<{ available: boolean }[]>("GET", "/events?type=device_availability_changed")).body;
  expect(await changes()).toMatchObject([
    { device_id: "spare", available: true, after_restart: true },
    { device_id: "lamp", available: true, after_restart: true },
  ]);
  const fired = async () => (await ask<{ fire_count: number }>("GET", "/rules/back")).body.fire_count;
  expect(await fired()).toBe(0);
  await clock.advance(60_000);
  await say(lamps, "plugins/lamps/heartbeat", { version: "1" });
  await clock.advance(60_000);
  const gone = (await changes()).filter(({ available }) => !available);
  expect(gone).toMatchObject([{ device_id: "blind", available: false }]);
  await until("the rule fires for the one that is gone", async () => (await fired()) === 1);
});
