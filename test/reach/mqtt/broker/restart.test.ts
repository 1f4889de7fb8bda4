// What the broker keeps over a restart, a crash and a power cut, and how seldom it is written for that.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync } from "node:fs";
import type { IConnackPacket, IPublishPacket } from "mqtt-packet";
import type { DiskBudget } from "../../../../src/kit/files/write-behind.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { connectPacket, openRaw } from "../raw.ts";
import { startTestMqtt, type TestMqtt, type TestMqttOptions, until } from "../support.ts";

const users = ["ann", "ben"].map((username) => ({ username, password: "secret", publish: ["#"], subscribe: ["#"] }));
const as = (username: string, rest: object = {}) => ({ username, password: "secret", ...rest });
const config = { users };

function createPlace() {
  const folder = createTemporaryFolder();
  const database = folder.at("state.redb");
  const start = (options: TestMqttOptions = {}) => startTestMqtt({ config, database, ...options });
  /** What a power cut leaves of a running hub. */
  const afterPowerCut = (options: TestMqttOptions = {}) => {
    const copy = folder.at("cut.redb");
    for (const end of ["", "-wal"]) if (existsSync(database + end)) copyFileSync(database + end, copy + end);
    return startTestMqtt({ config, database: copy, ...options });
  };
  return { database, start, afterPowerCut, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const count = (hub: TestMqtt, table: string): number =>
  hub.db.relaxed.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;

/** What a new subscriber gets retained, with the topic. */
async function retainedIn(hub: TestMqtt, filter = "#"): Promise<string[]> {
  const reader = await hub.client(as("ann"));
  await reader.subscribeAsync(filter, { qos: 1 });
  await reader.subscribeAsync("x/end", { qos: 1 });
  await reader.publishAsync("x/end", "", { qos: 1 });
  await until(() => reader.messages.some(({ topic }) => topic === "x/end"));
  const found = reader.messages.filter(({ retain }) => retain).map(({ topic, text }) => `${topic} ${text}`);
  await reader.endAsync();
  return found.sort();
}

/** A kept session whose client goes away again. */
async function leaveSession(hub: TestMqtt, name: string, clientId: string, filter = "q/#"): Promise<void> {
  const client = await hub.client(as(name, { clientId, clean: false }));
  await client.subscribeAsync(filter, { qos: 1 });
  await client.endAsync();
  await until(() => hub.mqtt.connections() === 0);
}

async function comeBack(hub: TestMqtt, name: string, clientId: string) {
  const raw = await openRaw(hub.mqtt.port);
  raw.send(connectPacket({ username: name, password: Buffer.from("secret"), clientId, clean: false }));
  await until(() => raw.packets.length > 0);
  const published = () => raw.packets.filter((packet): packet is IPublishPacket => packet.cmd === "publish");
  return Object.assign(raw, { present: (raw.packets[0] as IConnackPacket).sessionPresent, published });
}

describe("after a stop", () => {
  test("retained messages are there, cleared ones are not", async () => {
    using place = createPlace();
    {
      await using hub = await place.start();
      const ann = await hub.client(as("ann"));
      await ann.publishAsync("hub/devices/lamp/state", '{"on":true}', { qos: 1, retain: true });
      await ann.publishAsync("a/b", "old", { qos: 1, retain: true });
      await ann.publishAsync("a/b", "new", { qos: 1, retain: true });
      await ann.publishAsync("gone", "x", { qos: 1, retain: true });
      await ann.publishAsync("gone", "", { qos: 1, retain: true });
      await hub.mqtt.publish("hub/own", "the hub's", { qos: 1, retain: true });
    }
    await using hub = await place.start();
    expect(await retainedIn(hub)).toEqual(["a/b new", 'hub/devices/lamp/state {"on":true}', "hub/own the hub's"]);
    const accounts = [...hub.mqtt.retained("#")].map(({ topic, account }) => `${topic} of ${account}`);
    expect(accounts.sort()).toEqual(["a/b of user/ann", "hub/devices/lamp/state of user/ann", "hub/own of hub/"]);
  });

  test("a kept session has its subscriptions, its queue, and what comes while it is away", async () => {
    using place = createPlace();
    {
      await using hub = await place.start();
      await leaveSession(hub, "ann", "panel");
      await hub.mqtt.publish("q/1", "before", { qos: 1 });
    }
    await using hub = await place.start();
    await hub.mqtt.publish("q/2", "after", { qos: 1 });
    const panel = await comeBack(hub, "ann", "panel");
    await until(() => panel.published().length === 2);
    expect(panel.present).toBe(true);
    expect(panel.published().map(({ payload }) => payload.toString())).toEqual(["before", "after"]);
    await hub.mqtt.publish("q/3", "live", { qos: 1 });
    await until(() => panel.published().length === 3);
  });

  test("acknowledged messages do not come again, and a session that was ended is gone", async () => {
    using place = createPlace();
    {
      await using hub = await place.start();
      await leaveSession(hub, "ann", "panel");
      await leaveSession(hub, "ann", "other");
      await hub.mqtt.publish("q/1", "x", { qos: 1 });
      await until(() => count(hub, "mqtt_queue") === 2);
      const client = await hub.client(as("ann", { clientId: "panel", clean: false }));
      await until(() => client.messages.length === 1);
      await hub.client(as("ann", { clientId: "other", clean: true }));
      await until(() => count(hub, "mqtt_queue") === 0 && count(hub, "mqtt_sessions") === 1);
    }
    await using hub = await place.start();
    expect((await comeBack(hub, "ann", "other")).present).toBe(false);
    const panel = await comeBack(hub, "ann", "panel");
    await hub.mqtt.publish("q/2", "next", { qos: 1 });
    await until(() => panel.published().length > 0);
    expect(panel.published().map(({ payload }) => payload.toString())).toEqual(["next"]);
  });

  test("QoS 2: an unacknowledged message comes again under its number, a received one is released", async () => {
    using place = createPlace();
    const ids: (number | undefined)[] = [];
    {
      await using hub = await place.start();
      const client = await comeBack(hub, "ann", "panel");
      client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "q/#", qos: 2 }] });
      await until(() => client.packets.some(({ cmd }) => cmd === "suback"));
      const ben = await hub.client(as("ben"));
      await ben.publishAsync("q/1", "received", { qos: 2 });
      await ben.publishAsync("q/2", "sent", { qos: 2 });
      await until(() => client.published().length === 2);
      ids.push(...client.published().map(({ messageId }) => messageId));
      client.send({ cmd: "pubrec", messageId: ids[0] });
      await until(() => client.packets.some(({ cmd }) => cmd === "pubrel"));
    }
    await using hub = await place.start();
    const client = await comeBack(hub, "ann", "panel");
    await until(() => client.packets.length === 3);
    expect(client.packets[1]).toMatchObject({ cmd: "pubrel", messageId: ids[0] });
    expect(client.packets[2]).toMatchObject({ cmd: "publish", messageId: ids[1], dup: true, qos: 2 });
  });

  test("rights are those of the new configuration", async () => {
    using place = createPlace();
    {
      await using hub = await place.start();
      await leaveSession(hub, "ann", "panel");
      await hub.mqtt.publish("q/secret", "x", { qos: 1 });
      await hub.mqtt.publish("q/open", "x", { qos: 1 });
    }
    const ann = { username: "ann", password: "secret", publish: [], subscribe: ["q/open"] };
    await using hub = await place.start({ config: { users: [ann] } });
    const panel = await comeBack(hub, "ann", "panel");
    await until(() => panel.published().length > 0);
    expect(panel.published().map(({ topic }) => topic)).toEqual(["q/open"]);
  });

  test("wills of clients that the stop disconnects are not retained", async () => {
    using place = createPlace();
    const will = { topic: "availability", payload: Buffer.from("offline"), retain: true, qos: 1 as const };
    {
      await using hub = await place.start();
      const ann = await hub.client(as("ann", { will }));
      await ann.publishAsync("availability", "online", { retain: true, qos: 1 });
    }
    await using hub = await place.start();
    expect(await retainedIn(hub)).toEqual(["availability online"]);
  });

  test("what no longer fits the quotas is left out, and reported", async () => {
    using place = createPlace();
    const kb = (kilobytes: number) => "x".repeat(kilobytes * 1024);
    {
      await using hub = await place.start();
      const ann = await hub.client(as("ann"));
      for (let n = 0; n < 12; n++) await ann.publishAsync(`r/${n}`, kb(100), { qos: 1, retain: true });
      await ann.endAsync();
      await leaveSession(hub, "ben", "panel");
      for (let n = 0; n < 12; n++) await hub.mqtt.publish(`q/${n}`, kb(100), { qos: 1 });
    }
    await using hub = await place.start({ config: { users, max_retained_mb: 1, max_queued_mb_per_session: 1 } });
    expect([...hub.mqtt.retained("r/#")]).toHaveLength(10);
    expect(hub.limits.problems().map(({ limit }) => limit)).toContain("[mqtt] max_retained_mb");
    await until(() => count(hub, "mqtt_retained") === 10);
    await until(() => count(hub, "mqtt_queue") === 10);
    const panel = await comeBack(hub, "ben", "panel");
    await until(() => panel.published().length === 10);
    expect(panel.published().at(-1)?.topic).toBe("q/11");
  });
});

test("what is published while a client comes back reaches it once", async () => {
  await using hub = await startTestMqtt({ config });
  for (let moment = 0; moment < 24; moment++) {
    const clientId = `panel${moment}`;
    await leaveSession(hub, "ann", clientId);
    await hub.mqtt.publish("q/1", "waited", { qos: 1 });
    const raw = await openRaw(hub.mqtt.port);
    raw.send(connectPacket({ username: "ann", password: Buffer.from("secret"), clientId, clean: false }));
    // The broker has work of its own in each turn of the event loop between CONNECT and the last message that waited.
    await until(() => hub.mqtt.connections() === 1);
    for (let turn = 0; turn < moment; turn++) await new Promise((resolve) => setImmediate(resolve));
    await hub.mqtt.publish("q/2", "meanwhile", { qos: 1 });
    await hub.mqtt.publish("q/3", "last", { qos: 1 });
    const got = () => raw.packets.flatMap((packet) => (packet.cmd === "publish" ? [packet.payload.toString()] : []));
    await until(() => got().includes("last"));
    raw.send({ cmd: "pingreq" });
    await until(() => raw.packets.some(({ cmd }) => cmd === "pingresp"));
    expect(got().sort()).toEqual(["last", "meanwhile", "waited"]);
    raw.socket.destroy();
    await until(() => hub.mqtt.connections() === 0);
  }
});

describe("after a power cut", () => {
  test("what was written is there: retained messages, sessions and queues", async () => {
    using place = createPlace();
    await using first = await place.start();
    await leaveSession(first, "ann", "panel");
    const ben = await first.client(as("ben"));
    await ben.publishAsync("r", "kept", { qos: 1, retain: true });
    await ben.publishAsync("q/1", "queued", { qos: 1 });
    await until(() => ["retained", "sessions", "queue"].every((name) => count(first, `mqtt_${name}`) === 1));
    await using hub = await place.afterPowerCut();
    expect(await retainedIn(hub)).toEqual(["r kept"]);
    const panel = await comeBack(hub, "ann", "panel");
    await until(() => panel.published().length === 1);
    expect(panel.present).toBe(true);
  });

  test("rows that cannot be read are left out and reported, the others are there", async () => {
    using place = createPlace();
    {
      await using hub = await place.start();
      await leaveSession(hub, "ann", "panel");
      await hub.mqtt.publish("q/1", "queued", { qos: 1 });
      await hub.mqtt.publish("r/1", "kept", { qos: 1, retain: true });
    }
    {
      using db = new Database(place.database);
      db.run("INSERT INTO mqtt_retained VALUES ('r/bad', 'hub/', 7, x'00', x'', NULL, NULL)");
      db.run("INSERT INTO mqtt_retained VALUES ('r/text', 'hub/', 0, 'text', x'', NULL, NULL)");
      db.run("INSERT INTO mqtt_retained VALUES ('#', 'hub/', 0, x'00', x'', NULL, NULL)");
      db.run("INSERT INTO mqtt_sessions VALUES ('user/ann/bad', '[3]', 60, 5)");
      db.run("INSERT INTO mqtt_sessions VALUES ('user/ann/worse', '{\"a#\": 1}', 60, 5)");
      db.run("INSERT INTO mqtt_queue VALUES (99, 'user/ann/panel', 'q', 1, 5, x'', NULL, NULL, NULL, 0)");
    }
    await using hub = await place.start();
    expect(hub.db.faults.list().map(({ table }) => table)).toEqual([
      ...["mqtt_retained", "mqtt_retained", "mqtt_retained", "mqtt_sessions", "mqtt_sessions", "mqtt_queue"],
    ]);
    expect(hub.logged("in the state database cannot be read")).toHaveLength(6);
    expect(await retainedIn(hub)).toEqual(["r/1 kept"]);
    const panel = await comeBack(hub, "ann", "panel");
    await until(() => panel.published().length === 1);
  });
});

describe("writing", () => {
  const written = (hub: TestMqtt): number =>
    hub.db.relaxed.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;

  test("a message that changes every second is written now and then, and in full when the hub stops", async () => {
    using place = createPlace();
    const clock = createVirtualClock();
    {
      await using hub = await place.start({ clock });
      for (let second = 0; second < 3600; second++) {
        await hub.mqtt.publish("r/busy", String(second), { qos: 0, retain: true });
        await clock.advance(1000);
      }
      expect(written(hub)).toBeGreaterThanOrEqual(6);
      expect(written(hub)).toBeLessThanOrEqual(4 + 6);
    }
    await using hub = await place.start();
    expect(await retainedIn(hub)).toEqual(["r/busy 3599"]);
  });

  test("the same message again is not written again", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ config, clock });
    for (let second = 0; second < 100; second++) {
      await hub.mqtt.publish("r", "the same", { qos: 1, retain: true });
      await clock.advance(1000);
    }
    expect(written(hub)).toBe(1);
  });

  test("messages that are fetched at once are never written, nor what is set and cleared between two writes", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ config, clock });
    const ann = await hub.client(as("ann", { clientId: "panel", clean: false }));
    await ann.subscribeAsync("q/#", { qos: 1 });
    await clock.advance(2000);
    const before = written(hub);
    for (let n = 1; n <= 30; n++) {
      await hub.mqtt.publish("q/1", "x", { qos: 1 });
      await hub.mqtt.publish("r", "x", { retain: true });
      await hub.mqtt.publish("r", "", { retain: true });
      await until(() => ann.messages.length === n);
      // The acknowledgement follows the message.
      await ann.publishAsync("x/end", "", { qos: 1 });
      await clock.advance(1000);
    }
    expect(written(hub)).toBe(before);
  });

  test("while the allowance is used up, only the memory of plugins is written", async () => {
    const clock = createVirtualClock();
    const budget = { allows: () => false, enlist: () => ({ [Symbol.dispose]() {} }) };
    await using hub = await startTestMqtt({ clock, budget });
    const zig = await hub.plugin("zig");
    await zig.publishAsync("hub/plugins/zig/state", "keys", { qos: 1, retain: true });
    await zig.publishAsync("hub/plugins/zig/status", "active", { qos: 1, retain: true });
    await until(() => [...hub.mqtt.retained("hub/plugins/zig/+")].length === 2);
    await clock.advance(1000);
    expect(hub.db.relaxed.query("SELECT topic FROM mqtt_retained").values()).toEqual([["hub/plugins/zig/state"]]);
  });
});

test("what cannot be written is kept in memory, reported once, and written as soon as it can be", async () => {
  const clock = createVirtualClock();
  await using hub = await startTestMqtt({ config, clock });
  hub.db.relaxed.run("ALTER TABLE mqtt_retained RENAME TO hidden");
  for (let second = 0; second < 5; second++) {
    await hub.mqtt.publish("r", String(second), { qos: 1, retain: true });
    await clock.advance(1000);
  }
  expect(hub.logged("retained over MQTT cannot be written")).toHaveLength(1);
  expect(await retainedIn(hub)).toEqual(["r 4"]);
  hub.db.relaxed.run("ALTER TABLE hidden RENAME TO mqtt_retained");
  await clock.advance(1000);
  expect(count(hub, "mqtt_retained")).toBe(1);
  expect(hub.logged("is written again")).toHaveLength(1);
});

test("before a copy of the database is made, all is written, also what waits for its turn", async () => {
  const clock = createVirtualClock();
  const flushes = new Set<() => void>();
  const budget: DiskBudget = {
    allows: () => false,
    enlist(flush) {
      flushes.add(flush);
      return { [Symbol.dispose]: () => void flushes.delete(flush) };
    },
  };
  await using hub = await startTestMqtt({ config, clock, budget });
  await leaveSession(hub, "ann", "panel");
  const zig = await hub.plugin("zig");
  await zig.publishAsync("hub/plugins/zig/state", "keys", { qos: 1, retain: true });
  await until(() => [...hub.mqtt.retained("hub/plugins/zig/state")].length === 1);
  for (let n = 0; n < 9; n++) {
    await hub.mqtt.publish("r", String(n), { qos: 1, retain: true });
    for (const flush of flushes) flush();
  }
  const row = hub.db.relaxed.query("SELECT CAST(payload AS TEXT) FROM mqtt_retained WHERE topic = ?");
  expect([row.values("r"), row.values("hub/plugins/zig/state")]).toEqual([[["8"]], [["keys"]]]);
  expect(count(hub, "mqtt_sessions")).toBe(1);
});

describe("sessions", () => {
  const v5 = (sessionExpiryInterval: number) => ({
    ...{ protocolVersion: 5 as const, clean: false, properties: { sessionExpiryInterval } },
  });

  test("end when their client stays away for longer than it asked for, also over a restart", async () => {
    using place = createPlace();
    const clock = createVirtualClock();
    {
      await using hub = await place.start({ clock });
      for (const [clientId, secs] of [
        ["short", 100],
        ["long", 100_000],
        ["longer", 100_000],
      ] as const) {
        const client = await hub.client(as("ann", { clientId, ...v5(secs) }));
        await client.subscribeAsync("q/#", { qos: 1 });
        await client.endAsync();
      }
      await until(() => hub.mqtt.connections() === 0);
      await clock.advance(1000);
      expect(count(hub, "mqtt_sessions")).toBe(3);
      await clock.advance(180_000);
      expect(count(hub, "mqtt_sessions")).toBe(2);
      expect((await comeBack(hub, "ann", "short")).present).toBe(false);
      expect((await comeBack(hub, "ann", "long")).present).toBe(true);
    }
    await clock.advance(100_000_000);
    await using hub = await place.start({ clock });
    // A 3.1.1 client says nothing, and its session is kept for two months.
    expect((await comeBack(hub, "ann", "long")).present).toBe(true);
    expect((await comeBack(hub, "ann", "longer")).present).toBe(false);
  });

  test("of a removed account end, its retained messages stay", async () => {
    await using hub = await startTestMqtt({ config });
    await leaveSession(hub, "ann", "panel");
    await leaveSession(hub, "ben", "panel");
    await (await hub.client(as("ann"))).publishAsync("r", "kept", { qos: 1, retain: true });
    const connected = await hub.client(as("ann"));
    hub.mqtt.endSessionsOf("user/ann");
    await until(() => !connected.connected);
    expect((await comeBack(hub, "ann", "panel")).present).toBe(false);
    expect((await comeBack(hub, "ben", "panel")).present).toBe(true);
    expect(await retainedIn(hub)).toEqual(["r kept"]);
  });

  test("that are over make room for others", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, config: { users, max_connections_per_account: 2 } });
    for (const clientId of ["one", "two"]) {
      const client = await hub.client(as("ann", { clientId, ...v5(60) }));
      await client.subscribeAsync("q/#", { qos: 1 });
      await client.endAsync();
      await until(() => hub.mqtt.connections() === 0);
    }
    await clock.advance(180_000);
    await leaveSession(hub, "ann", "three");
    expect((await comeBack(hub, "ann", "three")).present).toBe(true);
    expect(hub.limits.problems()).toEqual([]);
  });
});
