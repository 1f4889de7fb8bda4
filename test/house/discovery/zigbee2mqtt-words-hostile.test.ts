// What bridges may say of ranges, words and parts that makes no sense: the device stays, and takes what it can.
import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";
import { announce, command, LAMP } from "./zigbee2mqtt-house.ts";
import { exposesOf, houseOf } from "./zigbee2mqtt-models.ts";

const numeric = (name: string, more: object) => ({ type: "numeric", name, property: name, access: 7, ...more });
const light = (...features: object[]) => ({ model: "L", exposes: [{ type: "light", features }] });

describe("ranges", () => {
  test("of one step take it", async () => {
    using house = await houseOf(light(numeric("brightness", { value_min: 254, value_max: 254 })));
    expect(house.says({ brightness: 254 })).toEqual({ brightness: 254, brightness_pct: 100 });
    expect(await house.commandsFor({ brightness_pct: 40 })).toEqual([{ brightness: 254 }]);
    expect(await house.commandsFor({ brightness: 254 })).toEqual([{ brightness: 254 }]);
  });

  test("upside down are turned, in what is said of them too", async () => {
    const upside = [
      numeric("brightness", { value_min: 254, value_max: 0 }),
      numeric("color_temp", { value_min: 500, value_max: 153 }),
    ];
    using house = await houseOf(light(...upside));
    expect(house.property("brightness")).toMatchObject({ minimum: 0, maximum: 254 });
    expect(await house.commandsFor({ brightness_pct: 100, color_temp_k: 2700 })).toEqual([
      { brightness: 254, color_temp: 370 },
    ]);
  });

  test("of a lamp that are none leave the usual ones", async () => {
    using house = await houseOf(light(numeric("color_temp", { value_min: 0, value_max: 0 })));
    expect(await house.commandsFor({ color_temp_k: 4000 })).toEqual([{ color_temp: 250 }]);
    expect(house.says({ color_temp: 250 })).toMatchObject({ color_temp_k: 4000 });
  });

  test("of a fan that are none leave the usual ones", async () => {
    const speed = numeric("speed", { value_min: 0, value_max: 0 });
    using house = await houseOf({ model: "F", exposes: [{ type: "fan", features: [speed] }] });
    expect(house.says({ speed: 0 })).toEqual({ speed: 0, speed_pct: 0 });
    expect(await house.commandsFor({ speed_pct: 50 })).toEqual([{ speed: 127 }]);
  });
});

test("what is none of its two words changes nothing, and what it never announced takes no word's name", async () => {
  const { exposes } = exposesOf("11830304");
  using house = await houseOf({ model: "C", exposes: exposes.filter(({ type }) => type === "cover") });
  expect(house.says({ position: 40, command: "jump" })).toEqual({ position: 40, command_own: "jump" });
  expect(house.says({ position: "far", state: 7 })).toMatchObject({ position: 40 });
});

test("classes that do not exist, and parts with the same name, make a device all the same", async () => {
  const leak = { type: "binary", name: "water_leak", property: "water_leak", access: 1, value_on: true };
  const exposes = [
    { ...leak, homeassistant: { deviceClass: "a class of its own" } },
    { ...leak, endpoint: "leak", property: "water_leak_leak" },
    { ...leak, endpoint: "leak", property: "water_leak_leak" },
    { ...leak, value_on: { nested: 1 }, value_off: null, property: "odd", name: "odd" },
    { type: "climate", features: [{ type: "enum", name: "system_mode", property: "system_mode", access: 3 }] },
    { type: "cover", features: [] },
    { type: "lock", features: [{ type: "enum", name: "lock_state", property: "lock_state", access: 1 }] },
    { type: "fan", features: [{ type: "enum", name: "mode", property: "fan_mode", access: 3, values: [1, true] }] },
    { type: "composite", name: "warning", property: "warning", access: 2, features: [] },
  ];
  using house = await houseOf({ model: "X", exposes });
  const known = house.says({ water_leak: true, water_leak_leak: false, lock_state: 5, fan_mode: [1], odd: "x" });
  expect(known).toMatchObject({ water_leak: true, water_leak_leak: false });
  expect(await house.commandsFor({ on_siren: true }).catch(() => "refused")).not.toBe(undefined);
});

describe("a group", () => {
  const member = (ieee: string, name: string, model: string) => ({
    ...{ ieee_address: ieee, type: "Router", friendly_name: name, endpoints: { "1": {} } },
    definition: exposesOf(model),
  });
  async function groupOf(...devices: object[]) {
    const rig = createRig();
    const members = devices.map((one) => ({
      ieee_address: (one as { ieee_address: string }).ieee_address,
      endpoint: 1,
    }));
    await announce(rig, devices);
    rig.publish("zigbee2mqtt/bridge/groups", [{ id: 7, friendly_name: "all", scenes: [], members }]);
    await rig.clock.advance(10);
    return rig;
  }
  const ID = "zigbee2mqtt_group_7";
  const sent = [{ topic: "zigbee2mqtt/all/set" }];

  test("of covers opens, stops and tilts in the words of all", async () => {
    using rig = await groupOf(member("0x1", "one", "MONO iD4"), member("0x2", "two", "11830304"));
    expect(rig.registry.get(ID).deviceType).toBe("cover");
    expect(await command(rig, ID, { command: "open" })).toMatchObject([{ ...sent[0], payload: { state: "OPEN" } }]);
    expect(await command(rig, ID, { tilt_pct: 25 })).toMatchObject([{ payload: { tilt: 25 } }]);
    expect(await command(rig, ID, { command: "rename", to: "blinds" })).toMatchObject([
      { topic: "zigbee2mqtt/bridge/request/group/rename" },
    ]);
  });

  test("of locks is unknown while they are neither", async () => {
    using rig = await groupOf(member("0x1", "one", "V3-BTZB/V3-BTZBE"));
    rig.publish("zigbee2mqtt/all", { state: "LOCK", lock_state: "locked" });
    expect(rig.registry.get(ID).attributes).toMatchObject({ locked: true, lock_state: "locked" });
    rig.publish("zigbee2mqtt/all", { state: "UNLOCK", lock_state: "not_fully_locked" });
    expect(rig.registry.get(ID).attributes).not.toHaveProperty("locked");
  });

  test("of lamps, one of them in a ceiling fan, is a lamp", async () => {
    using rig = await groupOf(LAMP, member("0x1", "fan", "VZM36"));
    expect(rig.registry.get(ID).deviceType).toBe("light");
    expect(await command(rig, ID, { on: true })).toMatchObject([{ payload: { state: "ON" } }]);
    expect(await command(rig, ID, { on_fan: false })).toMatchObject([{ payload: { fan_state: "OFF" } }]);
  });
});
