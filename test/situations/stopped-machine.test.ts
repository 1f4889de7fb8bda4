// A machine that stood still for longer than its lease (SIGSTOP, a suspended virtual machine) and goes on: another one may be the hub
// by then, so nothing leaves this one any more, whatever was waiting to be sent.
import { afterAll, beforeAll, expect } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import type { Clock } from "../../src/kit/time/clock.ts";
import { createTestStanding, type TestStanding } from "../support/fake-standing.ts";
import { story } from "../support/story.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const LEASE_MS = 8000;
const TOML = `
[[notify.channels]]
name = "phone"
type = "ntfy"
topic = "house"

[[plugins]]
id = "sleeper"
binary = "/bin/sleep"
args = ["600"]
enabled = false
confine = "off"
`;
const RULE = `(
  id: "doorbell",
  name: "Doorbell",
  trigger: DeviceStateChanged(device_id: "bell", attribute: "on", to: true),
  actions: [
    SetDeviceState(device_id: "lamp", state: {"on": true}),
    PublishMqtt(topic: "display/text", payload: "somebody is there"),
    CallService(url: "http://chime.example/ring", method: "POST"),
    Notify(channel: "phone", message: "Somebody is there"),
  ],
)
`;

const folder = createTemporaryFolder();
const time = createVirtualClock();
/** For how long the process was stopped: its clock goes on, and none of its timers does. */
let stoodStill = 0;
const clock: Clock = { ...time, mono: () => time.mono() + stoodStill };
const requests: string[] = [];
const record = async (input: string | URL | Request): Promise<Response> => {
  requests.push(new URL(input instanceof Request ? input.url : input).host);
  return Response.json({ id: "x" });
};
let standing: TestStanding;
let hub: TestHub;
let client: MqttClient;
const received: { topic: string; text: string }[] = [];

beforeAll(async () => {
  standing = createTestStanding(clock, { epoch: 7 });
  await Bun.write(folder.at("rules", "doorbell.ron"), RULE);
  const network = Object.assign(record, { preconnect() {} });
  hub = await startTestHub({ folder, clock, toml: TOML, standing, fetch: network });
  client = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, keepalive: 0 });
  client.on("error", () => {});
  client.on("message", (topic, payload) => received.push({ topic, text: payload.toString() }));
  await client.subscribeAsync(["hub/devices/+/cmd", "display/#"], { qos: 1 });
  for (const id of ["lamp", "bell"]) await client.publishAsync(`hub/devices/${id}/state`, '{"on":false}', { qos: 1 });
  await until("both are there", async () => (await ask("GET", "/devices/bell")).status === 200);
});
afterAll(async () => {
  client.end(true);
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function ask(method: string, path: string, body?: unknown) {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, body: (await answer.json()) as { detail?: string; status?: string } & unknown[] };
}

const traces = async () => (await ask("GET", "/rules/doorbell/traces")).body;

const step = story("a machine that stands still");

step("while the lease is held, everything is sent, and commands say in which epoch", async () => {
  standing.lease.until = clock.mono() + LEASE_MS;
  await client.publishAsync("hub/devices/bell/state", '{"on":true}', { qos: 1 });
  await until("all four went out", () => received.length === 2 && requests.length === 2);
  expect(received.map(({ topic }) => topic).sort()).toEqual(["display/text", "hub/devices/lamp/cmd"]);
  const command = received.find(({ topic }) => topic.endsWith("cmd"))?.text ?? "";
  expect(JSON.parse(command)).toMatchObject({ on: true, _hc: { command: { kind: "rule", epoch: 7 } } });
  expect(requests.sort()).toEqual(["chime.example", "ntfy.sh"]);
  expect(standing.steps).toEqual([]);
  await client.publishAsync("hub/devices/bell/state", '{"on":false}', { qos: 1 });
});

step("after standing still for longer than the lease, not one message leaves, and the hub steps down", async () => {
  const before = { received: received.length, requests: requests.length };
  const ended = new Promise<void>((resolve) => client.once("close", () => resolve()));
  stoodStill = LEASE_MS;
  // What came meanwhile makes a rule act.
  await client.publishAsync("hub/devices/bell/state", '{"on":true}', { qos: 0 });
  await until("the rule has fired", async () => (await traces()).length === 2);
  const refused = await ask("PATCH", "/devices/lamp/state", { on: false });
  expect(refused).toMatchObject({ status: 503 });
  expect(refused.body.detail).toStartWith("this machine is no longer the hub of this house: ");
  const why = await until("the rule's failures", async () => {
    const text = JSON.stringify(await traces());
    return text.split("no longer the hub of this house").length > 3 && text;
  });
  expect(why).toContain("its lease has ended");
  // A notification waits, for the machine that has the copy of the outbox.
  expect((await ask("GET", "/notify/outbox")).body).toMatchObject([{ channel: "phone", message: "Somebody is there" }]);
  expect(await ask("POST", "/plugins/sleeper/start")).toMatchObject({ status: 503 });
  expect(await ask("GET", "/plugins/sleeper")).toMatchObject({ body: { pid: null } });
  await time.advance(120_000);
  // The hub's own broker does not even acknowledge what a device says: the device looks for the other machine.
  client.publish("hub/devices/bell/state", '{"on":false}', { qos: 1 });
  await ended;
  expect({ received: received.length, requests: requests.length }).toEqual(before);
  expect(standing.steps).toEqual(["its lease has ended"]);
});
