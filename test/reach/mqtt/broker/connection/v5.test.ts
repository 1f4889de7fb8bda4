// MQTT 5 clients in front of the 3.1.1 broker.
import { describe, expect, test } from "bun:test";
import type { IConnackPacket, Packet } from "mqtt-packet";
import { connectPacket, openRaw, type RawConnection } from "../../raw.ts";
import { json, startTestMqtt, type TestMqtt, until } from "../../support.ts";

const v5 = { protocolVersion: 5 } as const;
const users = [{ username: "all", password: "secret", publish: ["#"], subscribe: ["#"] }];
const all = { username: "all", password: "secret", ...v5 };

/** A bare version 5 connection with everything allowed, and its CONNACK. */
async function rawV5(hub: TestMqtt, rest: Parameters<typeof connectPacket>[0] = {}) {
  const raw = await openRaw(hub.mqtt.port, 5);
  const login = { username: "all", password: Buffer.from("secret") };
  raw.send(connectPacket({ protocolVersion: 5, ...login, ...rest }));
  await until(() => raw.packets.length > 0);
  return Object.assign(raw, { connack: raw.packets[0] as IConnackPacket });
}

async function answer(raw: RawConnection, cmd: Packet["cmd"]): Promise<Packet> {
  await until(() => raw.packets.some((packet) => packet.cmd === cmd), cmd);
  const at = raw.packets.findIndex((packet) => packet.cmd === cmd);
  const [packet] = raw.packets.splice(at, 1);
  if (!packet) throw new Error("gone");
  return packet;
}

describe("a version 5 client", () => {
  test.each([0, 1, 2] as const)("publishes and receives at QoS %d", async (qos) => {
    await using hub = await startTestMqtt({ config: { users } });
    const sender = await hub.plugin("zig", v5);
    const receiver = await hub.client({ ...all });
    const old = await hub.client({ ...all, protocolVersion: 4 });
    for (const client of [receiver, old]) await client.subscribeAsync("hub/devices/+/state", { qos });
    const properties = { userProperties: { a: "b" }, contentType: "json", messageExpiryInterval: 5 };
    await sender.publishAsync("hub/devices/lamp/state", json({ on: true }), { qos, retain: true, properties });
    await until(() => receiver.messages.length === 1 && old.messages.length === 1);
    expect(receiver.messages).toEqual([{ topic: "hub/devices/lamp/state", text: '{"on":true}', qos, retain: false }]);
    expect(hub.called("state")).toEqual([["state", "lamp", { on: true }, { pluginId: "zig", partial: false }]]);
    const late = await hub.client({ ...all });
    await late.subscribeAsync("hub/devices/lamp/state", { qos });
    await until(() => late.messages.length === 1);
    expect(late.messages[0]).toMatchObject({ qos, retain: true });
  });

  test("is denied what its account may not do, and stays connected", async () => {
    await using hub = await startTestMqtt({ owners: { plug: "other" } });
    const client = await hub.plugin("zig", v5);
    await client.publishAsync("hub/devices/plug/state", "{}", { qos: 1 });
    expect(hub.logged("a publish was denied")).toHaveLength(1);
    expect(await client.subscribeAsync("hub/devices/plug/cmd").catch((error) => error)).toBeInstanceOf(Error);
    expect(client.connected).toBe(true);
  });

  test("unsubscribes, pings and disconnects", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const raw = await rawV5(hub);
    raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "a", qos: 1 }] });
    await answer(raw, "suback");
    raw.send({ cmd: "unsubscribe", messageId: 2, unsubscriptions: ["a", "b"] });
    expect(await answer(raw, "unsuback")).toMatchObject({ messageId: 2, granted: [0, 0x11] });
    raw.send({ cmd: "pingreq" });
    await answer(raw, "pingresp");
    raw.send({ cmd: "disconnect", reasonCode: 0 });
    await until(raw.closed);
  });

  test("its will is published where its DISCONNECT asks for it, and not otherwise", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    for (const reasonCode of [0, 4]) {
      const payload = Buffer.from(reasonCode === 0 ? "active" : "offline");
      const will = { topic: "hub/plugins/all/status", payload, qos: 1 as const, retain: false };
      const raw = await rawV5(hub, { will: { ...will, properties: { willDelayInterval: 3 } } });
      raw.send({ cmd: "disconnect", reasonCode });
      await until(raw.closed);
    }
    await until(() => hub.calls.length > 0);
    expect(hub.calls).toEqual([["status", "all", "offline", true]]);
  });
});

describe("CONNACK", () => {
  test("lists the features that are missing, and assigns a client id where there is none", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const { connack } = await rawV5(hub, { clientId: "" });
    expect(connack).toMatchObject({ reasonCode: 0, sessionPresent: false });
    expect(connack.properties).toMatchObject({
      maximumPacketSize: 8 * 1_048_576,
      ...{ topicAliasMaximum: 0, sharedSubscriptionAvailable: false, subscriptionIdentifiersAvailable: false },
    });
    expect(connack.properties?.assignedClientIdentifier).toMatch(/^auto-/);
    const named = await rawV5(hub, { clientId: "named" });
    expect(named.connack.properties).not.toHaveProperty("assignedClientIdentifier");
  });

  test.each([
    ["a wrong password", { password: Buffer.from("wrong") }, 0x86],
    ["no account", { username: undefined, password: undefined }, 0x87],
    ["an authentication method", { properties: { authenticationMethod: "x" } }, 0x8c],
  ])("%s has its reason code", async (_name, rest, reasonCode) => {
    await using hub = await startTestMqtt({ config: { users } });
    const raw = await rawV5(hub, rest);
    expect(raw.connack.reasonCode).toBe(reasonCode);
    await until(raw.closed);
  });

  test("a client id of the hub's own plugins is 0x85", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    expect((await rawV5(hub, { clientId: "hub-plugin-zig" })).connack.reasonCode).toBe(0x85);
  });

  test("a session with an expiry is kept, a clean one is not and says so", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const properties = { sessionExpiryInterval: 60 };
    const first = await rawV5(hub, { clean: false, properties });
    expect(first.connack).toMatchObject({ sessionPresent: false });
    expect(first.connack.properties).not.toHaveProperty("sessionExpiryInterval");
    first.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "hub/x", qos: 1 }] });
    await answer(first, "suback");
    first.socket.destroy();
    await until(() => hub.mqtt.connections() === 0);
    await hub.mqtt.publish("hub/x", "kept", { qos: 1 });
    const second = await rawV5(hub, { clean: false, properties });
    expect(second.connack.sessionPresent).toBe(true);
    expect(await answer(second, "publish")).toMatchObject({ topic: "hub/x", qos: 1 });
    const fresh = await rawV5(hub, { clean: true, properties });
    expect(fresh.connack).toMatchObject({ sessionPresent: false, properties: { sessionExpiryInterval: 0 } });
  });
});

describe("subscription options", () => {
  test("no local: a client does not get its own messages", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const client = await hub.client({ ...all });
    await client.subscribeAsync("own/#", { qos: 1, nl: true });
    await client.subscribeAsync("echo/#", { qos: 1 });
    await client.publishAsync("own/a", "1", { qos: 1 });
    await client.publishAsync("echo/a", "1", { qos: 1 });
    await hub.mqtt.publish("own/b", "1");
    await until(() => client.messages.length === 2);
    expect(client.messages.map(({ topic }) => topic).sort()).toEqual(["echo/a", "own/b"]);
  });

  test("retain handling: 0 always, 1 only when new, 2 never", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    await hub.mqtt.publish("r/0", "kept", { qos: 1, retain: true });
    const client = await hub.client({ ...all });
    const came = async (rh: number): Promise<number> => {
      client.messages.length = 0;
      await client.subscribeAsync("r/0", { qos: 1, rh });
      await client.subscribeAsync("end", { qos: 1 });
      await hub.mqtt.publish("end", "x", { qos: 1 });
      await until(() => client.messages.some(({ topic }) => topic === "end"));
      return client.messages.filter(({ retain }) => retain).length;
    };
    expect(await came(1)).toBe(1);
    expect(await came(1)).toBe(0);
    expect(await came(0)).toBe(1);
    expect(await came(2)).toBe(0);
    client.messages.length = 0;
    await hub.mqtt.publish("r/0", "live", { qos: 1 });
    await until(() => client.messages.length === 1);
  });

  test("each filter has its reason code", async () => {
    await using hub = await startTestMqtt({ owners: { plug: "other" } });
    const password = Buffer.from(hub.mqtt.accounts.issue("zig"));
    const raw = await rawV5(hub, { username: "zig", password });
    const topics = ["hub/devices/plug/cmd", "$share/g/hub/events/x", "hub/events/x", "hub/events/x"];
    raw.send({
      ...{ cmd: "subscribe", messageId: 7 },
      subscriptions: topics.map((topic) => ({ topic, qos: 1, nl: false, rap: false, rh: 0 })),
    });
    expect(await answer(raw, "suback")).toMatchObject({ messageId: 7, granted: [0x87, 0x9e, 1, 1] });
    const subscription = { topic: "hub/events/y", qos: 0 as const, nl: false, rap: false, rh: 0 };
    raw.send({
      ...{ cmd: "subscribe", messageId: 8, subscriptions: [subscription] },
      properties: { subscriptionIdentifier: 4 },
    });
    expect(await answer(raw, "suback")).toMatchObject({ messageId: 8, granted: [0xa1] });
  });
});

describe("limits", () => {
  test("a packet that is too large gets the reason", async () => {
    await using hub = await startTestMqtt({ config: { users, max_payload_bytes: 2048 } });
    const raw = await rawV5(hub);
    raw.send({ cmd: "publish", topic: "a", payload: Buffer.alloc(5000), qos: 0, retain: false, dup: false });
    expect(await answer(raw, "disconnect")).toMatchObject({ reasonCode: 0x95 });
    await until(raw.closed);
  });

  test("a topic alias is refused", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const raw = await rawV5(hub);
    const packet = { cmd: "publish", topic: "a", payload: "x", qos: 0, retain: false, dup: false } as const;
    raw.send({ ...packet, properties: { topicAlias: 3 } });
    expect(await answer(raw, "disconnect")).toMatchObject({ reasonCode: 0x94 });
  });

  test("messages above the client's Receive Maximum wait for its acknowledgements", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const raw = await rawV5(hub, { properties: { receiveMaximum: 2 } });
    raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "q/#", qos: 1 }] });
    await answer(raw, "suback");
    for (let n = 0; n < 5; n++) await hub.mqtt.publish(`q/${n}`, "x", { qos: 1 });
    await hub.mqtt.publish("q/end", "x", { qos: 0 });
    const got: string[] = [];
    const take = async () => {
      const packet = await answer(raw, "publish");
      if (packet.cmd === "publish") got.push(packet.topic);
      return packet;
    };
    const first = await take();
    const second = await take();
    await take();
    expect(got).toEqual(["q/0", "q/1", "q/end"]);
    raw.send({ cmd: "puback", messageId: first.messageId, reasonCode: 0 });
    const third = await take();
    for (const { messageId } of [second, third]) raw.send({ cmd: "puback", messageId, reasonCode: 0 });
    await take();
    await take();
    expect(got.slice(3)).toEqual(["q/2", "q/3", "q/4"]);
  });

  test("packets above the client's Maximum Packet Size are not sent to it", async () => {
    await using hub = await startTestMqtt({ config: { users } });
    const raw = await rawV5(hub, { properties: { maximumPacketSize: 100 } });
    raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "q/#", qos: 1 }] });
    await answer(raw, "suback");
    await hub.mqtt.publish("q/large", "x".repeat(200), { qos: 1 });
    await hub.mqtt.publish("q/small", "x", { qos: 1 });
    expect(await answer(raw, "publish")).toMatchObject({ topic: "q/small" });
  });
});
