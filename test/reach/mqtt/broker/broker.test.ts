// Connections: which are admitted, what closes one, and that no input stops the hub.
import { describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import fc from "fast-check";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import { examples } from "../../../support/examples.ts";
import { connectPacket, openRaw } from "../raw.ts";
import { startTestMqtt, until } from "../support.ts";

const users = [{ username: "remote", password: "secret" }];

describe("login", () => {
  test.each([
    ["a wrong password", { username: "remote", password: "sesame" }, 4],
    ["an unknown name", { username: "nobody", password: "sesame" }, 4],
    ["no password", { username: "remote" }, 4],
    ["no account", {}, 5],
  ])("%s is refused and logged with the address, without the password", async (_name, login, code) => {
    await using hub = await startTestMqtt({ config: { users } });
    expect(await hub.client(login).catch((error) => error)).toMatchObject({ code });
    const [entry] = hub.logged("login was refused");
    expect(entry?.fields).toMatchObject({ address: "127.0.0.1" });
    expect(JSON.stringify(hub.log)).not.toContain("sesame");
    expect(hub.mqtt.connections()).toBe(0);
  });

  test("failed logins are counted with those of the API, and refused above their limit", async () => {
    const counted: string[] = [];
    let refuse = false;
    const logins = {
      begin(address: string, subject: string) {
        if (refuse) throw new Error("too many");
        counted.push(`${address} ${subject}`);
        return { succeed: () => void counted.push("succeeded"), withdraw() {} };
      },
    };
    await using rig = await startTestMqtt({
      config: { users: [{ username: "remote", password: "open sesame" }] },
      logins,
    });
    await rig.client({ username: "remote", password: "open sesame" });
    await expect(rig.client({ username: "remote", password: "guess" })).rejects.toMatchObject({ code: 4 });
    expect(counted).toEqual(["127.0.0.1 remote", "succeeded", "127.0.0.1 remote"]);
    refuse = true;
    await expect(rig.client({ username: "remote", password: "open sesame" })).rejects.toMatchObject({ code: 3 });
  });

  test("a supervised plugin: a new password each time, the old one is invalid", async () => {
    await using hub = await startTestMqtt();
    const first = hub.mqtt.accounts.issue("zig");
    const second = hub.mqtt.accounts.issue("zig");
    expect(second).not.toBe(first);
    expect(await hub.client({ username: "zig", password: first }).catch((error) => error)).toMatchObject({ code: 4 });
    await hub.client({ username: "zig", password: second });
    expect(hub.mqtt.connections()).toBe(1);
  });

  test("revoking disconnects, and only that plugin", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const zig = await hub.plugin("zig");
    const other = await hub.plugin("other");
    const remote = await hub.client({ username: "remote", password: "secret" });
    hub.mqtt.accounts.revoke("zig");
    await until(() => !zig.connected);
    expect([other.connected, remote.connected]).toEqual([true, true]);
    expect(() => hub.mqtt.accounts.issue("core")).toThrow();
    expect(() => hub.mqtt.accounts.issue("a/b")).toThrow();
  });

  test("anonymous clients connect where they are allowed", async () => {
    await using hub = await startTestMqtt({ config: { anonymous: true } });
    await hub.client();
    expect(hub.mqtt.connections()).toBe(1);
  });
});

describe("starting and stopping", () => {
  test("a port in use: the error names it and says what to do", async () => {
    await using hub = await startTestMqtt();
    const second = await startTestMqtt({ config: { port: hub.mqtt.port } }).catch((error) => error);
    expect(second).toBeInstanceOf(HubError);
    expect(second.code).toBe("in_use");
    expect(second.message).toContain(String(hub.mqtt.port));
  });

  test("a port that another program uses too", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await until(() => server.listening);
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    expect(await startTestMqtt({ config: { port } }).catch((error) => error)).toMatchObject({ code: "in_use" });
    server.close();
  });

  test("a host that is not this machine", async () => {
    expect(await startTestMqtt({ config: { host: "192.0.2.1" } }).catch((error) => error)).toMatchObject({
      code: "config",
    });
  });

  test("a stop disconnects everybody, frees the port, and does not wait for a silent peer", async () => {
    const hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const silent = await openRaw(hub.mqtt.port);
    await hub.mqtt[Symbol.asyncDispose]();
    await until(() => !client.connected && silent.closed());
    await using again = await startTestMqtt({ config: { port: hub.mqtt.port } });
    expect(again.mqtt.port).toBe(hub.mqtt.port);
  });
});

describe("the hub's own publishing", () => {
  test("commands and management calls arrive at QoS 1, retained messages stay", async () => {
    await using hub = await startTestMqtt({ owners: { lamp: "zig" } });
    const client = await hub.plugin("zig");
    await client.subscribeAsync(["hub/devices/+/cmd", "hub/plugins/zig/manage/cmd"], { qos: 1 });
    await hub.mqtt.command("lamp", { on: true });
    await hub.mqtt.manage("zig", { action: "ping", request_id: "r" });
    await until(() => client.messages.length === 2);
    expect(client.messages).toEqual([
      { topic: "hub/devices/lamp/cmd", text: '{"on":true}', qos: 1, retain: false },
      { topic: "hub/plugins/zig/manage/cmd", text: '{"action":"ping","request_id":"r"}', qos: 1, retain: false },
    ]);
    await hub.mqtt.publish("hub/events/kept", "{}", { qos: 1, retain: true });
    await client.subscribeAsync("hub/events/+");
    await until(() => client.messages.some(({ topic, retain }) => retain && topic === "hub/events/kept"));
    expect(hub.calls).toEqual([]);
  });

  test("invalid ids and topics are refused", async () => {
    await using hub = await startTestMqtt();
    expect(await hub.mqtt.command("a/b", {}).catch((error) => error)).toMatchObject({ code: "invalid" });
    expect(await hub.mqtt.manage("", {}).catch((error) => error)).toMatchObject({ code: "invalid" });
    expect(await hub.mqtt.publish("a/#", "").catch((error) => error)).toMatchObject({ code: "invalid" });
  });

  test("a command waits for a plugin that keeps its session", async () => {
    await using hub = await startTestMqtt({ owners: { lamp: "zig" } });
    const options = { username: "zig", password: hub.mqtt.accounts.issue("zig"), clientId: "kept", clean: false };
    const first = await hub.client(options);
    await first.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
    await first.endAsync();
    await until(() => hub.mqtt.connections() === 0);
    await hub.mqtt.command("lamp", { on: true });
    const second = await hub.client(options);
    await until(() => second.messages.length === 1);
  });
});

describe("who takes the commands of a device", () => {
  const users = [
    { username: "watcher", password: "watcher-1", publish: [], subscribe: ["#"] },
    { username: "bridge", password: "bridge-12", publish: [], subscribe: ["hub/devices/#"] },
  ];
  const login = ({ username, password }: (typeof users)[number]) => ({ username, password });
  const [watcher, bridge] = users.map(login);

  test("nobody before its plugin has connected and subscribed, nor after it is gone", async () => {
    await using hub = await startTestMqtt({ owners: { lamp: "zigbee", plug: "other" } });
    const takes = (device = "lamp", owner = "zigbee") => hub.mqtt.takesCommands(device, owner);
    expect([takes(), hub.mqtt.isConnected("zigbee")]).toEqual([false, false]);
    const plugin = await hub.plugin("zigbee");
    expect([takes(), hub.mqtt.isConnected("zigbee")]).toEqual([false, true]);
    await plugin.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
    expect([takes(), takes("plug", "other")]).toEqual([true, false]);
    await plugin.unsubscribeAsync("hub/devices/+/cmd");
    expect(takes()).toBe(false);
    await plugin.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
    expect(takes()).toBe(true);
    await plugin.endAsync();
    await until(() => !takes() && !hub.mqtt.isConnected("zigbee"));
  });

  test("not a client that keeps its session and is away, nor one that watches everything", async () => {
    await using hub = await startTestMqtt({ config: { users }, owners: { lamp: "zigbee" } });
    const takes = () => hub.mqtt.takesCommands("lamp", "zigbee");
    const kept = await hub.plugin("zigbee", { clean: false, clientId: "kept" });
    await kept.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
    await kept.endAsync();
    await until(() => !takes());
    const all = await hub.client(watcher);
    await all.subscribeAsync(["#", "hub/#"]);
    expect(takes()).toBe(false);
    expect(hub.mqtt.takesCommands("lamp", "watcher")).toBe(true);
    const devices = await hub.client(bridge);
    await devices.subscribeAsync("hub/devices/#");
    expect(takes()).toBe(true);
  });
});

describe("limits", () => {
  test("10 MB close the connection before they are buffered, with a log line", async () => {
    await using hub = await startTestMqtt();
    const client = await hub.plugin("zig");
    const other = await hub.plugin("other");
    client.publish("hub/events/huge", Buffer.alloc(10_000_000, 120), { qos: 0 });
    await until(() => !client.connected);
    await until(() => hub.logged("closed because of what it sent").length === 1);
    expect(hub.logged("closed because of what it sent")[0]?.fields.reason).toContain("more than");
    await other.publishAsync("hub/events/small", "{}", { qos: 1 });
    expect(hub.events.map(({ type }) => type)).toEqual(["limit_reached", "custom_small"]);
  });

  test("a message of exactly the limit passes, one byte more does not", async () => {
    await using hub = await startTestMqtt({ config: { max_payload_bytes: 2048 } });
    const client = await hub.plugin("zig");
    await client.publishAsync("hub/events/a", JSON.stringify({ a: "x".repeat(2040) }), { qos: 1 });
    expect(hub.events).toHaveLength(1);
    client.publish("hub/events/a", JSON.stringify({ a: "x".repeat(2041) }), { qos: 1 });
    await until(() => !client.connected);
    expect(hub.logged("closed because of what it sent")[0]?.fields.reason).toContain("2049 bytes");
  });

  test("before the login only little is buffered", async () => {
    await using hub = await startTestMqtt();
    const raw = await openRaw(hub.mqtt.port);
    raw.send(
      connectPacket({
        will: { topic: "a", payload: Buffer.alloc(65_000), qos: 0, retain: false },
        username: "x".repeat(2000),
      }),
    );
    await until(raw.closed);
    expect(hub.logged("closed because of what it sent")).toHaveLength(1);
  });

  test("a client without a CONNECT is disconnected", async () => {
    await using hub = await startTestMqtt({ connectTimeoutMs: 50 });
    const raw = await openRaw(hub.mqtt.port);
    await until(raw.closed);
    expect(hub.logged("connection was ended")[0]?.fields.reason).toContain("in time");
  });

  test("a subscriber that does not read delays neither the hub nor the others for long", async () => {
    await using hub = await startTestMqtt({ config: { anonymous: true } });
    const frozen = await openRaw(hub.mqtt.port);
    frozen.send(connectPacket({ clientId: "frozen" }));
    await until(() => frozen.packets.length === 1);
    frozen.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "#", qos: 0 }] });
    await until(() => frozen.packets.length === 2);
    frozen.socket.pause();
    const client = await hub.plugin("zig");
    const other = await hub.plugin("other");
    await other.subscribeAsync("hub/events/#");
    const big = Buffer.from(JSON.stringify({ a: "x".repeat(500_000) }));
    for (let n = 0; n < 40; n++) client.publish("hub/devices/lamp/state", big);
    await other.publishAsync("hub/events/alive", "{}", { qos: 1 });
    await until(() => other.messages.length === 1);
  });
});

describe("other protocols", () => {
  test("an HTTP request is closed with a log line", async () => {
    await using hub = await startTestMqtt();
    const raw = await openRaw(hub.mqtt.port);
    raw.socket.write("GET / HTTP/1.1\r\nHost: hub\r\n\r\n");
    await until(raw.closed);
    expect(hub.logged("closed because of what it sent")[0]?.fields).toEqual({
      address: "127.0.0.1",
      reason: "not MQTT",
    });
  });

  test("an unknown protocol level gets a CONNACK with the reason", async () => {
    await using hub = await startTestMqtt();
    const raw = await openRaw(hub.mqtt.port);
    raw.socket.write(Buffer.from([0x10, 12, 0, 4, 77, 81, 84, 84, 9, 2, 0, 0, 0, 0]));
    await until(raw.closed);
    expect(raw.packets[0]).toMatchObject({ cmd: "connack", returnCode: 1 });
  });

  test("a CONNECT may arrive byte by byte", async () => {
    await using hub = await startTestMqtt({ config: { anonymous: true } });
    const raw = await openRaw(hub.mqtt.port);
    const { generate } = await import("mqtt-packet");
    for (const byte of generate(connectPacket())) {
      raw.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => raw.packets.length === 1);
    expect(raw.packets[0]).toMatchObject({ cmd: "connack", returnCode: 0 });
  });

  const garbage = fc.uint8Array({ maxLength: 200 });
  const bytesAfter = (level: number) =>
    garbage.map((tail) => Buffer.concat([Buffer.from([0x10, 12, 0, 4, 77, 81, 84, 84, level]), tail]));
  const session = (protocolVersion: 4 | 5) =>
    fc
      .array(fc.oneof(garbage, fc.tuple(fc.integer({ min: 0, max: 15 }), garbage).map(framed)), { maxLength: 4 })
      .map((frames) => ({ protocolVersion, frames }));

  test("an acknowledgement without a packet identifier ends its connection, and is not answered by half a packet", async () => {
    await using hub = await startTestMqtt({ config: { anonymous: true } });
    for (const kind of [4, 5, 6, 7]) {
      const raw = await openRaw(hub.mqtt.port);
      const received: Buffer[] = [];
      raw.socket.on("data", (chunk: Buffer) => received.push(chunk));
      raw.send(connectPacket());
      await until(() => raw.packets.length > 0);
      raw.socket.write(Buffer.from([(kind << 4) | (kind === 6 ? 2 : 0), 1, 7]));
      await until(raw.closed);
      expect(Buffer.concat(received).toString("hex")).toBe("20020000");
    }
    expect(hub.log.filter(({ fields }) => String(fields?.reason).includes("packet identifier"))).toHaveLength(4);
  });

  test("random bytes at any stage, of either version, close no more than their connection", async () => {
    await using hub = await startTestMqtt({ config: { anonymous: true } });
    const watcher = await hub.client();
    await fc.assert(
      fc.asyncProperty(fc.oneof(garbage, bytesAfter(4), bytesAfter(5)), async (bytes) => {
        const raw = await openRaw(hub.mqtt.port);
        raw.socket.end(bytes);
        await until(raw.closed);
      }),
      { numRuns: examples(150) },
    );
    const { generate } = await import("mqtt-packet");
    await fc.assert(
      fc.asyncProperty(fc.oneof(session(4), session(5)), async ({ protocolVersion, frames }) => {
        const raw = await openRaw(hub.mqtt.port, protocolVersion);
        raw.socket.write(generate(connectPacket({ protocolVersion }), { protocolVersion }));
        await until(() => raw.packets.length > 0);
        raw.socket.end(Buffer.concat(frames));
        await until(raw.closed);
      }),
      { numRuns: examples(300) },
    );
    await watcher.publishAsync("hub/events/still_here", "{}", { qos: 1 });
    await until(() => hub.events.some(({ type }) => type === "custom_still_here"));
  });
});

/** A packet of a kind with a length that fits and whatever body. */
function framed([kind, body]: [number, Uint8Array]): Uint8Array {
  const flags = kind === 6 || kind === 8 || kind === 10 ? 2 : 0;
  const length = body.length < 128 ? [body.length] : [(body.length & 0x7f) | 0x80, body.length >> 7];
  return Buffer.concat([Buffer.from([(kind << 4) | flags, ...length]), body]);
}
