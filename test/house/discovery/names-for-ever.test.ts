// A name is given once: whatever is announced, taken back, announced again in another order or after a restart, an attribute never
// reads or commands another entity than the one that it was first.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { EntitiesHouse, type TestEntity } from "../../support/entities-house.ts";
import { createRandom } from "../../support/random.ts";

const ROUNDS = 200;
const SEEDS = 2;
const PICKS = ["{{ value_json.value }}", "{{ value_json.output }}", "{{ value_json.state }}"];

const KINDS: readonly Pick<TestEntity, "component" | "config" | "says">[] = [
  { component: "sensor", config: { unit_of_measurement: "W", device_class: "power" }, says: [1, 2] },
  { component: "sensor", config: { device_class: "battery" }, says: [80, 79] },
  { component: "number", config: { min: 0, max: 100 }, says: [4, 5] },
  { component: "switch", config: {}, says: ["OFF", "ON"] },
  { component: "binary_sensor", config: { device_class: "door" }, says: ["OFF", "ON"] },
  { component: "select", config: { options: ["a", "b"] }, says: ["a", "b"] },
];
const ENTITIES = Array.from({ length: 24 }, (_, at): TestEntity => {
  const kind = KINDS[at % KINDS.length] as TestEntity;
  return { ...kind, id: `e${at}` };
});

for (const pick of PICKS)
  for (let seed = 1; seed <= SEEDS; seed++)
    test(`${pick}, seed ${seed}: ${ROUNDS} announcements, removals and restarts move no name`, async () => {
      using house = new EntitiesHouse(ENTITIES, pick);
      await house.live(ROUNDS, createRandom(seed));
      expect(house.read.size).toBeGreaterThan(20);
      expect(house.commanded.size).toBeGreaterThan(10);
    });

test("a house of before names were kept has those that it had, whichever entity is announced first", async () => {
  using house = new EntitiesHouse(ENTITIES, "{{ value_json.value }}");
  for (const at of [0, 3, 9, 15]) house.announce(at);
  await house.check();
  new Database(house.rig.folder.at("state.redb")).run("DELETE FROM discovery_names");
  house.restart([]);
  for (const at of [15, 9, 3, 0]) {
    house.announce(at);
    await house.rig.clock.advance(1000);
  }
  // As the version of the hub before this called them.
  const before: [string, string][] = [
    ["value", "box/0"],
    ["value_e15", "box/15"],
    ["value_e3", "box/3"],
    ["value_e9", "box/9"],
  ];
  const names = () => [...house.read].filter(([name]) => name.startsWith("value")).sort();
  house.read.clear();
  house.commanded.clear();
  await house.check();
  expect(names()).toEqual(before);
  // It announces itself again and again.
  for (let minute = 0; minute < 4; minute++) {
    house.announce(0);
    await house.rig.clock.advance(20_000);
  }
  // What was read before the names were kept means the same after the next start, whatever speaks first.
  house.restart([]);
  for (const at of [21, 15, 9, 3, 1, 0]) house.announce(at);
  await house.check();
  expect(names()).toEqual(before);
  expect([...house.read.keys()]).toContain("battery");
});

test("a hub that stops before the names of a device of before are kept leaves that to its next start", async () => {
  using house = new EntitiesHouse(ENTITIES, "{{ value_json.value }}");
  house.announce(0);
  await house.check();
  new Database(house.rig.folder.at("state.redb")).run("DELETE FROM discovery_names");
  house.restart([0]);
  await house.rig.clock.advance(1000);
  expect(house.rig.clock.pending()).toContain("names of attributes");
  await house.rig.discovery.stop({ isConnected: true });
  // Its database is closed by the time at which they would be kept.
  expect(house.rig.clock.pending()).not.toContain("names of attributes");
  house.restart([0]);
  await house.rig.clock.advance(61_000);
  const kept = new Database(house.rig.folder.at("state.redb")).query("SELECT name FROM discovery_names").all();
  expect(kept).not.toEqual([]);
});
