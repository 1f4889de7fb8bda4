// The MQTT account of a plugin that the hub runs: `password`, `publish` and `subscribe` of its entry.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const PASSWORD = "the thermostat's own";
const THERMOSTAT = `
[[plugins]]
id = "thermostat"
binary = "plugins/thermostat/bin/thermostat"
password = "${PASSWORD}"
publish = ["hub/devices/+/cmd"]
subscribe = ["hub/devices/+/state"]
`;

const place = createHubPlace({ toml: THERMOSTAT });
let hub: HubProcess;
/** Owns `valve`. */
let lamps: MqttClient;
const received: string[] = [];

beforeAll(async () => {
  // Its programs connect by themselves, here as the test.
  place.put("plugins/thermostat/bin/thermostat", "#!/bin/sh\nexec sleep 1000\n", 0o755);
  hub = await place.start();
  lamps = await hub.mqtt({ username: "lamps", password: "mqtt-password-of-lamps" });
  note(lamps, "lamps");
  await lamps.publishAsync("hub/plugins/lamps/register", '{"device_id":"valve","name":"Valve"}', { qos: 1 });
  await lamps.subscribeAsync("hub/devices/valve/cmd", { qos: 1 });
});
afterAll(() => place[Symbol.asyncDispose]());

const note = (client: MqttClient, who: string): void =>
  void client.on("message", (topic, payload) => received.push(`${who}: ${topic} ${payload}`));
const login = (password: string): Promise<MqttClient> => hub.mqtt({ username: "thermostat", password });

test("it reads the states of others and commands them, and no more", async () => {
  const thermostat = await login(PASSWORD);
  note(thermostat, "thermostat");
  await thermostat.subscribeAsync("hub/devices/+/state", { qos: 1 });
  await lamps.publishAsync("hub/devices/valve/state", '{"open":10}', { qos: 1 });
  await until("the state", () => received.includes('thermostat: hub/devices/valve/state {"open":10}'));
  await thermostat.publishAsync("hub/devices/valve/state", '{"open":99}', { qos: 1 });
  await thermostat.publishAsync("hub/plugins/lamps/manage/cmd", "{}", { qos: 1 });
  await thermostat.publishAsync("hub/devices/valve/cmd", '{"open":50}', { qos: 1 });
  await until("the command", () => received.includes('lamps: hub/devices/valve/cmd {"open":50}'));
  expect(await hub.get("/devices/valve")).toMatchObject({ plugin_id: "lamps", attributes: { open: 10 } });
  expect(await hub.get("/plugins/thermostat")).toMatchObject({ status: "active", managed: true });
});

test("its password is fixed, secret, and worth nothing while it is stopped", async () => {
  await expect(login("another password")).rejects.toThrow();
  const again = await login(PASSWORD);
  const closed = new Promise<void>((resolve) => again.once("close", () => resolve()));
  await hub.request("POST", "/plugins/thermostat/stop");
  await closed;
  await expect(login(PASSWORD)).rejects.toThrow();
  await hub.request("POST", "/plugins/thermostat/start");
  await login(PASSWORD);
  expect(hub.output).not.toContain(PASSWORD);
});
