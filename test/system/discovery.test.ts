// A device that announces itself, on the compiled hub: it appears, reports, is commanded and refused, presses twice, and survives
// a restart.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import { until } from "../support/wait.ts";

const LAMP = "0x00158d0001a2b3c4";
const numeric = (name: string, access: number, more: object = {}) => ({
  ...{ type: "numeric", name, property: name, access },
  ...more,
});
const DEVICES = [
  { ieee_address: "0x01", type: "Coordinator", friendly_name: "Coordinator", definition: null },
  {
    ieee_address: LAMP,
    type: "Router",
    friendly_name: "living/lamp",
    definition: {
      model: "LED1",
      vendor: "Maker",
      exposes: [
        {
          type: "light",
          features: [
            {
              ...{ type: "binary", name: "state", property: "state", access: 7 },
              ...{ value_on: "ON", value_off: "OFF", value_toggle: "TOGGLE" },
            },
            numeric("brightness", 7, { value_min: 0, value_max: 254 }),
          ],
        },
        numeric("linkquality", 1, { category: "diagnostic" }),
      ],
      options: [],
    },
  },
  {
    ieee_address: "0x02",
    type: "EndDevice",
    friendly_name: "button",
    definition: {
      ...{ model: "B", vendor: "Maker", options: [] },
      exposes: [{ type: "enum", name: "action", property: "action", access: 1, values: ["single"] }],
    },
  },
];

const RULE = {
  name: "a press switches the lamp",
  trigger: { type: "button_event", device_id: "0x02" },
  actions: [{ type: "set_device_state", device_id: LAMP, state: { brightness_pct: 50 } }],
};

const place = createHubPlace({
  toml: `[[mqtt.users]]
username = "z2m"
password = "z2m-password"
publish = ["zigbee2mqtt/#"]
subscribe = ["zigbee2mqtt/#"]
`,
});
let hub: HubProcess;
let bridge: MqttClient;
let sets: { topic: string; payload: unknown }[] = [];

async function startBridge(): Promise<void> {
  bridge = await hub.mqtt({ username: "z2m", password: "z2m-password" });
  await bridge.subscribeAsync("zigbee2mqtt/+/lamp/set");
  bridge.on("message", (topic, payload) => sets.push({ topic, payload: JSON.parse(payload.toString()) }));
}
const say = (topic: string, payload: unknown) =>
  bridge.publishAsync(`zigbee2mqtt/${topic}`, JSON.stringify(payload), { qos: 1 });
const device = (id: string) =>
  hub.get<{ attributes: Record<string, unknown>; [key: string]: unknown }>(`/devices/${id}`);

beforeAll(async () => {
  hub = await place.start();
  await startBridge();
  await say("bridge/devices", DEVICES);
});
afterAll(() => place[Symbol.asyncDispose]());

const step = story("a device that announces itself");

step("it appears with name, type and values in the words of all devices", async () => {
  await say("living/lamp", { state: "ON", brightness: 127, linkquality: 80 });
  // What is announced is taken in slices, between which others have their turn.
  await until("it is taken", async () => {
    const { status, json } = await hub.request("GET", `/devices/${LAMP}`);
    return status === 200 && (json() as Awaited<ReturnType<typeof device>>).attributes.linkquality === 80;
  });
  expect(await device(LAMP)).toMatchObject({
    ...{ name: "living/lamp", device_type: "light", plugin_id: "z2m", manufacturer: "Maker", model: "LED1" },
    available: true,
    attributes: { on: true, brightness: 127, brightness_pct: 50, linkquality: 80 },
  });
  expect(await hub.get<unknown[]>("/discovery")).toContainEqual(
    expect.objectContaining({
      source: "zigbee2mqtt",
      account: "z2m",
      state: "accepted",
      device_id: LAMP,
      problem: null,
    }),
  );
});

step("a command reaches it as it expects, and what it does not take is refused", async () => {
  const command = (body: object) => hub.request("PATCH", `/devices/${LAMP}/state`, { body });
  sets = [];
  expect((await command({ on: false, brightness_pct: 100 })).status).toBe(202);
  await until("the command", () => sets.length > 0);
  expect(sets).toEqual([{ topic: "zigbee2mqtt/living/lamp/set", payload: { state: "OFF", brightness: 254 } }]);
  for (const [wrong, detail] of [
    [{ linkquality: 1 }, "linkquality: the device only reports it"],
    [{ brightness_pct: 101 }, "brightness_pct: must be from 0 to 100 %, not 101"],
    [{ volume: 3 }, "volume: the device has no such attribute"],
  ] as const) {
    const answer = await command(wrong);
    expect([answer.status, answer.json().detail]).toEqual([400, detail]);
  }
});

step("the same press twice is two events, and a rule receives both", async () => {
  expect((await hub.request("POST", "/rules", { body: RULE })).status).toBe(201);
  const stream = await hub.openStream({ type: "device_action,rule_fired" });
  sets = [];
  await say("button", { action: "single" });
  await say("button", { action: "single" });
  await until("two commands", () => sets.length === 2);
  expect(sets.map(({ payload }) => payload)).toEqual([{ brightness: 127 }, { brightness: 127 }]);
  await until("two presses", () => stream.frames.filter(({ type }) => type === "device_action").length === 2);
  expect(stream.frames.find(({ type }) => type === "device_action")).toMatchObject({
    device_id: "0x02",
    action: "single",
  });
});

step("its settings and diagnostic values are not recorded, its own values are", async () => {
  await say("living/lamp", { state: "OFF", brightness: 10, linkquality: 20 });
  const samples = async (attribute: string) =>
    (await hub.get<{ samples?: unknown[] } | unknown[]>(
      `/devices/${LAMP}/history?attribute=${attribute}`,
    )) as unknown[];
  await until("the sample", async () => JSON.stringify(await samples("brightness")).includes("10"));
  expect(JSON.stringify(await samples("linkquality"))).not.toContain("20");
});

step("after a restart it is the same device; what it does not announce again is refused, not lost", async () => {
  await hub.request("PATCH", `/devices/${LAMP}`, { body: { name: "Reading lamp" } });
  await bridge.endAsync();
  hub.kill("SIGTERM");
  await hub.exited;
  hub = await place.start();
  const before = await hub.request("PATCH", `/devices/${LAMP}/state?force=true`, { body: { on: true } });
  expect(before.status).toBe(503);
  await startBridge();
  await say("bridge/devices", DEVICES);
  await say("living/lamp", { state: "ON", brightness: 254 });
  await until("the state", async () => (await device(LAMP)).attributes.brightness_pct === 100);
  expect(await device(LAMP)).toMatchObject({ name: "Reading lamp", available: true });
  const devices = await hub.get<{ plugin_id: string }[]>("/devices");
  // With the bridge itself.
  expect(devices.filter(({ plugin_id }) => plugin_id === "z2m")).toHaveLength(3);
});

step(
  "after a kill a device whose announcement was retained obeys at once, though nothing was announced again",
  async () => {
    await bridge.publishAsync("zigbee2mqtt/bridge/devices", JSON.stringify(DEVICES), { qos: 1, retain: true });
    await until("it is on the disk", () => {
      using db = new Database(place.at("data/state.redb"), { readonly: true });
      return db.query("SELECT 1 FROM mqtt_retained WHERE topic = 'zigbee2mqtt/bridge/devices'").get();
    });
    hub.kill("SIGKILL");
    await hub.exited;
    bridge.end(true);
    hub = await place.start();
    expect(await device(LAMP)).toMatchObject({ name: "Reading lamp", available: false });
    await startBridge();
    sets = [];
    const answer = await hub.request("PATCH", `/devices/${LAMP}/state?force=true`, { body: { on: false } });
    expect(answer.status).toBe(202);
    await until("the command", () => sets.length > 0);
    expect(sets).toEqual([{ topic: "zigbee2mqtt/living/lamp/set", payload: { state: "OFF" } }]);
    await say("bridge/state", { state: "online" });
    await until("it is there", async () => (await device(LAMP)).available === true);
  },
);

step("devices receive when the hub comes and when it goes", async () => {
  const received: string[] = [];
  const listener = await hub.mqtt();
  listener.on("message", (_, payload) => received.push(payload.toString()));
  await listener.subscribeAsync("homeassistant/status");
  // They were cut off when the hub said it first.
  await until("it says that it is there", () => received.includes("online"));
  hub.kill("SIGTERM");
  await until("it says that it goes", () => received.includes("offline"));
});
