// A session belongs to an account and a client id: no account can take over, end or block that of another.
import { describe, expect, test } from "bun:test";
import type { Packet } from "mqtt-packet";
import { connectPacket, openRaw } from "../raw.ts";
import { startTestMqtt, type TestMqtt, until } from "../support.ts";

const lists = { publish: ["hub/#"], subscribe: ["hub/#"] };
const users = [
  { username: "ann", password: "secret", ...lists },
  { username: "bob", password: "secret", ...lists },
  // Has the rights of the plugin with this name, but is not that plugin.
  { username: "zig", password: "secret" },
];
const config = { users, anonymous: true };
const as = (username: string, rest: object = {}) => ({ username, password: "secret", ...rest });

async function connack(hub: TestMqtt, packet: Parameters<typeof connectPacket>[0], protocolVersion: 4 | 5 = 4) {
  const raw = await openRaw(hub.mqtt.port, protocolVersion);
  raw.send(connectPacket({ protocolVersion, ...packet }));
  await until(() => raw.packets.length > 0);
  return { ...raw, connack: raw.packets[0] as Packet & { cmd: "connack" } };
}

describe.each([4, 5] as const)("version %d", (protocolVersion) => {
  test("two accounts with one client id are both connected, and each has its own messages", async () => {
    await using hub = await startTestMqtt({ config });
    const ann = await hub.client(as("ann", { clientId: "panel", protocolVersion }));
    const bob = await hub.client(as("bob", { clientId: "panel", protocolVersion }));
    const guest = await hub.client({ clientId: "panel", protocolVersion });
    const plugin = await hub.plugin("zig", { clientId: "panel", protocolVersion });
    const user = await hub.client(as("zig", { clientId: "panel", protocolVersion }));
    expect(hub.mqtt.connections()).toBe(5);
    await ann.subscribeAsync("hub/events/+");
    await bob.publishAsync("hub/events/rang", "{}", { qos: 1 });
    await until(() => ann.messages.length === 1);
    for (const client of [ann, bob, guest, plugin, user]) expect(client.connected).toBe(true);
    expect(bob.messages).toEqual([]);
  });

  test("an account takes over its own session", async () => {
    await using hub = await startTestMqtt({ config });
    const first = await hub.client(as("ann", { clientId: "panel", protocolVersion }));
    const bob = await hub.client(as("bob", { clientId: "panel", protocolVersion }));
    const second = await hub.client(as("ann", { clientId: "panel", protocolVersion }));
    await until(() => !first.connected);
    await until(() => hub.mqtt.connections() === 2);
    expect([second.connected, bob.connected]).toEqual([true, true]);
  });

  test("queued messages of one account are not delivered to another", async () => {
    await using hub = await startTestMqtt({ config });
    const kept = { clientId: "panel", clean: false, protocolVersion, properties: { sessionExpiryInterval: 60 } };
    const first = await hub.client(as("ann", kept));
    await first.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
    await first.endAsync();
    await until(() => hub.mqtt.connections() === 0);
    await hub.mqtt.command("lamp", { on: true });
    const login = { password: Buffer.from("secret"), clientId: "panel", clean: false };
    const properties = protocolVersion === 5 ? { properties: { sessionExpiryInterval: 60 } } : {};
    const bob = await connack(hub, { ...login, ...properties, username: "bob" }, protocolVersion);
    expect(bob.connack.sessionPresent).toBe(false);
    // A clean session of another account does not end it.
    await hub.client(as("bob", { clientId: "panel", clean: true, protocolVersion }));
    const ann = await connack(hub, { ...login, ...properties, username: "ann" }, protocolVersion);
    expect(ann.connack.sessionPresent).toBe(true);
    await until(() => ann.packets.some(({ cmd }) => cmd === "publish"));
    expect(bob.packets.filter(({ cmd }) => cmd === "publish")).toEqual([]);
  });

  test("a will is the account's own", async () => {
    await using hub = await startTestMqtt({ config });
    const will = (text: string) => ({ will: { topic: `hub/events/${text}`, payload: Buffer.from("{}") } });
    const ann = await hub.client(as("ann", { clientId: "panel", protocolVersion, ...will("ann_gone") }));
    const bob = await hub.client(as("bob", { clientId: "panel", protocolVersion, ...will("bob_gone") }));
    bob.stream.destroy();
    await until(() => hub.events.length > 0);
    await ann.endAsync();
    await until(() => hub.mqtt.connections() === 0);
    expect(hub.events.map(({ type }) => type)).toEqual(["custom_bob_gone"]);
  });

  test("each client without an id gets one", async () => {
    await using hub = await startTestMqtt({ config });
    const login = { username: "ann", password: Buffer.from("secret"), clientId: "" };
    const first = await connack(hub, login, protocolVersion);
    const second = await connack(hub, login, protocolVersion);
    await until(() => hub.mqtt.connections() === 2);
    expect([first.closed(), second.closed()]).toEqual([false, false]);
  });

  test("events and log lines have the client's own id", async () => {
    await using hub = await startTestMqtt({ config });
    const ids: unknown[] = [];
    hub.feed.on("mqtt_message", "test", ({ event }) => void ids.push(event.client_id));
    const ann = await hub.client(as("ann", { clientId: "a/panel", protocolVersion }));
    await ann.publishAsync("hub/events/rang", "{}", { qos: 1 });
    await ann.publishAsync("elsewhere", "{}", { qos: 1 });
    expect(ids).toEqual(["a/panel"]);
    expect(hub.logged("a publish was denied")[0]?.fields).toMatchObject({ client: "a/panel", account: "ann" });
    expect(hub.logged("an MQTT client connected")[0]?.fields).toMatchObject({ client: "a/panel", account: "ann" });
  });
});

test("client ids of the hub's plugins are reserved", async () => {
  await using hub = await startTestMqtt({ config });
  const clientId = "hub-plugin-zig";
  const plugin = await hub.plugin("zig", { clientId });
  for (const login of [as("ann"), as("zig"), {}]) {
    expect(await hub.client({ ...login, clientId }).catch((error) => error)).toMatchObject({ code: 2 });
  }
  expect(await hub.plugin("other", { clientId }).catch((error) => error)).toMatchObject({ code: 2 });
  expect(hub.logged("login was refused")[0]?.fields).toMatchObject({ client: clientId, username: "ann" });
  expect(plugin.connected).toBe(true);
});

test("a kept session needs a client id (3.1.1)", async () => {
  await using hub = await startTestMqtt({ config });
  const raw = await openRaw(hub.mqtt.port);
  // No real client sends this: level 4, no flags, no keep-alive, an empty id.
  raw.socket.write(Buffer.from([0x10, 12, 0, 4, 77, 81, 84, 84, 4, 0, 0, 0, 0, 0]));
  await until(() => raw.packets.length > 0);
  expect(raw.packets[0]).toMatchObject({ cmd: "connack", returnCode: 2 });
});
