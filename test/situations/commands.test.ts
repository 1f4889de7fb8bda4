// Commands that come to nothing, as a person, a scene and a rule learn of them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { unanswered } from "../support/unanswered.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const TOML = `
[devices]
command_timeout_secs = 5

[[mqtt.users]]
username = "lamps"
password = "password-of-lamps"

[[mqtt.users]]
username = "deaf"
password = "password-of-deaf"
`;
const SCHEMA = {
  type: "object",
  properties: {
    on: { type: "boolean" },
    brightness_pct: { type: "number", minimum: 0, maximum: 100, unit: "%" },
    power: { type: "number", unit: "W", readOnly: true },
  },
};

const clock = createVirtualClock();
let hub: TestHub;
let lamps: MqttClient;

beforeAll(async () => {
  hub = await startTestHub({ clock, toml: TOML });
  lamps = await connect("lamps");
  await add("lamp");
});
afterAll(async () => {
  lamps.end(true);
  await hub[Symbol.asyncDispose]();
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

/** A lamp that is off; its account listens to its commands, unless it is another. */
async function add(id: string, client = lamps, account = "lamps"): Promise<void> {
  const registration = { device_id: id, name: id, capabilities: SCHEMA };
  await say(client, `plugins/${account}/register`, registration);
  await say(client, `devices/${id}/state`, { on: false, brightness_pct: 50, power: 0 });
  if (account === "lamps") await client.subscribeAsync(`hub/devices/${id}/cmd`, { qos: 1 });
  await until("it is there", async () => (await device(id)).attributes?.on === false);
}

/** The next command to the lamp. */
const nextCommand = (id: string): Promise<string> =>
  new Promise((resolve) => {
    const listen = (topic: string, payload: Buffer): void => {
      if (topic !== `hub/devices/${id}/cmd`) return;
      lamps.off("message", listen);
      resolve(payload.toString());
    };
    lamps.on("message", listen);
  });

const device = async (id: string) => (await ask<DeviceBody>("GET", `/devices/${id}`)).body;
const command = (id: string, body: object) =>
  ask<{ correlation_id: string; outcome?: string; message?: string; detail: string }>(
    "PATCH",
    `/devices/${id}/state`,
    body,
  );
const commandUnanswered = (id: string, body: object) => unanswered(clock, command(id, body));
/** Refuses the next command to the lamp, as a plugin does. */
function refuseNext(id: string, reason: string): void {
  void nextCommand(id).then((payload) => {
    const { _hc } = JSON.parse(payload) as { _hc: { command: { correlation_id: string } } };
    const { correlation_id } = _hc.command;
    return say(lamps, "events/command_refused", { device_id: id, correlation_id, reason });
  });
}
interface Failure {
  device_id: string;
  correlation_id: string;
  reason: string;
  message: string;
}

const failures = async (id: string): Promise<Failure[]> =>
  (await ask<Failure[]>("GET", "/events?type=device_command_failed")).body.filter(({ device_id }) => device_id === id);
const failureOf = (id: string, correlationId: string) =>
  until("its failure", async () => (await failures(id)).find((one) => one.correlation_id === correlationId));

test("a command that nobody listens to is answered 202 with that, and reported", async () => {
  const deaf = await connect("deaf");
  await add("far", deaf, "deaf");
  const { status, body } = await command("far", { on: true });
  expect([status, body.outcome]).toEqual([202, "not_connected"]);
  expect(body.message).toContain('"deaf" is not connected');
  expect(await failureOf("far", body.correlation_id)).toMatchObject({
    ...{ device_id: "far", plugin_id: "deaf", command: { on: true }, actor_name: "admin", reason: "not_connected" },
    message: expect.stringContaining('"deaf" is not connected, or does not subscribe'),
  });
  await deaf.endAsync(true);
});

test("who does not wait is answered at once", async () => {
  await add("hasty");
  const path = "/devices/hasty/state?wait=false";
  const { status, body } = await ask<{ outcome: string }>("PATCH", path, { on: true });
  expect([status, body.outcome]).toEqual([202, "sent"]);
});

test("one that is seen but not answered is reported after the configured time; one that is answered is not", async () => {
  await add("slow");
  const { status, body } = await commandUnanswered("slow", { on: true });
  expect([status, body.outcome]).toEqual([202, "sent"]);
  await clock.advance(3_999);
  expect(await failures("slow")).toEqual([]);
  await clock.advance(1);
  expect(await failureOf("slow", body.correlation_id)).toMatchObject({ reason: "no_answer" });
  void nextCommand("slow").then(() => say(lamps, "devices/slow/state/partial", { on: true }));
  expect((await command("slow", { on: true })).body.outcome).toBe("accepted");
  await until("it is on", async () => (await device("slow")).attributes?.on);
  await clock.advance(60_000);
  expect(await failures("slow")).toHaveLength(1);
});

test("a plugin may refuse one, and whoever sent it learns why", async () => {
  await add("hot");
  refuseNext("hot", "it is too hot");
  const { status, body } = await command("hot", { command: "boost" });
  expect([status, body.detail]).toEqual([409, "the device refused the command: it is too hot"]);
  expect(await failureOf("hot", body.correlation_id)).toMatchObject({ reason: "refused", message: "it is too hot" });
});

test("a report of how it still is takes no refusal away, and is no answer", async () => {
  await add("hasty");
  void nextCommand("hasty").then(async (payload) => {
    const { _hc } = JSON.parse(payload) as { _hc: { command: { correlation_id: string } } };
    await say(lamps, "devices/hasty/state", { on: false, brightness_pct: 50, power: 1 });
    await say(lamps, "events/command_refused", { device_id: "hasty", ..._hc.command, reason: "not now" });
  });
  const { status, body } = await command("hasty", { on: true });
  expect([status, body.detail]).toEqual([409, "the device refused the command: not now"]);
});

test("a scene and a group say what became of the commands to each of their devices", async () => {
  for (const id of ["taking", "refusing", "quiet"]) await add(id);
  const answering = (): void => {
    void nextCommand("taking").then(() => say(lamps, "devices/taking/state/partial", { on: true }));
    refuseNext("refusing", "the fuse is out");
  };
  const states = { taking: { on: true }, refusing: { on: true }, quiet: { on: true } };
  await ask("POST", "/scenes", { id: "each", name: "Each", states });
  answering();
  const { body } = await unanswered(clock, ask("POST", "/scenes/each/activate"));
  expect(body).toMatchObject({
    sent: [
      { device_id: "taking", outcome: "accepted" },
      { device_id: "quiet", outcome: "sent" },
    ],
    failed: [{ device_id: "refusing", code: "conflict", error: "the device refused the command: the fuse is out" }],
  });
  await say(lamps, "devices/taking/state/partial", { on: false });
  await until("it is off", async () => (await device("taking")).attributes?.on === false);
  await ask("POST", "/groups", { id: "all", name: "All", members: ["taking", "refusing"] });
  answering();
  const group = await command("all", { on: true });
  expect([group.status, group.body.detail]).toEqual([
    409,
    'the device refused the command: "refusing": the fuse is out',
  ]);
  void nextCommand("taking").then(() => say(lamps, "devices/taking/state/partial", { brightness_pct: 60 }));
  void nextCommand("refusing").then(() => say(lamps, "devices/refusing/state/partial", { brightness_pct: 60 }));
  expect((await command("all", { brightness_pct: 60 })).body.outcome).toBe("accepted");
});

test("what the device says it does not take is 400 and names it, and nothing is sent", async () => {
  const before = (await ask<unknown[]>("GET", "/events?type=device_command_sent")).body.length;
  const { status, body } = await command("lamp", { power: 5, brightness_pct: 101 });
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
  await add("hall");
  await say(lamps, "devices/hall/availability", "offline");
  await until("it is not available", async () => !(await device("hall")).available);
  const action = (offline: object) => ({
    type: "set_device_state",
    device_id: "hall",
    state: { on: false },
    ...offline,
  });
  const actions = [action({}), action({ offline: "fail" })];
  const made = await ask("POST", "/rules", { id: "off", name: "Off", trigger: { type: "manual_trigger" }, actions });
  expect(made.status).toBe(201);
  await clock.advance(2_000);
  const arrived = nextCommand("hall");
  await ask("POST", "/rules/off/run");
  expect(JSON.parse(await arrived)).toMatchObject({ on: false });
  const traces = () => ask<{ actions: { result: string; error?: string }[] }[]>("GET", "/rules/off/traces");
  const trace = await until("it ran", async () => (await traces()).body[0]);
  expect(trace.actions).toMatchObject([
    { result: "ok", detail: expect.stringContaining("sent though not available: hall") },
    { result: "failed", error: 'the device "hall" is not available' },
  ]);
});
