import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";

const numeric = (name: string, access: number, more: object = {}) => ({
  type: "numeric",
  name,
  property: name,
  access,
  ...more,
});
const state = {
  type: "binary",
  name: "state",
  property: "state",
  access: 7,
  value_on: "ON",
  value_off: "OFF",
  value_toggle: "TOGGLE",
};
const LAMP = {
  ieee_address: "0x00158d0001a2b3c4",
  type: "Router",
  friendly_name: "living/lamp",
  definition: {
    model: "LED1",
    vendor: "Maker",
    exposes: [
      {
        type: "light",
        features: [
          state,
          numeric("brightness", 7, { value_min: 0, value_max: 254 }),
          numeric("color_temp", 7, { unit: "mired", value_min: 153, value_max: 500 }),
          {
            ...{ type: "composite", name: "color_xy", property: "color", access: 7 },
            features: [numeric("x", 7), numeric("y", 7)],
          },
        ],
      },
      numeric("linkquality", 1, { unit: "lqi", category: "diagnostic" }),
      {
        type: "enum",
        name: "power_on_behavior",
        property: "power_on_behavior",
        access: 7,
        values: ["off", "on"],
        category: "config",
      },
    ],
    options: [numeric("transition", 2)],
  },
};
const BUTTON = {
  ieee_address: "0x00158d0000000002",
  type: "EndDevice",
  friendly_name: "button",
  definition: {
    model: "B",
    vendor: "Maker",
    exposes: [
      numeric("battery", 1, { unit: "%" }),
      { type: "enum", name: "action", property: "action", access: 1, values: ["single", "double"] },
    ],
  },
};
const DEVICES = "zigbee2mqtt/bridge/devices";
const lampOf = (rig: ReturnType<typeof createRig>) => rig.registry.get(LAMP.ieee_address);

async function furnished(options?: Parameters<typeof createRig>[0]) {
  const rig = createRig(options);
  rig.publish(DEVICES, [
    { ieee_address: "0x01", type: "Coordinator", friendly_name: "Coordinator", definition: null },
    LAMP,
    BUTTON,
  ]);
  await rig.clock.advance(10);
  return rig;
}

test("a lamp is there with its name, type, maker and true types; the coordinator is not", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/living/lamp", {
    state: "ON",
    brightness: 127,
    color_temp: 250,
    color: { x: 0.32, y: 0.33 },
    linquality: 90,
  });
  expect([...rig.registry.list()].map(({ id }) => id).sort()).toEqual([BUTTON.ieee_address, LAMP.ieee_address]);
  expect(lampOf(rig)).toMatchObject({
    ...{ name: "living/lamp", deviceType: "light", pluginId: "z2m", available: true },
    details: { manufacturer: "Maker", model: "LED1" },
    attributes: {
      on: true,
      brightness: 127,
      brightness_pct: 50,
      color_temp: 250,
      color_temp_k: 4000,
      color_rgb: expect.stringMatching(/^#[\da-f]{6}$/),
    },
  });
  expect(lampOf(rig).details.schema).toMatchObject({
    properties: {
      brightness: { type: "number", minimum: 0, maximum: 254 },
      linkquality: { readOnly: true, category: "diagnostic", unit: "lqi" },
      power_on_behavior: { enum: ["off", "on"], category: "config" },
    },
  });
});

test("commands in the hub's words are one message as the device expects it", async () => {
  using rig = await furnished();
  const command = async (wanted: Record<string, never | unknown>) => {
    await rig.discovery.command(LAMP.ieee_address, wanted as never);
    return rig.sent();
  };
  expect(await command({ on: true, brightness_pct: 50, color_temp_k: 2700, transition: 2 })).toEqual([
    { topic: "zigbee2mqtt/living/lamp/set", payload: { state: "ON", brightness: 127, color_temp: 370, transition: 2 } },
  ]);
  expect(await command({ color_rgb: "#ff8000" })).toEqual([
    { topic: "zigbee2mqtt/living/lamp/set", payload: { color: { r: 255, g: 128, b: 0 } } },
  ]);
  expect(await command({ on: "toggle" })).toEqual([
    { topic: "zigbee2mqtt/living/lamp/set", payload: { state: "TOGGLE" } },
  ]);
});

describe("a command that cannot be is refused with the attribute and what is wrong", () => {
  test.each([
    [{ linkquality: 1 }, "linkquality: the device only reports it"],
    [{ colour: "#ff0000" }, "colour: the device has no such attribute"],
    [{ brightness: 300 }, "brightness: must be from 0 to 254, not 300"],
    [{ power_on_behavior: "maybe" }, "power_on_behavior: must be one of off, on"],
    [{ on: "ON" }, 'on: must be true or false, or "toggle"'],
    [{ color_rgb: "red" }, "color_rgb: must be a colour"],
    [{ color_temp_k: 100 }, "color_temp_k: must be a number from 2000 to 6536 K"],
  ])("%j", async (wanted, message) => {
    using rig = await furnished();
    await expect(rig.discovery.command(LAMP.ieee_address, wanted as never)).rejects.toThrow(message);
    expect(rig.sent()).toEqual([]);
  });
});

test("a press is an event each time, also when it comes again; a retained one is none", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/button", { action: "single", battery: 80 }, { retain: true });
  expect(rig.actions).toEqual([]);
  rig.publish("zigbee2mqtt/button", { action: "single", battery: 80 });
  rig.publish("zigbee2mqtt/button", { action: "single", battery: 80 });
  rig.publish("zigbee2mqtt/button", { action: "", battery: 80 });
  expect(rig.actions).toEqual([
    { device_id: BUTTON.ieee_address, action: "single" },
    { device_id: BUTTON.ieee_address, action: "single" },
  ]);
  expect(rig.registry.get(BUTTON.ieee_address).attributes).toMatchObject({ action: "single", battery: 80 });
});

test("a rename there is the name here, unless a person gave one; a device that goes is kept and not available", async () => {
  using rig = await furnished();
  rig.publish(DEVICES, [{ ...LAMP, friendly_name: "lamp 2" }, BUTTON]);
  await rig.clock.advance(10);
  expect(lampOf(rig).name).toBe("lamp 2");
  rig.publish("zigbee2mqtt/lamp 2", { state: "OFF" });
  expect(lampOf(rig).attributes.on).toBe(false);
  rig.registry.edit(LAMP.ieee_address, { name: "Lamp" });
  rig.publish(DEVICES, [LAMP, BUTTON]);
  await rig.clock.advance(10);
  expect(lampOf(rig).name).toBe("Lamp");
  rig.publish(DEVICES, [BUTTON]);
  expect(lampOf(rig)).toMatchObject({ name: "Lamp", available: false });
  await expect(rig.discovery.command(LAMP.ieee_address, { on: true })).rejects.toThrow("has not announced itself");
});

test("availability is told by the device and by its bridge", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/living/lamp/availability", { state: "offline" });
  expect(lampOf(rig).available).toBe(false);
  rig.publish("zigbee2mqtt/living/lamp/availability", "online");
  expect(lampOf(rig).available).toBe(true);
  rig.publish("zigbee2mqtt/bridge/state", { state: "offline" });
  expect([lampOf(rig).available, rig.registry.get(BUTTON.ieee_address).available]).toEqual([false, false]);
});

test("only the account that announced a device speaks for it", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/living/lamp", { state: "ON" }, { account: "somebody" });
  expect(lampOf(rig).attributes).toEqual({});
});

test("with ask, a device waits until somebody accepts it", async () => {
  using rig = await furnished({ discovery: { approve: "ask" } });
  expect([...rig.registry.list()]).toEqual([]);
  const waiting = rig.discovery.list();
  expect(waiting.map(({ state, name }) => `${state} ${name}`)).toEqual(["waiting living/lamp", "waiting button"]);
  expect(rig.discovery.decide(waiting[0]?.id ?? "", "accepted")).toMatchObject({
    state: "accepted",
    device_id: LAMP.ieee_address,
  });
  expect(rig.discovery.decide(waiting[1]?.id ?? "", "ignored")).toMatchObject({ state: "ignored", device_id: null });
  rig.publish("zigbee2mqtt/living/lamp", { state: "ON" });
  expect(lampOf(rig).attributes).toMatchObject({ on: true });
});

test("Home Assistant's messages of the same bridge make no second device", async () => {
  using rig = await furnished();
  rig.publish("homeassistant/light/0x00158d0001a2b3c4/light/config", {
    ...{
      schema: "json",
      command_topic: "zigbee2mqtt/living/lamp/set",
      state_topic: "zigbee2mqtt/living/lamp",
      unique_id: "x",
    },
    device: { identifiers: ["zigbee2mqtt_0x00158d0001a2b3c4"], name: "living/lamp" },
    origin: { name: "Zigbee2MQTT" },
  });
  await rig.clock.advance(1000);
  expect([...rig.registry.list()]).toHaveLength(2);
});

describe("what no bridge should send changes nothing", () => {
  test.each<[string, unknown]>([
    ["no list", { a: 1 }],
    ["cut off", '[{"ieee_address":"0x1"'],
    ["no objects", [1, null, "x", []]],
    [
      "hostile names",
      [
        { ...LAMP, friendly_name: "a/#" },
        { ...BUTTON, friendly_name: "\0" },
        { ...LAMP, ieee_address: "../../x" },
      ],
    ],
    ["no definition", [{ ...LAMP, definition: { exposes: "all" } }]],
    [
      "circular features",
      [{ ...LAMP, definition: { exposes: [{ type: "light" }, { type: "composite", property: "x" }] } }],
    ],
  ])("%s", async (_name, payload) => {
    using rig = createRig();
    rig.publish(DEVICES, payload);
    await rig.clock.advance(10);
    rig.publish("zigbee2mqtt/living/lamp", "not json");
    for (const device of rig.registry.list()) expect(device.id).toMatch(/^0x\w+$/);
    if (_name === "no list" || _name === "cut off")
      expect(rig.discovery.list()).toMatchObject([{ state: "broken", problem: expect.stringContaining("no list") }]);
  });
});
