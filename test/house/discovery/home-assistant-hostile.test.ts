// Announcements that are wrong, too large, too many, or not the sender's to make: listed with what is wrong, and nothing else is harmed.
import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

const config = (id: string, more: object = {}) => ({
  unique_id: id,
  device: { ids: "abc" },
  state_topic: "k",
  ...more,
});
const problems = (rig: Rig) => rig.discovery.list().flatMap(({ problem }) => problem ?? []);

async function announce(rig: Rig, topic: string, payload: unknown, account = "esp") {
  rig.publish(`homeassistant/${topic}/config`, payload, { account });
  await rig.clock.advance(200);
}

describe("an announcement that cannot be used", () => {
  test.each<[string, unknown, string]>([
    ["sensor/x", JSON.stringify(config("x")).slice(0, 40), "no JSON object"],
    ["sensor/x", { ...config("x"), name: "x".repeat(1_000_000) }, "at most 65536 are read"],
    ["sensor/x", [], "no JSON object"],
    ["sensor/x", '{"__proto__":{"state_topic":"k"}}', "no JSON object"],
    ["sensor/x", `${'{"a":'.repeat(40)}1${"}".repeat(40)}`, "no JSON object"],
    ["sensor/a b", config("x"), "none of Home Assistant's discovery"],
    ["sensor/x", config("x", { expire_after: -5 }), "expire_after: must be seconds"],
    ["sensor/x", config("x", { expire_after: 1e300 }), "expire_after: must be seconds"],
    ["sensor/x", config("x", { value_template: `{{ ${"(".repeat(9000)} }}` }), "it cannot be read"],
    ["sensor/x", config("x", { availability: [{ topic: "a" }], availability_topic: "b" }), "exclude each other"],
    ["number/x", config("x", { command_topic: "k/set", min: 10, max: 1 }), "max: must not be less than min"],
    [
      "select/x",
      config("x", { command_topic: "k/set", command_template: "{{ states.x.y }}", options: [] }),
      '"states"',
    ],
    ["hologram/x", config("x", { command_topic: "k/set" }), "hologram: seen, not understood"],
    ["device/x", { device: { ids: "abc" }, components: {} }, "origin: needs a name"],
    ["device/x", { device: {}, origin: { name: "o" }, components: {} }, "needs identifiers"],
    [
      "device/x",
      { device: { ids: "abc" }, origin: { name: "o" }, components: { a: { p: "sensor", state_topic: "k" } } },
      "components.a: needs a unique_id",
    ],
  ])("%s %#", async (topic, payload, problem) => {
    using rig = createRig();
    await announce(rig, "binary_sensor/ok", config("ok"));
    await announce(rig, topic, payload);
    expect(problems(rig)).toEqual([expect.stringContaining(problem)]);
    expect(rig.discovery.list().find((one) => one.problem !== null)?.id).toContain(`homeassistant/${topic}/config`);
    rig.publish("k", "ON", { account: "esp" });
    expect(rig.registry.get("abc").attributes).toMatchObject({ ok: true });
    await announce(rig, topic, "");
    // What can never be an announcement stays listed.
    if (!topic.includes(" ")) expect(problems(rig)).toEqual([]);
  });
});

test("states below the prefix itself are read, as Home Assistant's own example has them", async () => {
  using rig = createRig();
  await announce(rig, "sensor/bedroom", { ...config("t"), state_topic: "homeassistant/sensor/bedroom/state" });
  rig.publish("homeassistant/sensor/bedroom/state", "21", { account: "esp" });
  expect(rig.registry.get("abc").attributes).toEqual({ bedroom: "21" });
});

test.each([
  { command_topic: "else/set" },
  { "~": "else", command_topic: "~/set" },
  { command_topic: "k/set", availability: { topic: "else/lwt" } },
  { command_topic: "k/set", json_attributes_topic: "else/more" },
])("nobody announces topics of others: %j", async (more) => {
  using rig = createRig({ mayPublish: (topic) => topic === "k" || topic.startsWith("k/") });
  await announce(rig, "switch/x", config("x", more));
  expect([...rig.registry.list()]).toEqual([]);
  expect(problems(rig)).toEqual([expect.stringContaining("which it may not publish to itself")]);
});

test("names that mean something to JavaScript or to a terminal are made harmless", async () => {
  using rig = createRig();
  const template = "{{ value_json['__proto__'] }}";
  await announce(rig, "sensor/x", config("x", { value_template: template }));
  const components = { "a\u001b[31m\n": { p: "sensor", unique_id: "1", state_topic: "k/a" } };
  await announce(rig, "device/d", { device: { ids: "abc" }, origin: { name: "o" }, components });
  rig.publish("k/a", "x", { account: "esp" });
  expect(Object.keys(rig.registry.get("abc").attributes)).toEqual(["a_31m"]);
  await announce(rig, "sensor/y", { ...config("y"), device: { ids: "../../etc/#+" } });
  expect([...rig.registry.list()].map(({ id }) => id)).toContain(".._.._etc_");
});

describe("limits", () => {
  test("500 entities of a device, 5,000 of an account; others are not touched", async () => {
    using rig = createRig();
    for (let at = 0; at < 5100; at++)
      rig.publish(
        `homeassistant/sensor/s${at}/config`,
        { unique_id: `s${at}`, device: { ids: `d${at % 9}` }, state_topic: `k/${at}` },
        { account: "flood" },
      );
    await rig.clock.advance(5000);
    const listed = problems(rig);
    expect(listed).toContain("an account announces at most 5000 entities");
    expect(listed).toContain("sensor: a device has at most 500 entities");
    expect(listed.length).toBeLessThan(210);
    await announce(rig, "sensor/mine", config("mine"), "esp");
    expect(rig.registry.get("abc").pluginId).toBe("esp");
  });

  test("what cannot be used is listed 200 times at most, and its last goes with it", async () => {
    using rig = createRig();
    const topics = Array.from({ length: 300 }, (_, at) => `sensor/s${at}`);
    for (const topic of topics) rig.publish(`homeassistant/${topic}/config`, "{", { account: "esp" });
    await rig.clock.advance(500);
    expect(problems(rig)).toHaveLength(201);
    for (const topic of topics) rig.publish(`homeassistant/${topic}/config`, "", { account: "esp" });
    await rig.clock.advance(500);
    expect(problems(rig)).toEqual([]);
  });

  test("templates without end cost one message no more than their share", async () => {
    using rig = createRig();
    const endless = "{% for a in range(9999) %}{% for b in range(9999) %}{{ value }}{% endfor %}{% endfor %}";
    for (let at = 0; at < 100; at++)
      rig.publish(`homeassistant/sensor/s${at}/config`, config(`s${at}`, { value_template: endless }), {
        account: "esp",
      });
    await announce(rig, "sensor/ok", config("ok"));
    const cpu = process.cpuUsage();
    rig.publish("k", "5", { account: "esp" });
    expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(5000);
    expect(rig.registry.get("abc").attributes).toMatchObject({ ok: "5" });
  });
});
