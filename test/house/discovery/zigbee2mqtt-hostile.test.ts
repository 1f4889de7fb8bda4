// What no bridge should send: the hub stays up, keeps what it has, and says what is wrong.
import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";
import {
  announce,
  BUTTON,
  COORDINATOR,
  DEVICES,
  furnished,
  idsOf,
  LAMP,
  lampOf,
  numeric,
} from "./zigbee2mqtt-house.ts";

const withExposes = (exposes: unknown, more: object = {}) => ({
  ...LAMP,
  definition: { ...LAMP.definition, exposes, ...more },
});
const problems = (rig: ReturnType<typeof createRig>) => rig.discovery.list().map(({ problem }) => problem);

describe("a list that is none is reported, and what was there stays", () => {
  const nested = `${"[".repeat(1000)}${"]".repeat(1000)}`;
  test.each([
    ["an object", '{"a":1}', "no list"],
    ["cut off", JSON.stringify([LAMP]).slice(0, -20), "not valid JSON"],
    ["nested a thousand deep", nested, "nested deeper than 32 levels"],
    ["with a key that reaches into prototypes", '[{"__proto__":{"a":1}}]', "not allowed"],
  ])("%s", async (_name, text, why) => {
    using rig = await furnished();
    rig.publish(DEVICES, text);
    expect(problems(rig)).toContainEqual(expect.stringContaining(why));
    expect(lampOf(rig).available).toBe(true);
    await announce(rig, [COORDINATOR, LAMP, BUTTON]);
    expect(problems(rig)).toEqual([null, null, null]);
  });
});

test("an empty list takes every device back; an empty message the bridge as well", async () => {
  using rig = await furnished();
  const available = () => [...rig.registry.list()].map((device) => device.available);
  rig.publish(DEVICES, []);
  expect(available()).toEqual([true, false, false]);
  rig.publish(DEVICES, "");
  expect(available()).toEqual([false, false, false]);
});

describe("an element that is no device is left out, and the others are there", () => {
  test.each<[string, unknown]>([
    ["a number", 1],
    ["null", null],
    ["a list", []],
    ["a name with #", { ...LAMP, friendly_name: "a/#" }],
    ["a name of control characters", { ...LAMP, friendly_name: "a\0b" }],
    ["a name of 10 KB", { ...LAMP, friendly_name: "x".repeat(10_240) }],
    ["an address that is a path", { ...LAMP, ieee_address: "../../x" }],
    ["no definition", { ...LAMP, definition: null }],
    ["a definition that is a list", { ...LAMP, definition: [] }],
  ])("%s", async (_name, one) => {
    using rig = createRig();
    await announce(rig, [one, BUTTON]);
    expect(idsOf(rig)).toEqual([BUTTON.ieee_address]);
  });
});

describe("exposes that hold anything make a device of what can be read", () => {
  const deep = (levels: number): object =>
    levels === 0 ? numeric("x", 1) : { type: "composite", name: "c", property: "c", features: [deep(levels - 1)] };
  test.each<[string, unknown]>([
    ["no list", "all"],
    ["no objects", [1, null, "x", []]],
    ["no types", [{ name: "a", property: "a" }]],
    ["wrong types", [{ type: "numeric", name: 1, property: {}, access: "7", unit: [], value_min: "0" }]],
    ["values that are no list", [{ type: "enum", name: "e", property: "e", access: 7, values: "a,b" }]],
    ["values that are objects", [{ type: "enum", name: "e", property: "e", access: 7, values: [{}, null] }]],
    ["features that are no list", [{ type: "light", features: "all" }]],
    ["names that reach into prototypes", [numeric("__proto__", 7), numeric("constructor", 7)]],
    ["names of 10 KB", [numeric("x".repeat(10_240), 7)]],
    ["deep composites", [deep(12)]],
    ["no step and no range", [numeric("n", 7, { value_min: 5, value_max: 5, value_step: 0 })]],
  ])("%s", async (_name, exposes) => {
    using rig = createRig();
    await announce(rig, [withExposes([numeric("fine", 7)]), BUTTON]);
    await announce(rig, [withExposes(exposes, { options: "none", vendor: 1, model: {} }), BUTTON]);
    expect(problems(rig)).toEqual([null, null]);
    rig.publish("zigbee2mqtt/living/lamp", { fine: 1, x: { y: [] } });
    expect(lampOf(rig).attributes).toMatchObject({ fine: 1 });
    await expect(rig.discovery.command(LAMP.ieee_address, JSON.parse('{"__proto__": 1}'))).rejects.toThrow(
      "__proto__: the device has no such attribute",
    );
  });
});

test("of ten thousand exposes the first are there, and the rest is reported", async () => {
  using rig = createRig();
  await announce(rig, [withExposes(Array.from({ length: 10_000 }, (_, index) => numeric(`n${index}`, 1)))]);
  expect(Object.keys((lampOf(rig).details.schema as { properties: object }).properties).length).toBeLessThan(600);
  expect(problems(rig)).toEqual(["it exposes too much: what comes last is left out"]);
});

test("states that are none change nothing", async () => {
  using rig = await furnished();
  for (const text of ["", "not json", "1", "null", "[]", '{"state":', "{}"]) {
    rig.publish("zigbee2mqtt/living/lamp", text);
    rig.publish("zigbee2mqtt/living/lamp/availability", text);
    rig.publish("zigbee2mqtt/bridge/info", text);
    rig.publish("zigbee2mqtt/bridge/groups", text);
    rig.publish("zigbee2mqtt/bridge/response/x", text);
  }
  expect(lampOf(rig)).toMatchObject({ available: true, attributes: {} });
});

test("messages that belong to nothing are kept only so far", async () => {
  using rig = createRig();
  for (let index = 0; index < 3000; index++) rig.publish(`zigbee2mqtt/junk${index}`, { state: "ON" });
  rig.publish("zigbee2mqtt/living/lamp", `{"state":"ON","x":"${"y".repeat(20_000)}"}`);
  rig.publish("zigbee2mqtt/button", { battery: 1 });
  await announce(rig, [COORDINATOR, LAMP, { ...BUTTON, friendly_name: "junk1" }, { ...BUTTON, ieee_address: "0x09" }]);
  expect(lampOf(rig).attributes).toEqual({});
  expect(rig.registry.get(BUTTON.ieee_address).attributes).toEqual({});
  expect(rig.registry.get("0x09").attributes).toEqual({ battery: 1 });
});

test("of more devices than a network can have the first are there, and the rest is reported", async () => {
  using rig = createRig();
  const address = (index: number) => `0x${index.toString(16).padStart(16, "0")}`;
  const many = Array.from({ length: 2010 }, (_, index) => ({ ...BUTTON, ieee_address: address(index) }));
  await announce(rig, many);
  expect(idsOf(rig)).toHaveLength(2000);
  expect(problems(rig)).toContain("more than 2000 devices: the others are left out");
});

test("an account has only so many bridges", () => {
  using rig = createRig();
  for (let index = 0; index < 40; index++) rig.publish(`b${index}/bridge/devices`, [COORDINATOR]);
  expect(idsOf(rig).length).toBeLessThanOrEqual(32);
  expect(problems(rig)).toContain("there are 32 bridges already");
});
