// A hub at a broker of others does what it does at its own: devices, commands, rules, events, plugins' topics.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { retained, startBroker, startExternalHub } from "./rig.ts";

setDefaultTimeout(60_000);

const RULE = `id = "echo"
name = "Echo"
[trigger]
type = "mqtt_message"
topic = "doorbell/button"
[[actions]]
type = "publish_mqtt"
topic = "doorbell/answer"
payload = "{{trigger.payload}}"
`;

test("what the broker keeps says how devices are, without an event or a sign of life; what comes live is both", async () => {
  await using broker = await startBroker();
  const client = await broker.client();
  await client.publishAsync("hub/devices/lamp/state", '{"on":true}', retained);
  await client.publishAsync("hub/devices/lamp/availability", "online", retained);
  await client.publishAsync("hub/events/rang", '{"n":1}', retained);
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`);
  using stream = await hub.openStream({ type: "custom_rang,custom_done,mqtt_message,device_state_changed" });
  await hub.connected();
  await until("the lamp is there", async () => (await hub.device("lamp"))?.available);
  expect(await hub.device("lamp")).toMatchObject({ plugin_id: "mqtt", last_seen: null, attributes: { on: true } });
  await client.publishAsync("hub/devices/lamp/state/partial", '{"brightness":7}', { qos: 1 });
  await client.publishAsync("hub/events/done", "{}", { qos: 1 });
  await stream.frame("the last event has come", ({ type }) => type === "custom_done");
  expect(await hub.device("lamp")).toMatchObject({
    ...{ last_seen: expect.any(String), attributes: { on: true, brightness: 7 } },
  });
  expect(stream.frames.filter(({ type }) => type === "custom_rang")).toEqual([]);
  const received = stream.frames.filter(({ type }) => type === "mqtt_message").map(({ topic }) => topic);
  // What the hub says when it comes may be in the stream already.
  expect(received.filter((topic) => String(topic).startsWith("hub/"))).toEqual([
    ...["hub/devices/lamp/state/partial", "hub/events/done"],
  ]);
});

test("a command arrives once, and the device's answer is the hub's state", async () => {
  await using broker = await startBroker();
  const device = await broker.client();
  await device.publishAsync("hub/devices/lamp/availability", "online", retained);
  await device.publishAsync("hub/devices/lamp/state", '{"on":true}', retained);
  await device.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`);
  await until("the lamp is there", async () => (await hub.device("lamp"))?.available);
  const answer = await hub.request("PATCH", "/devices/lamp/state", { token: hub.adminToken, body: { on: false } });
  expect(answer.status).toBe(202);
  await until("the command arrives", () => device.messages.some(({ topic }) => topic === "hub/devices/lamp/cmd"));
  expect(device.messages.filter(({ topic }) => topic === "hub/devices/lamp/cmd")).toHaveLength(1);
  await device.publishAsync("hub/devices/lamp/state", '{"on":false}', retained);
  await until("it is off", async () => (await hub.device("lamp"))?.attributes.on === false);
});

test("a device that the broker keeps a state of takes commands before it reports anything; one that is kept as offline does not", async () => {
  await using broker = await startBroker();
  const device = await broker.client();
  for (const id of ["lamp", "gone"]) await device.publishAsync(`hub/devices/${id}/state`, '{"on":true}', retained);
  await device.publishAsync("hub/devices/gone/availability", "offline", retained);
  await device.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`);
  await hub.connected();
  await until(
    "both are known",
    async () => (await hub.device("lamp")) && (await hub.device("gone"))?.available === false,
  );
  const status = async (id: string): Promise<number> =>
    (await hub.request("PATCH", `/devices/${id}/state`, { token: hub.adminToken, body: { on: false } })).status;
  expect([await status("lamp"), await status("gone")]).toEqual([202, 409]);
  await until("the command arrives", () => device.messages.some(({ topic }) => topic === "hub/devices/lamp/cmd"));
  expect(await hub.device("lamp")).toMatchObject({ available: true, last_seen: null });
});

test("a rule receives a message and publishes once; the hub does not receive itself twice", async () => {
  await using broker = await startBroker();
  const client = await broker.client();
  await client.subscribeAsync("doorbell/answer");
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("rules"), { recursive: true });
  writeFileSync(folder.at("rules", "echo.toml"), RULE);
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`, { folder });
  using stream = await hub.openStream({ type: "mqtt_message" });
  await hub.connected();
  await client.publishAsync("doorbell/button", "ding", { qos: 1 });
  await until("the rule answers", () => client.messages.length > 0);
  await client.publishAsync("doorbell/last", "x", { qos: 1 });
  await stream.frame("the last message is heard", ({ topic }) => topic === "doorbell/last");
  expect(client.messages).toEqual([{ topic: "doorbell/answer", text: "ding" }]);
  const received = stream.frames.map(({ topic }) => topic).filter((topic) => String(topic).startsWith("doorbell/"));
  expect(received).toEqual(["doorbell/button", "doorbell/answer", "doorbell/last"]);
});

test("a device that announces itself is discovered from what the broker keeps, and commanded on its own topics", async () => {
  await using broker = await startBroker();
  const device = await broker.client();
  const config = {
    ...{ name: "Plug", unique_id: "plug_1", command_topic: "plug/set", state_topic: "plug/state" },
    ...{ payload_on: "ON", payload_off: "OFF", device: { identifiers: ["plug_1"], name: "Plug" } },
  };
  await device.publishAsync("homeassistant/switch/plug_1/config", JSON.stringify(config), retained);
  await device.publishAsync("plug/state", "ON", retained);
  await device.subscribeAsync("plug/set");
  await using hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`);
  const [plug] = await until("it is discovered", async () => {
    const all = await hub.get<{ id: string; plugin_id: string; attributes: object }[]>("/devices");
    const found = all.filter(({ plugin_id }) => plugin_id === "mqtt");
    return found.length > 0 && Object.keys(found[0]?.attributes ?? {}).length > 0 ? found : undefined;
  });
  expect(plug?.attributes).toEqual({ on: true });
  await device.publishAsync("plug/state", "OFF", retained);
  const path = `/devices/${encodeURIComponent(plug?.id ?? "")}/state?force=true`;
  expect((await hub.request("PATCH", path, { token: hub.adminToken, body: { on: true } })).status).toBe(202);
  await until("it is commanded", () =>
    device.messages.some(({ topic, text }) => topic === "plug/set" && text === "ON"),
  );
});

test("accounts of the embedded broker are refused with where they are made instead", async () => {
  await using broker = await startBroker();
  const url = `mqtt://127.0.0.1:${broker.port}`;
  await using hub = await startExternalHub(url);
  const body = { name: "bridge", kind: "zigbee2mqtt" };
  for (const [method, path, given] of [
    ["GET", "/mqtt/accounts", undefined],
    ["POST", "/mqtt/accounts", body],
    ["POST", "/mqtt/accounts/x/password", undefined],
    ["DELETE", "/mqtt/accounts/x", undefined],
  ] as const) {
    const answer = await hub.request(method, path, { token: hub.adminToken, ...(given && { body: given }) });
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining(`broker at ${url}`)]);
  }
  const answer = await hub.request("POST", "/mqtt/accounts", { token: hub.adminToken, body });
  expect(await answer.text()).toContain("needs to publish to zigbee2mqtt/#, homeassistant/#");
  expect(await hub.get("/system/setup")).toMatchObject({ mqtt_external: url, mqtt_everywhere: true });
});
