// What rules publish: plugins receive their events, rules receive what the hub itself publishes, and a rule that receives itself ends.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const place = createHubPlace();
let hub: HubProcess;
let client: MqttClient;
/** `topic payload` of every message. */
const received: string[] = [];

beforeAll(async () => {
  hub = await place.start();
  client = await hub.mqtt();
  client.on("message", (topic, payload, { qos, retain }) => {
    received.push(`${topic} ${payload} ${qos}${retain ? " retained" : ""}`);
  });
  await client.subscribeAsync(["hub/events/#", "house/#"], { qos: 1 });
});
afterAll(() => place[Symbol.asyncDispose]());

const onMessage = (topic: string) => ({ type: "mqtt_message", topic });
const publish = (topic: string, payload: unknown) => ({ type: "publish_mqtt", topic, payload, qos: 1 });

interface RuleBody {
  id: string;
  fire_count: number;
  last_error: { message: string } | null;
}

async function rule(name: string, trigger: object, actions: object[]): Promise<() => Promise<RuleBody>> {
  const made = await hub.request("POST", "/rules", { body: { name, trigger, actions } });
  expect([made.status, made.text]).toMatchObject([201, expect.any(String)]);
  const { id } = made.json<RuleBody>();
  return () => hub.get<RuleBody>(`/rules/${id}`);
}

test("an event of a rule is an event of the hub once, and plugins receive it", async () => {
  const stream = await hub.openStream({ type: "custom_doorbell" });
  await rule("Ring", onMessage("house/button"), [
    { type: "fire_event", event_type: "doorbell", fields: { button: "front" } },
  ]);
  await client.publishAsync("house/button", "pressed", { qos: 1 });
  await until("the plugin's view", () => received.includes('hub/events/doorbell {"button":"front"} 1'));
  await client.publishAsync("house/button", "pressed", { qos: 1 });
  await until("the second one", () => stream.frames.length >= 2);
  expect(stream.frames).toMatchObject(Array(2).fill({ type: "custom_doorbell", button: "front", source: "rule" }));
  // Whatever a plugin says afterwards comes afterwards.
  await client.publishAsync("hub/events/doorbell", '{"button":"of a plugin"}', { qos: 1 });
  await stream.frame("the last", ({ button }) => button === "of a plugin");
  expect(stream.frames).toHaveLength(3);
});

test("rules receive what other rules publish, and the commands of the hub", async () => {
  await client.publishAsync("hub/devices/lamp/state", '{"on":false}', { qos: 1 });
  await rule("First", onMessage("house/first"), [publish("house/second", { from: "a rule" })]);
  const second = await rule("Second", onMessage("house/second"), [publish("house/third", "")]);
  const command = await rule("Command", onMessage("hub/devices/+/cmd"), [publish("house/commanded", "")]);
  await client.publishAsync("house/first", "", { qos: 1 });
  await until("the second rule", async () => (await second()).fire_count === 1);
  await hub.request("PATCH", "/devices/lamp/state", { body: { on: true } });
  await until("the rule of commands", async () => (await command()).fire_count === 1);
});

test.each([
  ["a rule that hears itself", "house/echo", [publish("house/echo", "again")]],
  ["a rule that hears its own event", "hub/events/echo", [{ type: "fire_event", event_type: "echo" }]],
])("%s is ended after ten times, and the hub answers", async (name, topic, actions) => {
  const echo = await rule(name, onMessage(topic), actions);
  await client.publishAsync(topic, "{}", { qos: 1 });
  const after = await until("its end", async () => [await echo()].find(({ last_error }) => last_error !== null));
  expect(after.fire_count).toBe(10);
  expect(after.last_error?.message).toContain("more than 10 deep");
  expect((await hub.request("GET", "/health")).status).toBe(200);
  expect((await echo()).fire_count).toBe(10);
});

test("two rules that answer each other's messages are ended as well", async () => {
  const ping = await rule("Ping", onMessage("house/ping"), [publish("house/pong", "")]);
  await rule("Pong", onMessage("house/pong"), [publish("house/ping", "")]);
  await client.publishAsync("house/ping", "", { qos: 1 });
  await until("the end", async () => (await ping()).last_error !== null);
  expect((await ping()).fire_count).toBe(5);
  const between = () => received.filter((one) => one.startsWith("house/p"));
  await until("the last message has come", () => between().length >= 11);
  expect(between()).toHaveLength(11);
});
