// What becomes of Home Assistant's entities over time: values that expire, entities that move, vanish and come back, and devices
// that two sources describe.
import { describe, expect, test } from "bun:test";
import type { Report } from "../../../src/house/discovery/described.ts";
import type { SourceHost } from "../../../src/house/discovery/source.ts";
import { createHomeAssistantSource } from "../../../src/house/discovery/sources/home-assistant/source.ts";
import { createTemplateEngine } from "../../../src/house/discovery/templates/template.ts";
import type { Json } from "../../../src/kit/schema/json.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;
const DEVICE = { identifiers: ["abc"], name: "Kettle" };

function put(rig: Rig, topic: string, config: object | string, account = "esp") {
  rig.publish(`homeassistant/${topic}/config`, config, { account });
}

async function announce(rig: Rig, topic: string, config: object | string, account?: string) {
  put(rig, topic, config, account);
  await rig.clock.advance(200);
}

const say = (rig: Rig, topic: string, payload: unknown, retain = false) =>
  rig.publish(topic, payload, { account: "esp", retain });
const sensor = (id: string, more: object = {}) => ({ unique_id: id, device: DEVICE, state_topic: `k/${id}`, ...more });
const attributes = (rig: Rig, id = "abc"): Record<string, Json> => rig.registry.get(id).attributes;
const problems = (rig: Rig) => rig.discovery.list().flatMap(({ problem }) => problem ?? []);
const names = (rig: Rig) =>
  Object.keys((rig.registry.get("abc").details.schema as { properties: object }).properties).sort();

describe("values that end by themselves", () => {
  test("expire_after: without a message the value is unknown", async () => {
    using rig = createRig();
    await announce(rig, "sensor/t", sensor("t", { expire_after: 60, unit_of_measurement: "°C" }));
    say(rig, "k/t", "20");
    await rig.clock.advance(50_000);
    say(rig, "k/t", "20");
    await rig.clock.advance(50_000);
    expect(attributes(rig)).toEqual({ t: 20 });
    // Another entity of the device changes nothing about it.
    await announce(rig, "sensor/h", sensor("h"));
    await rig.clock.advance(11_000);
    expect(attributes(rig)).toEqual({});
  });

  test("off_delay: a motion ends", async () => {
    using rig = createRig();
    await announce(rig, "binary_sensor/m", sensor("m", { off_delay: 5 }));
    say(rig, "k/m", "ON");
    await rig.clock.advance(4000);
    say(rig, "k/m", "ON");
    await rig.clock.advance(4000);
    expect(attributes(rig)).toEqual({ m: true });
    await rig.clock.advance(1100);
    expect(attributes(rig)).toEqual({ m: false });
  });

  test("nothing waits for a device that is gone", async () => {
    using rig = createRig();
    await announce(rig, "sensor/t", sensor("t", { expire_after: 60 }));
    say(rig, "k/t", "20");
    expect(rig.clock.pending()).toContain("home assistant expiry");
    await announce(rig, "sensor/t", "");
    expect(rig.clock.pending()).not.toContain("home assistant expiry");
  });
});

test("what a device does not report is what it was commanded last", async () => {
  using rig = createRig();
  await announce(rig, "switch/s", { unique_id: "s", device: DEVICE, command_topic: "k/s/set" });
  await announce(rig, "button/b", { unique_id: "b", device: DEVICE, command_topic: "k/b/set" });
  await rig.discovery.command("abc", { on: true, b: true });
  expect(attributes(rig)).toEqual({ on: true });
});

test("a state right behind its announcement is not lost, and a press there counts once", async () => {
  using rig = createRig();
  rig.publish("homeassistant/sensor/t/config", sensor("t"), { account: "esp" });
  say(rig, "k/t", "hot", true);
  await rig.clock.advance(200);
  expect(attributes(rig)).toEqual({ t: "hot" });
  const event = { unique_id: "e", device: DEVICE, state_topic: "k/e", event_types: ["ring"] };
  rig.publish("homeassistant/event/e/config", event, { account: "esp" });
  say(rig, "k/e", { event_type: "ring" });
  await rig.clock.advance(200);
  await announce(rig, "sensor/h", sensor("h"));
  expect(rig.actions).toEqual([{ device_id: "abc", action: "ring" }]);
});

test("what several gateways learn of a sensor is one sensor, as Theengs Gateway announces it", async () => {
  // Its account may publish what is its own, and not everything that the filter could be.
  using rig = createRig({ mayPublish: (topic) => /^(home|homeassistant)\//.test(topic) });
  const mac = "A4C138D4E2F1";
  const of = (value: string, more: object) => ({
    ...{ stat_t: `+/+/BTtoMQTT/${mac}`, uniq_id: `${mac}-${value}`, name: `LYWSD03MMC-${value}` },
    ...{
      val_tpl: `{{ value_json.${value} | is_defined }}`,
      device: { ids: [mac], cns: [["mac", mac]], mdl: "LYWSD03MMC" },
    },
    ...more,
  });
  for (const gateway of ["kitchen", "attic"])
    say(rig, `home/${gateway}/BTtoMQTT/${mac}`, { tempc: 1, hum: 1, rssi: -99 }, true);
  put(rig, `sensor/${mac}-tempc`, of("tempc", { dev_cla: "temperature", unit_of_meas: "°C" }));
  put(rig, `sensor/${mac}-hum`, of("hum", { dev_cla: "humidity", unit_of_meas: "%" }));
  await rig.clock.advance(200);
  say(rig, `home/kitchen/BTtoMQTT/${mac}`, { tempc: 21.5, hum: 40, rssi: -60 });
  say(rig, `home/attic/BTtoMQTT/${mac}`, { tempc: 21.4, rssi: -80 });
  say(rig, `home/attic/BTtoMQTT/FFFFFFFFFFFF`, { tempc: -5 });
  rig.publish(`home/attic/BTtoMQTT/${mac}`, { tempc: 99 }, { account: "stranger" });
  expect(attributes(rig, mac)).toEqual({ temperature: 21.4, humidity: 40 });
  await announce(rig, `sensor/${mac}-tempc`, "");
  await announce(rig, `sensor/${mac}-hum`, "");
  say(rig, `home/kitchen/BTtoMQTT/${mac}`, { tempc: 30 });
  expect(attributes(rig, mac).temperature).toBeUndefined();
});

test("a retained event is none", async () => {
  using rig = createRig();
  await announce(rig, "event/e", { unique_id: "e", device: DEVICE, state_topic: "k/e", event_types: ["ring"] });
  say(rig, "k/e", { event_type: "ring" }, true);
  expect(rig.actions).toEqual([]);
  expect(attributes(rig)).toEqual({});
});

describe("further attributes", () => {
  const EXTRA = { json_attributes_topic: "k/more", json_attributes_template: "{{ value_json.data | tojson }}" };

  test("of an entity are hidden attributes of its device, and take nobody's name", async () => {
    using rig = createRig();
    await announce(rig, "sensor/t", sensor("t", EXTRA));
    say(rig, "k/t", "hot");
    say(rig, "k/more", { data: { t: "other", rssi: -60 } });
    await rig.clock.advance(200);
    expect(attributes(rig)).toEqual({ t: "hot", t_t: "other", rssi: -60 });
    expect(rig.registry.get("abc").details.schema).toMatchObject({
      properties: { rssi: { type: "number", hidden: true, category: "diagnostic", readOnly: true } },
    });
  });

  test("of two entities do not take each other's place", async () => {
    using rig = createRig();
    for (const id of ["a", "b"]) put(rig, `sensor/${id}`, sensor(id, { json_attributes_topic: `k/${id}/more` }));
    await rig.clock.advance(200);
    for (const id of ["a", "b", "a"]) say(rig, `k/${id}/more`, { friendly: id });
    expect(attributes(rig)).toMatchObject({ friendly: "a", b_friendly: "b" });
  });

  test("are bounded", async () => {
    using rig = createRig();
    await announce(rig, "sensor/t", sensor("t", EXTRA));
    for (let round = 0; round < 5; round++)
      say(rig, "k/more", { data: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${round}_${at}`, at])) });
    say(rig, "k/more", { data: { "0_0": "x".repeat(5000) } });
    await rig.clock.advance(500);
    expect(Object.keys(attributes(rig))).toHaveLength(50);
    expect(attributes(rig)["0_0"]).toBe(0);
  });
});

describe("one device or two", () => {
  test("messages that share any identifier or connection are of one device, in whichever order they come", async () => {
    using rig = createRig();
    const of = (id: string, device: object) => ({ ...sensor(id), device });
    await announce(rig, "sensor/a", of("a", { identifiers: ["one"] }));
    await announce(rig, "sensor/b", of("b", { connections: [["mac", "02:5B:26:A8:DC:12"]] }));
    expect([...rig.registry.list()]).toHaveLength(2);
    await announce(rig, "sensor/c", of("c", { ids: "one", cns: [["mac", "02:5b:26:a8:dc:12"]] }));
    for (const id of ["a", "b", "c"]) say(rig, `k/${id}`, id);
    expect(attributes(rig, "one")).toEqual({ a: "a", b: "b", c: "c" });
    expect(rig.registry.get("mac:02:5b:26:a8:dc:12").available).toBe(false);
  });

  test("without a device block each entity is a device", async () => {
    using rig = createRig();
    await announce(rig, "sensor/a", { unique_id: "one", name: "Outside", state_topic: "k/a" });
    await announce(rig, "sensor/node/b", { state_topic: "k/b" });
    expect([...rig.registry.list()].map(({ id, name }) => [id, name])).toEqual([
      ["one", "Outside"],
      ["sensor_node_b", "sensor_node_b"],
    ]);
  });

  test("two entities of one name get names of their own, the same ones whichever comes first", async () => {
    const seen: string[][] = [];
    for (const order of [
      ["number", "sensor"],
      ["sensor", "number"],
    ]) {
      using rig = createRig();
      for (const component of order)
        put(rig, `${component}/level`, {
          ...{ unique_id: component, device: DEVICE },
          ...{ state_topic: `k/${component}`, command_topic: `k/${component}/set` },
        });
      await rig.clock.advance(200);
      seen.push(names(rig));
    }
    expect(seen).toEqual([
      ["level", "level_sensor"],
      ["level", "level_sensor"],
    ]);
  });

  test("an entity that only reports and one that only commands are one attribute where they agree, and two where not", async () => {
    using rig = createRig();
    await announce(rig, "sensor/mode", sensor("mode"));
    await announce(rig, "select/mode", { unique_id: "m2", device: DEVICE, command_topic: "k/set", options: ["a"] });
    await announce(rig, "button/mode", { unique_id: "m3", device: DEVICE, command_topic: "k/press" });
    expect(names(rig)).toEqual(["mode", "mode_button"]);
  });
});

describe("announcements that change", () => {
  const whole = (components: object) => ({ device: DEVICE, origin: { name: "maker" }, components });
  const part = (id: string) => ({ p: "sensor", unique_id: id, state_topic: `k/${id}` });

  test("an entity that moves between the two forms keeps its attribute", async () => {
    using rig = createRig();
    await announce(rig, "sensor/kettle_t", sensor("t"));
    await announce(rig, "sensor/kettle_t", { migrate_discovery: true });
    await announce(rig, "device/abc", whole({ other: part("t") }));
    await announce(rig, "sensor/kettle_t", "");
    say(rig, "k/t", "5");
    expect(attributes(rig)).toEqual({ kettle_t: "5" });
    await announce(rig, "device/abc", { migrate_discovery: true });
    await announce(rig, "sensor/kettle_t", sensor("t"));
    await announce(rig, "device/abc", "");
    say(rig, "k/t", "6");
    expect(attributes(rig)).toEqual({ kettle_t: "6" });
    expect(rig.registry.get("abc").available).toBe(true);
  });

  test("a component is removed by its platform alone; one that is left out is listed as no longer announced", async () => {
    using rig = createRig();
    await announce(rig, "device/abc", whole({ a: part("a"), b: part("b"), c: part("c") }));
    await announce(rig, "device/abc", whole({ a: part("a"), b: { p: "sensor" } }));
    expect(names(rig)).toEqual(["a", "c"]);
    expect(problems(rig)).toEqual(["no longer announced: the last message of its device leaves it out"]);
    await announce(rig, "device/abc", whole({ a: part("a"), c: part("c") }));
    expect(problems(rig)).toEqual([]);
  });

  test("a device with no entity left stays, marked, and comes back as it was", async () => {
    using rig = createRig();
    await announce(rig, "sensor/a", sensor("a"));
    rig.registry.edit("abc", { name: "Mine" });
    await announce(rig, "sensor/a", "");
    expect(rig.registry.get("abc")).toMatchObject({ name: "Mine", available: false });
    await announce(rig, "sensor/a", sensor("a"));
    expect(rig.registry.get("abc")).toMatchObject({ name: "Mine", available: true });
  });
});

describe("parents", () => {
  const behind = (id: string, via?: string) => ({
    ...{ unique_id: `${id}_t`, state_topic: `k/${id}` },
    device: { identifiers: [id], ...(via && { via_device: via }) },
  });
  const parentOf = (rig: Rig, id: string) => rig.registry.get(id).details.parent_device_id;

  test("are found though they come after their children", async () => {
    using rig = createRig();
    await announce(rig, "sensor/leaf", behind("leaf", "hub"));
    expect(parentOf(rig, "leaf")).toBeUndefined();
    await announce(rig, "sensor/hub", behind("hub"));
    expect(parentOf(rig, "leaf")).toBe("hub");
  });

  test("in a circle are none for the last", async () => {
    using rig = createRig();
    await announce(rig, "sensor/a", behind("a", "b"));
    await announce(rig, "sensor/b", behind("b", "c"));
    await announce(rig, "sensor/c", behind("c", "a"));
    await announce(rig, "sensor/d", behind("d", "d"));
    const chain = ["a", "b", "c", "d"].map((id) => parentOf(rig, id));
    expect(chain.filter((one) => one === undefined)).toHaveLength(2);
    expect(chain[3]).toBeUndefined();
  });
});

describe("a device that two describe", () => {
  const config = (id: string, topic: string) => ({ unique_id: id, device: DEVICE, state_topic: topic });

  test("is the second account's when a person says so, without being announced again", async () => {
    using rig = createRig();
    await announce(rig, "sensor/a", config("a", "one/a"), "one");
    await announce(rig, "sensor/b", config("b", "two/b"), "two");
    rig.publish("two/b", "no", { account: "two" });
    expect(attributes(rig)).toEqual({});
    await announce(rig, "sensor/a", "", "one");
    expect(rig.registry.get("abc")).toMatchObject({ available: false, pluginId: "one" });
    const second = rig.discovery.list().find(({ account }) => account === "two");
    expect(second?.problem).toMatch(/^one has this device; accept this announcement/);
    rig.discovery.decide(second?.id ?? "", "accepted");
    expect(rig.registry.get("abc")).toMatchObject({ available: true, pluginId: "two" });
    rig.publish("two/b", "yes", { account: "two" });
    expect(attributes(rig)).toMatchObject({ b: "yes" });
    expect([...rig.registry.list()]).toHaveLength(1);
    // The first has nothing to say of it any more.
    rig.publish("one/a", "no", { account: "one" });
    expect(attributes(rig)).not.toHaveProperty("a");
  });
});

test("the hub says when it comes and goes, and takes announcements back where it can be asked to", () => {
  const clock = createVirtualClock();
  const described: { forget?: () => unknown }[] = [];
  const host: SourceHost = {
    clock,
    engine: createTemplateEngine(() => ({ at: 0, offsetMs: () => 0 })),
    describe: (_sender, _key, device) => void described.push(device as never),
    ...{
      withdraw() {},
      refused() {},
      broken() {},
      ask() {},
      knows: () => false,
      isKnown: () => false,
      isRead: () => false,
      report(_s: unknown, _k: string, _r: Report) {},
      receive() {},
    },
  };
  const source = createHomeAssistantSource(host, { prefix: "ha", isElsewhere: () => false });
  expect(source.birth?.()).toEqual([{ topic: "ha/status", payload: "online", qos: 0, retain: false }]);
  expect(source.will?.()).toEqual([{ topic: "ha/status", payload: "offline", qos: 0, retain: false }]);
});

test("forgetting a device empties every announcement that made it", async () => {
  const clock = createVirtualClock();
  const forgets: (() => unknown)[] = [];
  const host = {
    clock,
    engine: createTemplateEngine(() => ({ at: 0, offsetMs: () => 0 })),
    describe: (_sender: unknown, _key: string, device: { forget?: () => unknown }) =>
      void forgets.push(() => device.forget?.()),
    ...{
      withdraw() {},
      broken() {},
      ask() {},
      refused() {},
      knows: () => false,
      isKnown: () => false,
      isRead: () => false,
      report() {},
      receive() {},
    },
  };
  const source = createHomeAssistantSource(host, { prefix: "ha", isElsewhere: () => false });
  for (const id of ["a", "b"]) {
    const json = { unique_id: id, device: { ids: "abc" }, state_topic: "k" };
    const payload = new TextEncoder().encode(JSON.stringify(json));
    const sender = { name: "esp", mayPublish: () => true };
    const message = () => ({ text: "", json });
    source.receive({ sender, topic: `ha/sensor/${id}/config`, payload, retain: true, message });
  }
  await clock.advance(500);
  expect(forgets.at(-1)?.()).toEqual(
    ["a", "b"].map((id) => ({ topic: `ha/sensor/${id}/config`, payload: "", qos: 0, retain: true })),
  );
});
