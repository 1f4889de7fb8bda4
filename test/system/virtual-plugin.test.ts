// The simulated house in a real hub: installed in a new home, enabled in hub.toml, commanded over REST and MQTT.
import { afterAll, beforeAll, expect } from "bun:test";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import type { StreamClient } from "../support/stream-client.ts";
import { until } from "../support/wait.ts";

const ENTRY = `[[plugins]]
id = "virtual"
binary = "plugins/virtual/bin/virtual.js"
config = "plugins/virtual/config/config.toml"
enabled = true
`;

interface DeviceBody {
  id: string;
  plugin_id: string;
  available: boolean;
  attributes: Record<string, unknown>;
}

const place = createHubPlace({ toml: ENTRY });
let hub: HubProcess;
let stream: StreamClient;
beforeAll(async () => {
  hub = await place.start();
  stream = await hub.openStream({ since: "0" });
  await until("its devices are there", async () => (await virtualDevices()).length === 6);
});
afterAll(() => place[Symbol.asyncDispose]());

const virtualDevices = async () =>
  (await hub.get<DeviceBody[]>("/devices")).filter(({ plugin_id }) => plugin_id === "virtual");
const attributesOf = async (id: string) => (await hub.get<DeviceBody>(`/devices/${id}`)).attributes;

async function command(id: string, body: object): Promise<string> {
  const answer = await hub.request("PATCH", `/devices/${id}/state`, { body });
  expect({ id, body, status: answer.status }).toMatchObject({ status: 202 });
  return answer.json<{ correlation_id: string }>().correlation_id;
}

/** Calls an action of the plugin, as the hub does. */
async function ask(action: string, body: object): Promise<Record<string, unknown>> {
  const client = await hub.mqtt();
  const request_id = crypto.randomUUID();
  const answer = Promise.withResolvers<Record<string, unknown>>();
  client.on("message", (_topic, payload) => {
    const said = JSON.parse(payload.toString()) as Record<string, unknown>;
    if (said.request_id === request_id) answer.resolve(said);
  });
  await client.subscribeAsync("hub/plugins/virtual/manage/response", { qos: 1 });
  await client.publishAsync("hub/plugins/virtual/manage/cmd", JSON.stringify({ action, request_id, ...body }), {
    qos: 1,
  });
  return answer.promise;
}

const step = story("the virtual house");

step("becomes active, and all its devices describe themselves", async () => {
  await until("it is active", async () => (await hub.get<{ status: string }>("/plugins/virtual")).status === "active");
  const devices = await virtualDevices();
  expect(devices.map(({ id }) => id).sort()).toEqual([
    "virtual_front_door",
    "virtual_leak_sensor",
    "virtual_light_kitchen",
    "virtual_light_living_room",
    "virtual_motion_sensor",
    "virtual_thermostat",
  ]);
  await until("all have reported", async () =>
    (await virtualDevices()).every(({ attributes }) => Object.keys(attributes).length > 1),
  );
  for (const device of devices)
    expect(device).toMatchObject({ available: true, capabilities: expect.any(Object), manufacturer: "Hub" });
});

step("a command changes the state, and the event says who sent it", async () => {
  const correlation = await command("virtual_light_kitchen", { on: true });
  const event = await stream.frame(
    "the light is on",
    ({ type, device_id, current }) =>
      type === "device_state_changed" &&
      device_id === "virtual_light_kitchen" &&
      (current as { on?: boolean }).on === true,
  );
  expect(event).toMatchObject({ change: { kind: "user", actor_name: "admin", correlation_id: correlation } });
  expect(event.changed).toContain("on");
  expect(await attributesOf("virtual_light_kitchen")).toMatchObject({ on: true, brightness: 254, power: 9 });
});

step("a command that it cannot carry out changes nothing, and is answered and reported with the reason", async () => {
  const body = { on: true, brightness: 0 };
  const answer = await hub.request("PATCH", "/devices/virtual_light_kitchen/state", { body });
  const { correlation_id: correlation, detail } = answer.json<{ correlation_id: string; detail: string }>();
  expect({ status: answer.status, detail }).toEqual({
    ...{ status: 409, detail: expect.stringContaining("the device refused the command: brightness: 0 is off") },
  });
  const event = await stream.frame("the refusal", ({ type }) => type === "custom_command_refused");
  expect(JSON.stringify(event)).toContain(correlation);
  expect(JSON.stringify(event)).toContain("brightness: 0 is off");
  expect(await stream.frame("the failure", ({ type }) => type === "device_command_failed")).toMatchObject({
    ...{ device_id: "virtual_light_kitchen", reason: "refused", correlation_id: correlation },
    message: expect.stringContaining("brightness: 0 is off"),
  });
  await hub.said(/a command was refused .*virtual_light_kitchen/);
  expect(await attributesOf("virtual_light_kitchen")).toMatchObject({ on: true, brightness: 254 });
});

step("a value that its schema does not allow is refused at once", async () => {
  const body = { brightness: 1000, power: 3 };
  const answer = await hub.request("PATCH", "/devices/virtual_light_kitchen/state", { body });
  expect([answer.status, answer.json().detail]).toEqual([
    400,
    "brightness: must be from 0 to 254, not 1000; power: the device only reports it",
  ]);
});

step("a leak is an event, and the battery level an attribute", async () => {
  await command("virtual_leak_sensor", { leak: true });
  const event = await stream.frame(
    "the leak",
    ({ type, device_id, current }) =>
      type === "device_state_changed" &&
      device_id === "virtual_leak_sensor" &&
      (current as { leak?: boolean }).leak === true,
  );
  expect(event.changed).toEqual(["leak"]);
  const drained = await ask("drain_battery", { device: "virtual_leak_sensor", to_pct: 10 });
  expect(drained).toMatchObject({ status: "ok", data: { battery: 10 } });
  await until("10 % are left", async () => (await attributesOf("virtual_leak_sensor")).battery === 10);
});

step("every change of a burst arrives, and the hub answers meanwhile", async () => {
  const watcher = await hub.openStream({ device_id: "virtual_light_living_room", type: "device_state_changed" });
  const before = await attributesOf("virtual_light_living_room");
  expect(await ask("burst", { changes: 2000, per_second: 5000 })).toMatchObject({ status: "accepted" });
  for (let n = 0; n < 20; n++) expect((await hub.request("GET", "/health", { token: null })).status).toBe(200);
  await until("all of them and the last", () => watcher.frames.length >= 2001);
  expect(watcher.frames).toHaveLength(2001);
  expect(await attributesOf("virtual_light_living_room")).toEqual(before);
});

step("ends with the hub, and a new start restores its devices", async () => {
  await hub.end();
  hub = await place.start();
  await until("all are back", async () => (await virtualDevices()).filter(({ available }) => available).length === 6);
  // A simulated house stores nothing: the plugin starts with its defaults.
  await until("the light is off", async () => (await attributesOf("virtual_light_kitchen")).on === false);
});
