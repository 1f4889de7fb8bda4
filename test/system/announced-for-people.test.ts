// What is announced in the form of Home Assistant, on the compiled hub: a lamp, a cover without a position, a start time, a password.
import { afterAll, beforeAll, expect } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import { until } from "../support/wait.ts";

const PASSWORD = "hunter2-and-more";
const DEVICE = {
  ...{ identifiers: ["esp1"], name: "Board", sw_version: "1.2", hw_version: "B", serial_number: "42" },
  ...{ configuration_url: "http://192.0.2.7/", connections: [["mac", "02:5b:00:00:00:01"]] },
};
const ANNOUNCED: Readonly<Record<string, object>> = {
  "light/lamp": { schema: "json", command_topic: "esp/lamp/set", state_topic: "esp/lamp", brightness: true },
  "cover/blind": { command_topic: "esp/blind/set", state_topic: "esp/blind" },
  "time/start": { command_topic: "esp/set/start", state_topic: "esp/start" },
  "text/wifi": {
    ...{ command_topic: "esp/set/wifi", state_topic: "esp", value_template: "{{ value_json.wifi }}", mode: "password" },
  },
};

const place = createHubPlace({
  toml: `[[mqtt.users]]
username = "esp"
password = "esp-password"
publish = ["esp/#", "homeassistant/#"]
subscribe = ["esp/#"]
`,
});
let hub: HubProcess;
let board: MqttClient;
let sets: string[] = [];

beforeAll(async () => {
  hub = await place.start();
  board = await hub.mqtt({ username: "esp", password: "esp-password" });
  await board.subscribeAsync(["esp/+/set", "esp/set/+"]);
  board.on("message", (topic, payload) => sets.push(`${topic} ${payload}`));
  for (const [topic, config] of Object.entries(ANNOUNCED)) {
    const payload = { ...config, unique_id: topic.replace("/", "_"), device: DEVICE };
    await board.publishAsync(`homeassistant/${topic}/config`, JSON.stringify(payload), { qos: 1 });
  }
  await until(
    "the board",
    async () => (await properties()).wifi !== undefined && (await properties()).start !== undefined,
  );
});
afterAll(() => place[Symbol.asyncDispose]());

interface Shown {
  attributes: Record<string, unknown>;
  schema: { properties: Record<string, unknown> };
}
const device = () => hub.get<Shown>("/devices/esp1");
const properties = async (): Promise<Record<string, unknown>> => {
  const { status, json } = await hub.request("GET", "/devices/esp1");
  return status === 200 ? json<Shown>().schema.properties : {};
};
const command = (body: object) => hub.request("PATCH", "/devices/esp1/state", { body });

const step = story("what a board announces");

step("it says what it is", async () => {
  expect(await device()).toMatchObject({
    ...{ sw_version: "1.2", hw_version: "B", serial_number: "42", configuration_url: "http://192.0.2.7/" },
    connections: [["mac", "02:5b:00:00:00:01"]],
  });
});

step("its lamp is lit by its brightness, its blind goes to its ends, its start is a time of day", async () => {
  sets = [];
  expect((await command({ brightness_pct: 100 })).status).toBe(202);
  expect((await command({ position: 100 })).status).toBe(202);
  expect((await command({ start: "06:30" })).status).toBe(202);
  await until("the commands", () => sets.length === 3);
  expect(sets).toEqual([
    'esp/lamp/set {"state":"ON","brightness":255}',
    "esp/blind/set OPEN",
    "esp/set/start 06:30:00",
  ]);
  const refused = await command({ start: "half past six" });
  expect([refused.status, refused.json().detail]).toEqual([
    400,
    'start: must be a time of day such as "06:30" or "06:30:00"',
  ]);
  await board.publishAsync("esp/blind", "closed", { qos: 1 });
  await until("the blind", async () => (await device()).attributes.position === 0);
});

step("its password reaches it, and is nowhere in the house", async () => {
  const stream = await hub.openStream({});
  const rule = {
    name: "a new password",
    trigger: { type: "manual_trigger" },
    actions: [{ type: "set_device_state", device_id: "esp1", state: { wifi: PASSWORD } }],
  };
  sets = [];
  expect((await command({ wifi: PASSWORD })).status).toBe(202);
  await board.publishAsync("esp", JSON.stringify({ wifi: PASSWORD, uptime: 7 }), { qos: 1 });
  const { id } = (await hub.request("POST", "/rules", { body: rule })).json();
  expect((await hub.request("POST", `/rules/${id}/run`, { body: {} })).status).toBeLessThan(300);
  await until("both commands", () => sets.filter((one) => one === `esp/set/wifi ${PASSWORD}`).length === 2);
  await until("two events", () => stream.frames.filter(({ type }) => type === "device_command_sent").length === 2);
  await until("the trace", async () => (await hub.get<unknown[]>(`/rules/${id}/traces`)).length > 0);
  const shown = [
    ...[stream.frames, await device(), await hub.get(`/rules/${id}/traces`), await hub.get("/events?limit=1000")],
    await hub.get("/system/audit"),
  ];
  expect(JSON.stringify(shown)).not.toContain(PASSWORD);
  expect(hub.output).not.toContain(PASSWORD);
});
