// Topics with wildcards in announcements: what they match is read of the sender's own messages alone, what would read everybody's is
// refused by name, and thousands of them keep nobody waiting.
import { describe, expect, test } from "bun:test";
import { FilterTree } from "../../../src/house/discovery/entries.ts";
import { matchesFilter } from "../../../src/kit/text/topic-filter.ts";
import { createRandom } from "../../support/random.ts";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

async function announce(rig: Rig, topic: string, more: object = {}): Promise<void> {
  const config = { unique_id: "x", device: { ids: "tag" }, state_topic: topic, ...more };
  rig.publish("homeassistant/sensor/x/config", config, { account: "gateway" });
  await rig.clock.advance(200);
}

describe("only the sender's own messages are read", () => {
  test.each([
    ["an account that may publish all", () => true],
    ["one that may publish below its own topic", (topic: string) => /^(?:homeassistant|home)\//.test(topic)],
  ])("%s", async (_, mayPublish) => {
    using rig = createRig({ mayPublish });
    await announce(rig, "+/+/BTtoMQTT/AA");
    rig.publish("home/other/BTtoMQTT/AA", "of somebody else", { account: "stranger" });
    expect(rig.registry.get("tag").attributes).toEqual({});
    rig.publish("home/one/BTtoMQTT/AA", "21", { account: "gateway" });
    rig.publish("home/other/BTtoMQTT/AA", "99", { account: "stranger" });
    expect(Object.values(rig.registry.get("tag").attributes)).toEqual(["21"]);
  });

  test("a camera's picture too", async () => {
    using rig = createRig();
    const config = { unique_id: "c", device: { ids: "cam" }, topic: "+/door/picture" };
    rig.publish("homeassistant/camera/c/config", config, { account: "gateway" });
    await rig.clock.advance(200);
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
    rig.publish("one/door/picture", png, { account: "stranger" });
    await rig.clock.advance(2000);
    expect(rig.registry.get("cam").attributes).toEqual({});
  });
});

test.each([
  ["#"],
  ["+"],
  ["+/#"],
  ["+/+"],
  ["$SYS/#"],
  ["zigbee2mqtt/#"],
  ["+/state"],
  ["home/+"],
  ["/+/+/"],
  ["homeassistant/+/+/config/#"],
  [`${"+/".repeat(30_000)}a/b`],
])("%.40s would read what is not the device's: named, and no device", async (topic) => {
  using rig = createRig();
  for (const key of ["state_topic", "json_attributes_topic", "availability_topic"]) {
    await announce(rig, "k/state", { [key]: topic });
    const [one, ...others] = rig.discovery.list();
    expect(others).toEqual([]);
    expect(one?.problem).toMatch(
      new RegExp(
        `^sensor: (?:availability: )?${key === "availability_topic" ? ".*" : key}: .*(?:wildcards|broker passes on)`,
      ),
    );
    expect(one?.problem?.length).toBeLessThan(600);
    expect([...rig.registry.list()].filter(({ available }) => available)).toEqual([]);
  }
});

test("a command never goes to a wildcard", async () => {
  using rig = createRig();
  const config = { unique_id: "s", device: { ids: "tag" }, state_topic: "k", command_topic: "+/a/set" };
  rig.publish("homeassistant/switch/s/config", config, { account: "gateway" });
  await rig.clock.advance(200);
  expect(rig.discovery.list().map(({ problem }) => problem)).toEqual([expect.stringContaining("command_topic")]);
});

describe("a tree of filters", () => {
  test("finds what matchesFilter finds, also after some were taken out", () => {
    const random = createRandom(7);
    const level = (): string => ["a", "b", "", "+", "$x"][random.below(5)] ?? "a";
    const levels = (most: number): string => Array.from({ length: 1 + random.below(most) }, level).join("/");
    const filters = new Set(Array.from({ length: 300 }, () => (random.below(4) === 0 ? `${levels(3)}/#` : levels(4))));
    const tree = new FilterTree();
    for (const one of filters) tree.add(one);
    for (let round = 0; round < 600; round++) {
      const topic = levels(5).replaceAll("+", "c");
      const wanted = [...filters].filter((one) => one === topic || matchesFilter(one, topic)).sort();
      expect(tree.matching(topic).sort()).toEqual(wanted);
      const [gone] = filters;
      if (round % 3 > 0 || gone === undefined) continue;
      tree.delete(gone);
      filters.delete(gone);
    }
    for (const one of filters) tree.delete(one);
    expect(tree.isEmpty).toBe(true);
  });

  test("of 5,000 costs a message next to nothing", () => {
    const tree = new FilterTree();
    for (let at = 0; at < 5000; at++) tree.add(`+/t${at}/state`);
    const begun = performance.now();
    for (let at = 0; at < 2000; at++) tree.matching(`home/new${at}/state`);
    expect(performance.now() - begun).toBeLessThan(200);
  });
});

test("a topic that no broker passes on is named in the inbox, with what to change", async () => {
  using rig = createRig();
  for (const topic of ["NJOURF+1/state", "home/NJOURF#1"]) {
    await announce(rig, topic);
    expect(rig.discovery.list().map(({ problem }) => problem)).toEqual([
      `sensor: state_topic: "${topic}" is no topic that a broker passes on (+ and # are no part of names): let the device, or what announces it, call it otherwise`,
    ]);
  }
});
