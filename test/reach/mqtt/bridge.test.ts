// Every topic of the plugin protocol, from a real client to the part of the hub it concerns.
import { describe, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { json, startTestMqtt, until } from "./support.ts";

const PANEL = { username: "panel", password: "secret", publish: ["#"], subscribe: [] };

describe("devices", () => {
  test("register reaches the devices and the plugins, nulls are absent and unknown keys pass", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const registration = { device_id: "lamp", plugin_id: "zig", name: "Lamp", area: null, capabilities: {}, more: 1 };
    await client.publishAsync("hub/plugins/zig/register", json(registration), { qos: 1 });
    expect(hub.called("register")).toEqual([
      ["register", { device_id: "lamp", plugin_id: "zig", name: "Lamp", capabilities: {}, more: 1 }, "zig"],
    ]);
    expect(hub.called("registered")).toEqual([["registered", "zig", "lamp"]]);
  });

  test("the topic decides which plugin a device belongs to", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    await client.publishAsync("hub/plugins/zig/register", json({ device_id: "lamp", plugin_id: "other" }), { qos: 1 });
    expect(hub.called("register")).toEqual([["register", { device_id: "lamp", plugin_id: "zig" }, "zig"]]);
    expect(hub.logged("names another plugin")).toHaveLength(1);
  });

  test("unregister by the owner", async () => {
    await using hub = await startTestMqtt({ owners: { lamp: "zig" } });
    const client = await hub.plugin("zig");
    await client.publishAsync("hub/plugins/zig/unregister", json({ device_id: "lamp" }), { qos: 1 });
    expect(hub.called("unregister")).toEqual([["unregister", "lamp", "zig"]]);
  });

  test.each(["register", "unregister"])("%s of another plugin's device is refused", async (row) => {
    await using hub = await startTestMqtt({ owners: { lamp: "other" }, config: { anonymous: true } });
    for (const client of [await hub.plugin("zig"), await hub.client()]) {
      await client.publishAsync(`hub/plugins/zig/${row}`, json({ device_id: "lamp" }), { qos: 1 });
    }
    expect(hub.calls).toEqual([]);
    expect(hub.logged("ignored").map(({ fields }) => fields.reason)).toEqual([
      'the device "lamp" belongs to the plugin "other"',
      'the device "lamp" belongs to the plugin "other"',
    ]);
  });

  test("a device id that is not a topic level is refused", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    await client.publishAsync("hub/plugins/zig/register", json({ device_id: "a/b" }), { qos: 1 });
    await client.publishAsync("hub/plugins/zig/unregister", json({ device_id: "#" }), { qos: 1 });
    expect(hub.calls).toEqual([]);
    expect(hub.logged("ignored")).toHaveLength(2);
  });

  test("state replaces, partial merges, _hc is metadata", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const change = { kind: "user", actor_name: "ann" };
    await client.publishAsync("hub/devices/lamp/state", json({ on: true, _hc: { change } }), { qos: 1, retain: true });
    await client.publishAsync("hub/devices/lamp/state/partial", json({ on: null, _hc: 3 }), { qos: 1 });
    expect(hub.called("state")).toEqual([
      ["state", "lamp", { on: true }, { pluginId: "zig", partial: false, change }],
      ["state", "lamp", { on: null }, { pluginId: "zig", partial: true }],
    ]);
  });

  test("availability in all its spellings", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const spellings = ["online", "Offline", "1", "0", "TRUE", "false", " online\n"];
    for (const text of spellings) await client.publishAsync("hub/devices/lamp/availability", text, { qos: 1 });
    expect(hub.called("availability").map(([, , available]) => available)).toEqual([
      ...[true, false, true, false, true, false, true],
    ]);
    await client.publishAsync("hub/devices/lamp/availability", "perhaps", { qos: 1 });
    await client.publishAsync("hub/devices/lamp/availability", "x".repeat(500), { qos: 1 });
    expect(hub.called("availability")).toHaveLength(spellings.length);
    expect(hub.logged("ignored")).toHaveLength(2);
  });

  test("schema", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    await client.publishAsync("hub/devices/lamp/schema", json({ attributes: {} }), { qos: 1, retain: true });
    expect(hub.called("schema")).toEqual([["schema", "lamp", { attributes: {} }, "zig"]]);
  });

  test("an empty payload clears a retained message, and is ignored", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    for (const row of ["devices/lamp/state", "devices/lamp/availability", "devices/lamp/schema", "plugins/zig/status"])
      await client.publishAsync(`hub/${row}`, "", { qos: 1, retain: true });
    expect(hub.calls).toEqual([]);
    expect(hub.logged("ignored")).toEqual([]);
  });

  test("a report counts as the account's, or as the owner's where the account may write any device", async () => {
    const users = [
      { username: "remote", password: "secret" },
      { username: "nodered", password: "secret", publish: ["hub/devices/#"] },
    ];
    await using hub = await startTestMqtt({
      config: { anonymous: true, users },
      owners: { lamp: "zig", timer: "core" },
    });
    const remote = await hub.client({ username: "remote", password: "secret" });
    const nodered = await hub.client({ username: "nodered", password: "secret" });
    const anonymous = await hub.client();
    await remote.publishAsync("hub/devices/r/state", "{}", { qos: 1 });
    await nodered.publishAsync("hub/devices/n/state", "{}", { qos: 1 });
    await nodered.publishAsync("hub/devices/lamp/state", "{}", { qos: 1 });
    await nodered.publishAsync("hub/devices/timer/state", "{}", { qos: 1 });
    await anonymous.publishAsync("hub/devices/a/state", "{}", { qos: 1 });
    const from = hub.called("state").map(([, device, , source]) => [device, (source as { pluginId: string }).pluginId]);
    expect(from).toEqual([
      ["r", "remote"],
      ["n", "nodered"],
      ["lamp", "zig"],
      ["timer", "nodered"],
      ["a", "anonymous"],
    ]);
  });
});

describe("plugins", () => {
  test("heartbeat, status, capabilities, answers", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const notices = [{ level: "warning", code: "c", message: "m", remedy: null }];
    const rows: [string, string][] = [
      ["heartbeat", json({ timestamp: "2026-01-01T00:00:00Z", version: "1.2", uptime_secs: 3, notices })],
      ["status", "active"],
      ["status", "Degraded"],
      ["status", "offline"],
      ["capabilities", json({ spec: "1", actions: [] })],
      ["manage/response", json({ request_id: "r", status: "ok" })],
    ];
    for (const [row, payload] of rows) await client.publishAsync(`hub/plugins/zig/${row}`, payload, { qos: 1 });
    expect(hub.calls).toEqual([
      ["heartbeat", "zig", { timestamp: "2026-01-01T00:00:00Z", version: "1.2", uptime_secs: 3, notices }],
      ["status", "zig", "active", false],
      ["status", "zig", "degraded", false],
      ["status", "zig", "offline", false],
      ["capabilities", "zig", { spec: "1", actions: [] }],
      ["response", "zig", { request_id: "r", status: "ok" }],
    ]);
  });

  test("wrong types and values are problems with the name of the field", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    await client.publishAsync("hub/plugins/zig/heartbeat", json({ uptime_secs: "long" }), { qos: 1 });
    await client.publishAsync("hub/plugins/zig/register", json({ name: "no id" }), { qos: 1 });
    await client.publishAsync("hub/plugins/zig/status", "sleepy", { qos: 1 });
    expect(hub.calls).toEqual([]);
    expect(hub.logged("ignored").map(({ fields }) => fields.reason)).toEqual([
      "uptime_secs must be a number",
      "device_id missing: must be text",
      "neither active nor degraded nor offline",
    ]);
  });

  test("logs join the hub's log: level mapped, on one line, bounded", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const levels = ["TRACE", "debug", "info", "WARN", "warning", "error", "fatal", "odd"];
    for (const level of levels)
      await client.publishAsync("hub/plugins/zig/logs", json({ level, message: "said" }), { qos: 1 });
    const said = hub.log.filter(({ name }) => name === "zig");
    expect(said.map(({ level }) => level)).toEqual([
      ...["debug", "debug", "info", "warn", "warn", "error", "error", "info"],
    ]);
    const line = { message: "a\nforged\u001b[31m line", target: "net", fields: { port: 1 } };
    await client.publishAsync("hub/plugins/zig/logs", json(line), { qos: 1 });
    expect(hub.log.at(-1)).toEqual({
      ...{ level: "info", name: "zig", message: "a forged [31m line", fields: { target: "net", port: 1 } },
    });
    const long = { message: "x".repeat(9000), fields: { text: "y".repeat(9000) } };
    await client.publishAsync("hub/plugins/zig/logs", json(long), { qos: 1 });
    expect(hub.log.at(-1)?.message).toHaveLength(4000);
    expect(hub.log.at(-1)?.fields).toEqual({ fields: "left out: too long" });
  });

  test("reports of long actions are passed on, and their clearing is not", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    for (const payload of [json({ stage: "progress" }), ""])
      await client.publishAsync("hub/plugins/zig/commands/r1/events", payload, { qos: 1, retain: true });
    expect(hub.calls).toEqual([["report", "zig", "r1", { stage: "progress" }]]);
    expect([hub.logged("denied"), hub.logged("ignored")]).toEqual([[], []]);
  });

  test("any message is a sign of life, but not what a will may say, nor what others send a plugin", async () => {
    await using hub = await startTestMqtt({ owners: { plug: "far" }, config: { users: [PANEL] } });
    const zig = await hub.plugin("zig");
    const panel = await hub.client({ username: PANEL.username, password: PANEL.password });
    const said = async (client: MqttClient, topic: string, payload: string): Promise<string[]> => {
      hub.seen.length = 0;
      await client.publishAsync(topic, payload, { qos: 1 });
      return [...hub.seen];
    };
    for (const topic of ["devices/lamp/state", "plugins/zig/logs", "events/bell", "plugins/zig/commands/r/events"])
      expect({ topic, received: await said(zig, `hub/${topic}`, "{}") }).toEqual({ topic, received: ["zig"] });
    expect(await said(zig, "hub/plugins/zig/heartbeat", "no JSON")).toEqual(["zig"]);
    expect(await said(zig, "hub/plugins/zig/status", "offline")).toEqual([]);
    expect(await said(zig, "hub/devices/lamp/availability", "offline")).toEqual([]);
    expect(await said(zig, "hub/devices/lamp/availability", "online")).toEqual(["zig"]);
    expect(await said(panel, "hub/devices/plug/state", "{}")).toEqual(["a device of far"]);
    expect(await said(panel, "hub/plugins/zig/manage/cmd", "{}")).toEqual([]);
    expect(await said(panel, "elsewhere", "{}")).toEqual([]);
  });
});

describe("custom events", () => {
  test("a client's becomes custom_{type} with its source, and cannot claim the common fields", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const said = { button: 2, type: "x", timestamp: "y", seq: 1, source: "z" };
    await client.publishAsync("hub/events/pressed", json(said), { qos: 1 });
    expect(hub.events).toHaveLength(1);
    const event = hub.events[0]?.event;
    expect(event).toMatchObject({ type: "custom_pressed", button: 2, source: "zig" });
    expect(event?.seq).toBeGreaterThan(1);
    expect(event?.timestamp).toMatch(/^\d{4}-/);
  });

  test("the hub's own are not repeated as events, and reach the plugins", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    await client.subscribeAsync("hub/events/#");
    await hub.mqtt.event("alarm", { a: 1 });
    await until(() => client.messages.length === 1);
    expect(client.messages).toMatchObject([{ topic: "hub/events/alarm", text: '{"a":1}', retain: false }]);
    expect(hub.events).toEqual([]);
  });
});

describe("hostile payloads", () => {
  const deep = `${'{"a":'.repeat(50)}1${"}".repeat(50)}`;
  test.each([
    ["not JSON", "{nope", "not valid JSON"],
    ["not an object", "[1]", "not a JSON object"],
    ["too deep", deep, "nested deeper than 32 levels"],
    ["__proto__", '{"__proto__":{"x":1}}', 'the key "__proto__" is not allowed'],
    ["bytes", Buffer.from([0xff, 0xfe, 0]), "not valid JSON"],
  ])("%s: a warning with who, where and why, never the payload; nothing else", async (_name, payload, reason) => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    for (const row of ["devices/lamp/state", "devices/lamp/schema", "plugins/zig/heartbeat", "events/e"])
      await client.publishAsync(`hub/${row}`, payload, { qos: 1 });
    expect(hub.calls).toEqual([]);
    expect(hub.events).toEqual([]);
    const warnings = hub.logged("ignored");
    expect(warnings[0]?.fields).toEqual({ plugin: "zig", topic: "hub/devices/lamp/state", reason });
    expect(warnings).toHaveLength(4);
    expect(client.connected).toBe(true);
  });

  test("an error of another part of the hub is logged and closes no connection", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    await client.publishAsync("hub/plugins/zig/register", json({ device_id: "refused" }), { qos: 1 });
    await client.publishAsync("hub/devices/broken/state", "{}", { qos: 1 });
    expect(hub.logged("ignored")[0]?.fields.reason).toBe("not this one");
    expect(hub.logged("could not be handled")[0]?.fields.error).toBe("a bug");
    expect(client.connected).toBe(true);
  });

  test("a thousand bad messages are a handful of lines", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    for (let n = 0; n < 1000; n++) client.publish("hub/devices/lamp/state", "{", { qos: 0 });
    await client.publishAsync("hub/devices/lamp/availability", "1", { qos: 1 });
    expect(hub.logged("ignored").length).toBeLessThanOrEqual(5);
  });
});

describe("mqtt_message", () => {
  test("every publish of a client, only while a reader wants them", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const seen: unknown[] = [];
    await client.publishAsync("hub/devices/lamp/state", json({ on: true }), { qos: 1 });
    const listening = hub.feed.on("mqtt_message", "test", ({ event }) => void seen.push(event));
    await client.publishAsync("hub/devices/lamp/state", json({ on: true }), { qos: 1, retain: true });
    await client.publishAsync("hub/devices/lamp/availability", "online", { qos: 1 });
    await client.publishAsync("hub/devices/lamp/availability", Buffer.from([0xff]), { qos: 0 });
    await client.publishAsync("hub/plugins/zig/status", "active", { qos: 1 });
    await client.publishAsync("hub/plugins/other/status", "denied", { qos: 1 });
    await hub.mqtt.publish("hub/x", "the hub's own");
    await hub.mqtt.command("lamp", { on: true });
    await hub.mqtt.event("bell", { button: 1 });
    // Configurations, and answers to questions, contain passwords.
    await hub.mqtt.manage("zig", { action: "set_config" });
    const client_id = client.options.clientId;
    expect(seen).toMatchObject([
      { topic: "hub/devices/lamp/state", payload: { on: true }, payload_bytes: 11, retain: true, qos: 1, client_id },
      { topic: "hub/devices/lamp/availability", payload: "online", retain: false },
      { payload_bytes: 1, qos: 0 },
      { topic: "hub/plugins/zig/status" },
      { topic: "hub/x", payload: "the hub's own", payload_bytes: 13, retain: false, qos: 0 },
      { topic: "hub/devices/lamp/cmd", payload: { on: true }, qos: 1 },
      { topic: "hub/events/bell", payload: { button: 1 }, qos: 1 },
    ]);
    expect(seen).toHaveLength(7);
    expect(seen[4]).not.toHaveProperty("client_id");
    expect(seen[2]).not.toHaveProperty("payload");
    listening[Symbol.dispose]();
    await client.publishAsync("hub/devices/lamp/state", "{}", { qos: 1 });
    expect(seen).toHaveLength(7);
  });
});
