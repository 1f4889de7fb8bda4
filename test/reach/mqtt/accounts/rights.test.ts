// Who may do what, over real connections.
import { describe, expect, test } from "bun:test";
import { json, startTestMqtt, type TestClient, type TestMqtt, until } from "../support.ts";

const users = [
  { username: "remote", password: "secret" },
  { username: "panel", password: "secret", publish: ["hub/devices/+/cmd", "$SYS/note"], subscribe: ["hub/devices/#"] },
  { username: "reader", password: "secret", subscribe: ["hub/devices/lamp/state"] },
];
const owners = { lamp: "zig", plug: "other" };
const start = (): Promise<TestMqtt> => startTestMqtt({ config: { anonymous: true, users }, owners });
const login = (username: string) => ({ username, password: "secret" });

/** Publishes with QoS 1 and returns whether the broker allowed it. */
async function passes(hub: TestMqtt, client: TestClient, topic: string): Promise<boolean> {
  const before = hub.logged("a publish was denied").length;
  await client.publishAsync(topic, "{}", { qos: 1 });
  return hub.logged("a publish was denied").length === before;
}

async function subscribes(client: TestClient, topic: string): Promise<boolean> {
  const [grant] = await client.subscribeAsync(topic).catch(() => []);
  return grant !== undefined && grant.qos < 128;
}

describe("a plugin publishes", () => {
  test.each([
    ["hub/plugins/zig/heartbeat", true],
    ["hub/plugins/zig/commands/r1/events", true],
    ["hub/plugins/other/heartbeat", false],
    ["hub/plugins/other/register", false],
    ["hub/plugins/other/commands/r1/events", false],
    ["hub/plugins/zig/manage/cmd", false],
    ["hub/devices/lamp/state", true],
    ["hub/devices/nobodys/state", true],
    ["hub/devices/plug/state", false],
    ["hub/devices/plug/availability", false],
    ["hub/devices/lamp/cmd", false],
    ["hub/events/pressed", true],
    ["hub/anything", false],
    ["elsewhere", false],
    ["$SYS/x", false],
  ])("%s: %p", async (topic, allowed) => {
    await using hub = await start();
    const client = await hub.plugin("zig");
    expect(await passes(hub, client, topic)).toBe(allowed);
    expect(client.connected).toBe(true);
  });

  test("a user without lists has the rights of the plugin with its name", async () => {
    await using hub = await start();
    const client = await hub.client(login("remote"));
    expect(await passes(hub, client, "hub/plugins/remote/heartbeat")).toBe(true);
    expect(await passes(hub, client, "hub/devices/mine/state")).toBe(true);
    expect(await passes(hub, client, "hub/plugins/zig/heartbeat")).toBe(false);
    expect(await passes(hub, client, "hub/devices/lamp/state")).toBe(false);
    expect(hub.owner.get("mine")).toBe("remote");
  });

  test("a denied publish is acknowledged, not delivered, not retained, and logged with account and address", async () => {
    await using hub = await start();
    const listener = await hub.client();
    await listener.subscribeAsync("#");
    const client = await hub.plugin("zig");
    for (const qos of [0, 1, 2] as const)
      await client.publishAsync("hub/devices/plug/state", "forged", { qos, retain: true });
    await client.publishAsync("hub/events/after", "{}", { qos: 1 });
    await until(() => listener.messages.some(({ topic }) => topic === "hub/events/after"));
    expect(listener.messages).toHaveLength(1);
    expect(hub.called("state")).toEqual([]);
    expect(hub.logged("a publish was denied")[0]?.fields).toMatchObject({
      ...{ account: "zig", address: "127.0.0.1", topic: "hub/devices/plug/state" },
    });
    const late = await hub.client();
    await late.subscribeAsync(["hub/devices/#", "$SYS/#"]).catch(() => {});
    await late.publishAsync("hub/events/late", "{}", { qos: 1 });
    expect(late.messages).toEqual([]);
  });

  test("thousands of denials are a handful of lines", async () => {
    await using hub = await start();
    const client = await hub.plugin("zig");
    for (let n = 0; n < 2000; n++) client.publish(`hub/devices/plug/state/${n}`, "x");
    await client.publishAsync("hub/events/after", "{}", { qos: 1 });
    expect(hub.logged("a publish was denied").length).toBe(5);
  });
});

describe("wills", () => {
  test("a will with rights is published, one without is not", async () => {
    await using hub = await start();
    const will = (topic: string) => ({ topic, payload: Buffer.from("offline"), qos: 1 as const, retain: true });
    const good = await hub.plugin("zig", { will: will("hub/plugins/zig/status") });
    const bad = await hub.plugin("evil", { will: will("hub/plugins/zig/status") });
    const forger = await hub.plugin("forger", { will: will("hub/devices/plug/availability") });
    for (const client of [bad, forger, good]) client.stream.destroy();
    await until(() => hub.called("status").length === 1);
    await until(() => hub.logged("a publish was denied").length === 2);
    expect(hub.calls).toEqual([["status", "zig", "offline", true]]);
  });

  test("the wills of clients that a stop disconnects are ignored", async () => {
    const hub = await start();
    await hub.plugin("zig", { will: { topic: "hub/plugins/zig/status", payload: Buffer.from("offline"), qos: 1 } });
    await hub[Symbol.asyncDispose]();
    expect(hub.calls).toEqual([]);
  });
});

describe("a plugin receives", () => {
  test("only its own messages, whatever it subscribes to", async () => {
    await using hub = await start();
    const client = await hub.plugin("zig");
    const other = await hub.plugin("other");
    for (const filter of ["hub/#", "+/devices/+/cmd", "hub/plugins/+/manage/cmd", "hub/events/#"])
      expect(await subscribes(client, filter)).toBe(true);
    await other.publishAsync("hub/devices/plug/state", "{}", { qos: 1, retain: true });
    await client.publishAsync("hub/devices/lamp/state", "{}", { qos: 1, retain: true });
    await hub.mqtt.command("plug", { on: true });
    await hub.mqtt.command("lamp", { on: true });
    await hub.mqtt.manage("other", { action: "ping" });
    await hub.mqtt.manage("zig", { action: "ping" });
    await hub.mqtt.publish("hub/events/end", "{}", { qos: 1 });
    await until(() => client.messages.some(({ topic }) => topic === "hub/events/end"));
    expect([...new Set(client.messages.map(({ topic }) => topic))]).toEqual([
      ...["hub/devices/lamp/state", "hub/devices/lamp/cmd", "hub/plugins/zig/manage/cmd", "hub/events/end"],
    ]);
  });

  test("its own retained state, not that of others", async () => {
    await using hub = await start();
    const first = await hub.plugin("zig");
    const other = await hub.plugin("other");
    await first.publishAsync("hub/devices/lamp/state", json({ on: true }), { qos: 1, retain: true });
    await other.publishAsync("hub/devices/plug/state", json({ on: true }), { qos: 1, retain: true });
    const again = await hub.plugin("zig");
    await again.subscribeAsync(["hub/devices/plug/#", "hub/devices/lamp/#"]);
    await until(() => again.messages.length > 0);
    await again.publishAsync("hub/events/x", "{}", { qos: 1 });
    expect(again.messages).toEqual([{ topic: "hub/devices/lamp/state", text: '{"on":true}', qos: 0, retain: true }]);
  });

  test.each([
    ["hub/devices/lamp/cmd", true],
    ["hub/devices/new/cmd", true],
    ["hub/devices/plug/cmd", false],
    ["hub/plugins/other/manage/cmd", false],
    ["hub/plugins/zig/manage/cmd", true],
    ["$SYS/#", false],
    ["$share/g/hub/#", false],
    ["elsewhere", false],
  ])("a subscription to %s: %p", async (filter, allowed) => {
    await using hub = await start();
    const client = await hub.plugin("zig");
    expect(await subscribes(client, filter)).toBe(allowed);
    expect(hub.logged("a subscription was denied")).toHaveLength(allowed ? 0 : 1);
    expect(client.connected).toBe(true);
  });
});

describe("accounts with lists", () => {
  test.each([
    ["hub/devices/plug/cmd", true],
    ["$SYS/note", true],
    ["hub/devices/plug/state", false],
    ["hub/plugins/panel/heartbeat", false],
  ])("publish %s: %p", async (topic, allowed) => {
    await using hub = await start();
    expect(await passes(hub, await hub.client(login("panel")), topic)).toBe(allowed);
  });

  test("a command from a listed account reaches the plugin", async () => {
    await using hub = await start();
    const plugin = await hub.plugin("zig");
    await plugin.subscribeAsync("hub/devices/+/cmd");
    const panel = await hub.client(login("panel"));
    await panel.publishAsync("hub/devices/lamp/cmd", json({ on: true }), { qos: 1 });
    await until(() => plugin.messages.length === 1);
  });

  test("delivery is filtered by the list", async () => {
    await using hub = await start();
    const reader = await hub.client(login("reader"));
    expect(await subscribes(reader, "#")).toBe(true);
    expect(await subscribes(reader, "hub/devices/plug/state")).toBe(false);
    expect(await subscribes(reader, "$SYS/#")).toBe(false);
    expect(await passes(hub, reader, "hub/events/x")).toBe(false);
    await hub.mqtt.publish("hub/devices/plug/state", "{}");
    await hub.mqtt.publish("hub/devices/lamp/state", "{}");
    await until(() => reader.messages.length > 0);
    expect(reader.messages.map(({ topic }) => topic)).toEqual(["hub/devices/lamp/state"]);
  });
});

describe("anonymous", () => {
  test("all topics but the hub's own and other plugins' devices", async () => {
    await using hub = await start();
    const client = await hub.client();
    for (const topic of ["anything", "hub/devices/new/state", "hub/events/x", "hub/x"])
      expect([topic, await passes(hub, client, topic)]).toEqual([topic, true]);
    for (const topic of ["$SYS/x", "hub/devices/lamp/cmd", "hub/plugins/core/status", "hub/devices/plug/state"])
      expect([topic, await passes(hub, client, topic)]).toEqual([topic, false]);
  });

  test("an anonymous plugin may publish for the id it has used", async () => {
    await using hub = await start();
    const client = await hub.client();
    await client.publishAsync("hub/plugins/zig/heartbeat", "{}", { qos: 1 });
    expect(await passes(hub, client, "hub/devices/lamp/state")).toBe(true);
    expect(hub.called("state")).toEqual([["state", "lamp", {}, { pluginId: "zig", partial: false }]]);
  });
});

describe("additions to a plugin's account from its entry", () => {
  const grant = {
    password: "a-fixed-password",
    publish: ["hub/devices/+/cmd", "house/#"],
    subscribe: ["hub/devices/plug/state", "house/#"],
  };
  async function granted() {
    const hub = await start();
    expect(hub.mqtt.accounts.issue("zig", grant)).toBe(grant.password);
    return {
      hub,
      client: await hub.client({ username: "zig", password: grant.password }),
      [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
    };
  }

  test("it publishes and receives what is listed, and no more", async () => {
    await using rig = await granted();
    const { hub, client } = rig;
    const allowed = ["hub/devices/plug/cmd", "house/kitchen", "hub/plugins/zig/heartbeat"];
    const denied = ["hub/devices/plug/state", "hub/plugins/other/heartbeat", "hub/plugins/zig/manage/cmd", "$SYS/x"];
    for (const topic of allowed) expect([topic, await passes(hub, client, topic)]).toEqual([topic, true]);
    for (const topic of denied) expect([topic, await passes(hub, client, topic)]).toEqual([topic, false]);
    for (const topic of ["hub/devices/plug/state", "house/x"]) expect(await subscribes(client, topic)).toBe(true);
    expect(await subscribes(client, "hub/devices/plug/schema")).toBe(false);
    const other = await hub.plugin("other");
    await other.publishAsync("hub/devices/plug/state", '{"on":true}', { qos: 1 });
    await until(() => client.messages.some(({ topic }) => topic === "hub/devices/plug/state"));
  });

  test("its report about another plugin's device counts as the owner's", async () => {
    await using hub = await start();
    hub.mqtt.accounts.issue("zig", { ...grant, publish: ["hub/devices/plug/state"] });
    const client = await hub.client({ username: "zig", password: grant.password });
    await client.publishAsync("hub/devices/plug/state", '{"on":true}', { qos: 1 });
    await until(() => hub.called("state").length > 0);
    expect<unknown>(hub.called("state")[0]).toEqual([
      "state",
      "plug",
      { on: true },
      { pluginId: "other", partial: false },
    ]);
  });

  test("a fixed password works for several connections, and not after the plugin has ended", async () => {
    await using rig = await granted();
    const second = await rig.hub.client({ username: "zig", password: grant.password });
    rig.hub.mqtt.accounts.revoke("zig");
    await until(() => !second.connected && !rig.client.connected);
    expect(
      await rig.hub.client({ username: "zig", password: grant.password }).catch((error: Error) => error.message),
    ).toContain("Bad");
  });
});
