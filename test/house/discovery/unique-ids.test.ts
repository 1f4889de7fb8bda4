// Unique ids that are none: new at each announcement, the same for two things, empty, endless, of other types. What a name reads and
// commands stays, and nothing grows with the number of announcements.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

const DEVICE = { ids: "box", name: "Box" };
const relay = (at: number, id: unknown, device: object | null = DEVICE) => ({
  ...{ unique_id: id, name: `Relay ${at}`, state_topic: `k/${at}`, command_topic: `k/${at}/set` },
  ...(device && { device }),
});

async function announce(rig: Rig, topic: string, payload: unknown): Promise<void> {
  rig.publish(`homeassistant/${topic}/config`, payload, { account: "esp" });
  await rig.clock.advance(200);
}

/** The topic that each attribute which can be switched sends to. */
async function commandedBy(rig: Rig, id = "box"): Promise<Record<string, string | undefined>> {
  const { properties } = rig.registry.get(id).details.schema as { properties: Record<string, { type: string }> };
  const found: Record<string, string | undefined> = {};
  for (const [name, { type }] of Object.entries(properties)) {
    if (type !== "boolean") continue;
    rig.sent();
    await rig.discovery.command(id, { [name]: true });
    found[name] = rig.sent().at(-1)?.topic;
  }
  return found;
}

async function rowsIn(rig: Rig, table: string): Promise<number> {
  await rig.clock.advance(2000);
  using db = new Database(rig.folder.at("state.redb"));
  return db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()?.count ?? 0;
}

function restarted(rig: Rig): Rig {
  rig.registry[Symbol.dispose]();
  return createRig({ after: rig, clock: rig.clock });
}

describe("a unique id that is another one at each announcement", () => {
  test.each([
    ["of a device", DEVICE, "box"],
    ["of an entity without a device", null, "u0"],
  ])("%s changes no name and adds nothing", async (_, device, id) => {
    using rig = createRig();
    for (let at = 0; at < 300; at++) await announce(rig, "switch/x", relay(1, `u${at}`, device));
    expect([...rig.registry.list()].map((one) => one.id)).toEqual([id]);
    expect(await commandedBy(rig, id)).toEqual({ on: "k/1/set" });
    expect(await rowsIn(rig, "discovery_names")).toBeLessThan(20);
    expect(await rowsIn(rig, "discovery_identities")).toBeLessThan(60);
    const again = restarted(rig);
    await announce(again, "switch/x", relay(1, "another", device));
    expect([...again.registry.list()].map((one) => one.id)).toEqual([id]);
    expect(await commandedBy(again, id)).toEqual({ on: "k/1/set" });
  });

  test("in a house of before, too", async () => {
    using rig = createRig();
    await announce(rig, "switch/x", relay(1, "u1"));
    await rig.clock.advance(2000);
    new Database(rig.folder.at("state.redb")).run("DELETE FROM discovery_names WHERE id LIKE '@%'");
    const again = restarted(rig);
    await announce(again, "switch/x", relay(1, "u1"));
    await announce(again, "switch/x", relay(1, "u2"));
    expect(await commandedBy(again)).toEqual({ on: "k/1/set" });
  });

  test("a device that is known by something new each time is forgotten by what it was known by long ago", async () => {
    using rig = createRig();
    for (let at = 0; at < 300; at++) await announce(rig, "switch/x", relay(1, "u", { ids: ["box", `session ${at}`] }));
    expect([...rig.registry.list()].map((one) => one.id)).toEqual(["box"]);
    expect(await rowsIn(rig, "discovery_identities")).toBeLessThan(60);
  });
});

test("what goes by its id is the same on whatever topics", async () => {
  using rig = createRig();
  await announce(rig, "switch/r0", relay(0, "serial a"));
  await announce(rig, "switch/r1", relay(1, "serial b"));
  const [first, second] = Object.keys(await commandedBy(rig));
  // Numbered in the order in which they were found: now the other way round.
  const again = restarted(rig);
  await announce(again, "switch/r0", relay(0, "serial b"));
  await announce(again, "switch/r1", relay(1, "serial a"));
  expect(await commandedBy(again)).toEqual({ [first ?? ""]: "k/1/set", [second ?? ""]: "k/0/set" });
});

describe("a unique id that two entities have", () => {
  test.each<[string, string, string]>([
    ["on two topics", "switch/one", "switch/two"],
    ["the second first", "switch/two", "switch/one"],
  ])("%s: each keeps what it is, whichever is left or comes first after a restart", async (_, one, two) => {
    const order = [one, two];
    const numberOf = (topic: string): number => (topic === "switch/one" ? 1 : 2);
    using rig = createRig();
    for (const topic of order) await announce(rig, topic, relay(numberOf(topic), "same"));
    const [first = "", second = ""] = order.map((topic) => `k/${numberOf(topic)}/set`);
    const named = await commandedBy(rig);
    const other = Object.keys(named).find((name) => name !== "on") ?? "";
    expect(named).toEqual({ on: first, [other]: second });
    await announce(rig, order[0] ?? "", "");
    expect(await commandedBy(rig)).toEqual({ [other]: second });
    for (const now of [order, order.toReversed(), order.slice(1)]) {
      const again = restarted(rig);
      for (const topic of now) await announce(again, topic, relay(numberOf(topic), "same"));
      const found = await commandedBy(again);
      expect(found[other]).toBe(second);
      if (now.length > 1) expect(found.on).toBe(first);
    }
  });

  test("in one message, or without a device", async () => {
    using rig = createRig();
    const part = (at: number) => ({ p: "sensor", unique_id: "same", state_topic: `k/${at}` });
    const components = { one: part(1), two: part(2) };
    await announce(rig, "device/d", { device: DEVICE, origin: { name: "o" }, components });
    for (const at of [3, 4]) await announce(rig, `sensor/s${at}`, { unique_id: "loose", state_topic: `k/${at}` });
    for (const at of [1, 2, 3, 4]) rig.publish(`k/${at}`, `${at}`, { account: "esp" });
    expect(rig.registry.get("box").attributes).toEqual({ one: "1", two: "2" });
    expect(rig.registry.get("loose").attributes).toEqual({ s3: "3", s4: "4" });
  });

  test("an entity that is wrong is still named, also if its id is another's", async () => {
    using rig = createRig();
    await announce(rig, "sensor/one", { unique_id: "same", device: DEVICE, state_topic: "k/1" });
    await announce(rig, "sensor/two", { unique_id: "same", device: DEVICE, state_topic: "k/2", expire_after: -5 });
    const broken = rig.discovery.list().filter(({ problem }) => problem !== null);
    expect(broken.map(({ id }) => id)).toEqual([expect.stringContaining("sensor/two")]);
    rig.publish("k/1", "1", { account: "esp" });
    expect(rig.registry.get("box").attributes).toEqual({ one: "1" });
  });
});

describe("a unique id that is none", () => {
  const LONG = "x".repeat(10_000);
  test.each<[string, unknown, unknown]>([
    ["10 kB that end differently", `${LONG}1`, `${LONG}2`],
    ["empty", "", ""],
    ["true", true, true],
    ["an object", { a: 1 }, { a: 1 }],
    ["a list", ["a"], ["a"]],
    ["null", null, null],
    ["control characters", "a\u0000\n\u001b[31m", "a\u0000\n\u001b[32m"],
  ])("%s: two entities are two", async (_, one, two) => {
    using rig = createRig();
    for (const [at, id] of [one, two].entries()) {
      await announce(rig, `sensor/with${at}`, { unique_id: id, device: DEVICE, state_topic: `k/${at}` });
      await announce(rig, `sensor/bare${at}`, { unique_id: id, state_topic: `b/${at}` });
      rig.publish(`k/${at}`, `${at}`, { account: "esp" });
      rig.publish(`b/${at}`, `${at}`, { account: "esp" });
    }
    expect(rig.registry.get("box").attributes).toEqual({ with0: "0", with1: "1" });
    const bare = [...rig.registry.list()].filter(({ id }) => id !== "box");
    expect(bare.map(({ attributes }) => attributes)).toEqual([{ bare0: "0" }, { bare1: "1" }]);
    // What is kept and shown of it is short, and harmless on a terminal.
    for (const { id } of rig.discovery.list()) expect(id).toMatch(/^\P{Cc}{1,300}$/u);
    expect(await rowsIn(rig, "discovery_names")).toBeLessThan(12);
  });
});
