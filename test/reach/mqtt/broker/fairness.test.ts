// Limits of one account and of unknown clients: reached limits are reported once, and do not affect other clients.
import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { connectPacket, openRaw, type RawConnection } from "../raw.ts";
import { json, startTestMqtt, type TestMqtt, until } from "../support.ts";

const lists = { publish: ["hub/#"], subscribe: ["hub/#"] };
const users = [
  { username: "ann", password: "secret", ...lists },
  { username: "bob", password: "secret", ...lists },
];
const as = (username: string, rest: object = {}) => ({ username, password: "secret", ...rest });
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "let in",
    (error: { code: number }) => error.code,
  );

/** What was reported, as an event and as a problem: the same, and each once. */
function reported(hub: TestMqtt): { limit: string; account: string; message: string }[] {
  const problems = hub.limits.problems();
  const events = hub.events.flatMap(({ event }) => (event.type === "limit_reached" ? [event] : []));
  expect(events.map(({ limit, account }) => ({ limit, account }))).toEqual(
    problems.map(({ limit, account }) => ({ limit, account })),
  );
  expect(hub.logged("a limit is reached")).toHaveLength(problems.length);
  return problems;
}

/** After the time that those who wait have for themselves. */
async function logsInAfter(clock: VirtualClock, logIn: () => Promise<unknown>): Promise<void> {
  await clock.advance(250);
  await logIn();
}

/** How many connections wait until they may go on. */
const slowed = (clock: VirtualClock): number => clock.pending().filter((name) => name === "mqtt rate limit").length;

/** Lets so many seconds pass at most, each once what the one before allowed was taken. */
async function secondsPass(clock: VirtualClock, most: number, isOver: () => boolean): Promise<void> {
  for (let second = 0; second < most && !isOver(); second++) {
    await clock.advance(1000);
    await until(() => isOver() || slowed(clock) > 0);
  }
}

describe("connections", () => {
  test("of one account: it may still take over its own session, and others connect", async () => {
    await using hub = await startTestMqtt({ config: { users, max_connections_per_account: 2 } });
    const [first] = await Promise.all(["one", "two"].map((clientId) => hub.client(as("ann", { clientId }))));
    for (let n = 0; n < 3; n++) expect(await refusal(hub.client(as("ann")))).toBe(3);
    await hub.client(as("bob"));
    await hub.client(as("ann", { clientId: "one" }));
    await until(() => !first?.connected);
    expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_connections_per_account", account: "ann" }]);
    expect(hub.logged("login was refused")[0]?.fields).toMatchObject({ reason: "there are too many connections" });
  });

  test("of all accounts: supervised plugins do not count and always connect", async () => {
    await using hub = await startTestMqtt({ config: { users, max_connections: 2 } });
    await hub.plugin("early");
    await hub.client(as("ann"));
    await hub.client(as("bob"));
    expect(await refusal(hub.client(as("bob")))).toBe(3);
    await hub.plugin("late");
    expect(hub.mqtt.connections()).toBe(4);
    expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_connections", account: "all" }]);
  });

  test("kept sessions of absent clients have the same limits", async () => {
    await using hub = await startTestMqtt({ config: { users, max_connections_per_account: 2 } });
    for (const clientId of ["one", "two", "three"]) {
      const client = await hub.client(as("ann", { clientId, clean: false }));
      await client.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
      await client.endAsync();
      await until(() => hub.mqtt.connections() === 0);
    }
    const present = async (clientId: string) => {
      const raw = await openRaw(hub.mqtt.port);
      raw.send(connectPacket({ username: "ann", password: Buffer.from("secret"), clientId, clean: false }));
      await until(() => raw.packets.length > 0);
      raw.socket.destroy();
      await until(() => hub.mqtt.connections() === 0);
      return (raw.packets[0] as { sessionPresent?: boolean }).sessionPresent;
    };
    expect([await present("one"), await present("two"), await present("three")]).toEqual([true, true, false]);
    expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_connections_per_account", account: "ann" }]);
  });
});

describe("connections without a login", () => {
  const open = async (hub: TestMqtt, count: number, host = "127.0.0.1"): Promise<RawConnection[]> => {
    const all: RawConnection[] = [];
    for (let n = 0; n < count; n++) all.push(await openRaw(hub.mqtt.port, 4, host));
    return all;
  };
  const closed = (strangers: RawConnection[]) => strangers.filter((one) => one.closed()).length;

  test("of one address: the oldest is closed for the newest, and nobody is refused", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({
      ...{ clock, config: { users, max_connections: 2, max_pending_connections_per_address: 3 } },
    });
    const strangers = await open(hub, 3);
    // It is answered: the broker has seen those before.
    await logsInAfter(clock, () => hub.client(as("ann")));
    await logsInAfter(clock, () => hub.plugin("zig"));
    await logsInAfter(clock, () => hub.client(as("bob")));
    await until(() => closed(strangers) > 0);
    expect(reported(hub)).toMatchObject([
      { limit: "[mqtt] max_pending_connections_per_address", account: "127.0.0.1" },
    ]);
    expect(hub.mqtt.connections()).toBe(3);
  });

  test("of one address at once: further ones are refused, and those that wait have their time", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, config: { users, max_pending_connections_per_address: 3 } });
    const early = await open(hub, 3);
    const late = await open(hub, 20);
    await until(() => closed(late) === 20);
    expect(closed(early)).toBe(0);
    early[0]?.send(connectPacket({ username: "ann", password: Buffer.from("secret") }));
    await until(() => early[0]?.packets.some(({ cmd }) => cmd === "connack"));
    expect(reported(hub)).toMatchObject([{ message: expect.stringContaining("a new one was refused") }]);
  });

  const ownAddress = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address;

  test.skipIf(ownAddress === undefined)("of other machines: they leave no less for this one", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, config: { host: "0.0.0.0", users, max_pending_connections: 2 } });
    const strangers = await open(hub, 5, ownAddress);
    await until(() => closed(strangers) === 3);
    const here = await open(hub, 5);
    await hub.plugin("zig");
    await hub.client(as("ann"));
    expect(closed(here)).toBe(0);
    expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_pending_connections", account: "all" }]);
  });

  test("connections that log in or close no longer count", async () => {
    await using hub = await startTestMqtt({ config: { users, max_pending_connections_per_address: 1 } });
    for (let n = 0; n < 5; n++) await hub.client(as("ann"));
    for (let n = 0; n < 5; n++) {
      const [stranger] = await open(hub, 1);
      stranger?.socket.end();
      // Closed by the broker, too: it has noticed.
      await until(() => stranger?.closed());
    }
    expect(reported(hub)).toEqual([]);
  });
});

describe("messages a second", () => {
  const received = (hub: TestMqtt, name: string): string[] =>
    hub.events.flatMap(({ type }) =>
      type.startsWith(`custom_${name}_`) ? [type.slice(`custom_${name}_`.length)] : [],
    );

  test.each([0, 1, 2] as const)(
    "QoS %d: slowed to that rate, none lost, in order; others are not slowed",
    async (qos) => {
      const clock = createVirtualClock();
      await using hub = await startTestMqtt({ clock, config: { users, max_messages_per_second: 10 } });
      const ann = await hub.client(as("ann"));
      const bob = await hub.client(as("bob"));
      const numbers = Array.from({ length: 180 }, (_, n) => String(n));
      const sent = Promise.all(numbers.map((n) => ann.publishAsync(`hub/events/ann_${n}`, "{}", { qos })));
      await until(() => hub.limits.problems().length > 0);
      await bob.publishAsync("hub/events/bob_0", "{}", { qos: 1 });
      expect(received(hub, "bob")).toEqual(["0"]);
      // Ten seconds' worth at once, and at most one batch more.
      expect(received(hub, "ann").length).toBeGreaterThanOrEqual(100 - 32);
      expect(received(hub, "ann").length).toBeLessThanOrEqual(100 + 32);
      await clock.advance(2000);
      expect(received(hub, "ann").length).toBeLessThanOrEqual(100 + 20 + 32);
      await secondsPass(clock, 60, () => received(hub, "ann").length === numbers.length);
      expect(received(hub, "ann")).toEqual(numbers);
      await sent;
      expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_messages_per_second", account: "ann" }]);
    },
  );

  test("connections of one account share it; acknowledgements and pings are free", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, config: { users, max_messages_per_second: 10 } });
    const clients = await Promise.all([1, 2, 3, 4].map(() => hub.client(as("ann"))));
    const reader = await hub.client(as("bob"));
    await reader.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
    for (let n = 0; n < 300; n++) await hub.mqtt.command("lamp", { n });
    await until(() => reader.messages.length === 300);
    for (const client of clients) for (let n = 0; n < 150; n++) client.publish(`hub/events/ann_${n}`, "{}");
    await until(() => slowed(clock) === clients.length);
    expect(received(hub, "ann").length).toBeLessThanOrEqual(100 + 4 * 32 - 1);
    expect(reported(hub)).toMatchObject([{ account: "ann" }]);
  });
});

describe("megabytes a second", () => {
  test("slowed to that rate, none lost, in order; others are not slowed", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, config: { users, max_mb_per_second: 0.25 } });
    const ann = await hub.client(as("ann"));
    const bob = await hub.client(as("bob"));
    const count = 20;
    const payload = json({ text: "x".repeat(100_000) });
    const received = () => hub.events.flatMap(({ type }) => (type.startsWith("custom_ann_") ? [type.slice(11)] : []));
    const numbers = Array.from({ length: count }, (_, n) => String(n));
    const sent = Promise.all(numbers.map((n) => ann.publishAsync(`hub/events/ann_${n}`, payload, { qos: 1 })));
    await until(() => hub.limits.problems().length > 0);
    await bob.publishAsync("hub/events/bob", "{}", { qos: 1 });
    // Four seconds' worth, which is a megabyte, and at most one batch more.
    expect(received().length).toBeGreaterThanOrEqual(9);
    expect(received().length).toBeLessThanOrEqual(11);
    await clock.advance(1000);
    expect(received().length).toBeLessThanOrEqual(14);
    await secondsPass(clock, 30, () => received().length === count);
    expect(received()).toEqual(numbers);
    await sent;
    expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_mb_per_second", account: "ann" }]);
  });

  test("all accounts share what one may send, but for a quarter of it that each has alone", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, config: { users, max_mb_per_second: 0.25 } });
    const payload = json({ text: "x".repeat(100_000) });
    const count = 20;
    const of = (name: string) => hub.events.filter(({ type }) => type.startsWith(`custom_${name}_`)).length;
    const slowedNames = () => reported(hub).map(({ account }) => account);
    const send = async (name: "ann" | "bob") => {
      const client = await hub.client(as(name));
      const all = Array.from({ length: count }, (_, n) =>
        client.publishAsync(`hub/events/${name}_${n}`, payload, { qos: 1 }),
      );
      await until(() => slowedNames().includes(name));
      return Promise.all(all);
    };
    const ann = send("ann");
    await until(() => slowedNames().includes("ann"));
    expect(of("ann")).toBeGreaterThanOrEqual(9);
    const bob = send("bob");
    await until(() => slowedNames().includes("bob"));
    // A quarter of a megabyte of its own, and what ann has left of the other.
    expect(of("bob")).toBeGreaterThanOrEqual(4);
    expect(of("bob")).toBeLessThanOrEqual(7);
    await secondsPass(clock, 60, () => of("ann") + of("bob") === 2 * count);
    await Promise.all([ann, bob]);
  });

  test("other packets count as well, however they are split", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, config: { users, max_mb_per_second: 0.01 } });
    const raw = await openRaw(hub.mqtt.port);
    raw.send(connectPacket({ username: "ann", password: Buffer.from("secret") }));
    await until(() => raw.packets.length === 1);
    const pings = 50_000;
    raw.socket.write(Buffer.concat(Array.from({ length: pings }, () => Buffer.from([0xc0, 0]))));
    await until(() => hub.limits.problems().length > 0);
    expect(raw.packets.length).toBeLessThan(pings);
    expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_mb_per_second", account: "ann" }]);
  });
});

test("deliveries a second: slowed to that rate, none lost; others are not slowed", async () => {
  const clock = createVirtualClock();
  await using hub = await startTestMqtt({ clock, config: { users, max_deliveries_per_second: 100 } });
  const readers = await Promise.all(Array.from({ length: 20 }, () => hub.client(as("bob"))));
  for (const reader of readers) await reader.subscribeAsync("hub/events/+");
  const ann = await hub.client(as("ann"));
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  const sent = Promise.all(numbers.map((n) => ann.publishAsync("hub/events/wide", json({ n }), { qos: 1 })));
  await until(() => hub.limits.problems().length > 0);
  const received = () => hub.events.filter(({ type }) => type === "custom_wide").length;
  // Two seconds' worth, and at most the batch that used them up and one that was started before they were counted.
  expect(received()).toBeGreaterThanOrEqual(10);
  expect(received()).toBeLessThanOrEqual(10 + 2 * 32);
  const free = await hub.client(as("bob"));
  await free.publishAsync("hub/events/free", "{}", { qos: 1 });
  expect(hub.events.some(({ type }) => type === "custom_free")).toBe(true);
  await secondsPass(clock, 60, () => received() === numbers.length);
  await sent;
  await until(() => readers.every(({ messages }) => messages.length === numbers.length + 1));
  for (const { messages } of readers) {
    const wide = messages.filter(({ topic }) => topic.endsWith("wide")).map(({ text }) => JSON.parse(text).n);
    expect(wide).toEqual(numbers);
  }
  expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_deliveries_per_second", account: "ann" }]);
});

describe("new devices a minute", () => {
  test("further ones are refused with the reason; known ones and other accounts are not affected", async () => {
    const clock = createVirtualClock();
    await using hub = await startTestMqtt({ clock, owners: { old: "zig" }, config: { max_new_devices_per_minute: 3 } });
    const zig = await hub.plugin("zig");
    const other = await hub.plugin("other");
    const register = (n: number) =>
      zig.publishAsync("hub/plugins/zig/register", json({ device_id: `lamp_${n}`, name: "Lamp" }), { qos: 1 });
    for (let n = 0; n < 5; n++) await register(n);
    await zig.publishAsync("hub/devices/lamp_9/state", json({ on: true }), { qos: 1 });
    await zig.publishAsync("hub/devices/old/state", json({ on: true }), { qos: 1 });
    await register(1);
    await other.publishAsync("hub/devices/plug/state", json({ on: true }), { qos: 1 });
    expect(hub.called("register").map(([, made]) => (made as { device_id: string }).device_id)).toEqual([
      "lamp_0",
      "lamp_1",
      "lamp_2",
      "lamp_1",
    ]);
    expect(hub.called("state").map(([, id]) => id)).toEqual(["old", "plug"]);
    expect(hub.logged("was ignored")[0]?.fields.reason).toContain("more than 3 new devices in a minute");
    expect(reported(hub)).toMatchObject([{ limit: "[mqtt] max_new_devices_per_minute", account: "zig" }]);
    await clock.advance(20_000);
    await register(3);
    await register(4);
    expect(hub.owner.has("lamp_3")).toBe(true);
    expect(hub.owner.has("lamp_4")).toBe(false);
  });

  test("devices that are refused for other reasons are not counted", async () => {
    await using hub = await startTestMqtt({ config: { max_new_devices_per_minute: 1 } });
    const zig = await hub.plugin("zig");
    for (const payload of ["no JSON", json({ device_id: "a/b" }), json({ device_id: "refused" })]) {
      await zig.publishAsync("hub/plugins/zig/register", payload, { qos: 1 });
    }
    await zig.publishAsync("hub/plugins/zig/register", json({ device_id: "lamp", name: "Lamp" }), { qos: 1 });
    expect(hub.owner.has("lamp")).toBe(true);
    expect(reported(hub)).toEqual([]);
  });
});
