// A Homie lamp on the compiled hub: it appears, reports, is switched on, is lost with its connection, and is there after a restart.
import { afterAll, beforeAll, expect } from "bun:test";
import type { MqttClient } from "mqtt";
import { inTopics, LAMP } from "../house/discovery/homie-messages.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import { until } from "../support/wait.ts";

const ID = "homie_hall-lamp";
const account = { username: "homie", password: "homie-password" };
const place = createHubPlace({
  toml: `[[mqtt.users]]\nusername = "homie"\npassword = "homie-password"\npublish = ["homie/#"]\nsubscribe = ["homie/#"]\n`,
});
let hub: HubProcess;
let lamp: MqttClient;
let received: string[] = [];

async function startLamp(): Promise<void> {
  lamp = await hub.mqtt({
    ...account,
    will: { topic: "homie/hall-lamp/$state", payload: Buffer.from("lost"), qos: 1, retain: true },
    reconnectPeriod: 0,
  });
  await lamp.subscribeAsync("homie/hall-lamp/+/+/set");
  lamp.on("message", (topic, payload) => {
    received.push(`${topic} ${payload}`);
    lamp.publish(topic.replace(/\/set$/, ""), payload, { qos: 1, retain: true });
  });
}
const say = (topic: string, payload: string) => lamp.publishAsync(topic, payload, { qos: 1, retain: true });
const device = async () => (await hub.request("GET", `/devices/${ID}`)).json<Record<string, never>>();
const isSo = (what: string, wanted: object) =>
  until(what, async () => {
    try {
      expect(await device()).toMatchObject(wanted);
      return true;
    } catch {
      return false;
    }
  });

beforeAll(async () => {
  hub = await place.start();
  await startLamp();
});
afterAll(() => place[Symbol.asyncDispose]());

const step = story("a Homie lamp");

step("it appears with what it has reported", async () => {
  for (const [topic, payload] of inTopics("hall-lamp", LAMP)) await say(topic, payload);
  await say("homie/hall-lamp/light/power", "false");
  await say("homie/hall-lamp/climate/temperature", "21.5");
  await isSo("the lamp", { device_type: "light", available: true, attributes: { on: false, temperature: 21.5 } });
});

step("it is switched on, and what it does not take is refused", async () => {
  received = [];
  const command = (body: object) => hub.request("PATCH", `/devices/${ID}/state`, { body });
  expect((await command({ on: true })).status).toBe(202);
  await isSo("the lamp is on", { attributes: { on: true } });
  expect(received).toEqual(["homie/hall-lamp/light/power/set true"]);
  expect((await command({ brightness_pct: 101 })).status).toBe(400);
  expect((await command({ temperature: 20 })).status).toBe(400);
});

step("it is not available when its connection breaks off", async () => {
  lamp.stream.destroy();
  await isSo("the lamp is lost", { available: false });
});

step("after a restart of the hub it is the same device, once it is back", async () => {
  hub.kill("SIGTERM");
  await hub.exited;
  hub = await place.start();
  await startLamp();
  await say("homie/hall-lamp/$state", "ready");
  await isSo("the lamp is back", { available: true, attributes: { on: true, temperature: 21.5 } });
});
