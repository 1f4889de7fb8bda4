// Climates of real models: what they measure and do, and that each can be turned off by the same word.
import { describe, expect, test } from "bun:test";
import { houseOf, houseWith } from "./zigbee2mqtt-models.ts";

describe("the mode is the climate's own, with off wherever the device can", () => {
  test("Bosch's is off and on its schedule by another property", async () => {
    using house = await houseWith("BTH-RA");
    const mode = (operating_mode: string) => house.says({ operating_mode, system_mode: "heat" }).mode;
    expect(["schedule", "manual", "pause"].map(mode)).toEqual(["auto", "heat", "off"]);
    expect(house.property("mode")?.enum).toEqual(["off", "heat", "auto"]);
    expect(await house.commandsFor({ mode: "off" })).toEqual([{ operating_mode: "pause" }]);
    expect(await house.commandsFor({ mode: "auto" })).toEqual([{ operating_mode: "schedule" }]);
    expect(await house.commandsFor({ mode: "heat" })).toEqual([{ operating_mode: "manual" }]);
    await expect(house.commandsFor({ mode: "dry" })).rejects.toThrow("mode: must be one of off, heat, auto");
  });

  test("Bosch's that also cools says which by the usual one", async () => {
    using house = await houseWith("BTH-RM");
    expect(house.says({ operating_mode: "manual", system_mode: "cool" }).mode).toBe("cool");
    expect(house.says({ operating_mode: "pause", system_mode: "cool" }).mode).toBe("off");
    expect(await house.commandsFor({ mode: "cool" })).toEqual([{ operating_mode: "manual", system_mode: "cool" }]);
  });

  test("a property called mode that means comfort or eco is kept under another name", async () => {
    using house = await houseWith("TS0601_thermostat_1");
    expect(house.says({ mode: "comfort", system_mode: "off", preset: "off" })).toMatchObject({
      ...{ mode_own: "comfort", mode: "off", system_mode: "off", preset: "off" },
    });
    expect(await house.commandsFor({ mode_own: "eco" })).toEqual([{ mode: "eco" }]);
    // Its system_mode can only be read: its presets set it.
    expect(await house.commandsFor({ mode: "off" })).toEqual([{ preset: "off" }]);
    expect(await house.commandsFor({ mode: "auto" })).toEqual([{ preset: "auto" }]);
  });

  test.each([
    // Modes without off, and a switch.
    ["AE-720K", { state: "OFF", system_mode: "heat" }, { state: "ON", system_mode: "heat" }],
    // A switch alone.
    ["HY607W-3A", { state: "OFF" }, { state: "ON" }],
    // The switch that it is.
    ["YNDX-00518", { state: "OFF" }, { state: "ON" }],
    // Presets alone.
    ["ZTRV-S01", { preset: "off" }, { preset: "on" }],
  ])("%s is off and heats", async (model, off, heat) => {
    using house = await houseWith(model);
    expect(house.says(off).mode).toBe("off");
    expect(house.says(heat).mode).toBe("heat");
    const [commandsFor] = (await house.commandsFor({ mode: "off" })) as [object];
    expect(off).toMatchObject(commandsFor);
    expect(await house.commandsFor({ mode: "heat" })).toEqual([heat]);
  });

  test("one that cannot be commanded is only read", async () => {
    using house = await houseWith("ZHT-S03");
    expect(house.says({ system_mode: "off" }).mode).toBe("off");
    await expect(house.commandsFor({ mode: "off" })).rejects.toThrow("mode: the device only reports it");
  });
});

test.each([
  ["idle", "idle"],
  ["heat", "heating"],
  ["cool", "cooling"],
  ["fan_only", "fan"],
])("running_state %s is the action %s", async (running_state, action) => {
  using house = await houseWith("PCT504");
  expect(house.says({ running_state })).toMatchObject({ running_state, action });
  expect(house.property("action")).toMatchObject({ of: "running_state", word: "action", readOnly: true });
});

test("a press of a thermostat stays its action, and what the thermostat does is none of it", async () => {
  using house = await houseWith("TH-S04D");
  house.says({ action: "single_plus", local_temperature: 20.5, occupied_heating_setpoint: 21 });
  expect(house.rig.actions).toMatchObject([{ action: "single_plus" }]);
  expect(house.device().attributes).toMatchObject({
    ...{ action: "single_plus", current_temperature: 20.5, target_temperature: 21 },
  });
  // As one that also reports what it does.
  const exposes = [
    { type: "enum", name: "action", property: "action", access: 1, values: ["single_plus"] },
    {
      type: "climate",
      features: [
        { type: "enum", name: "running_state", property: "running_state", access: 1, values: ["idle", "heat"] },
      ],
    },
  ];
  using other = await houseOf({ model: "TH-S04D", exposes });
  expect(other.says({ action: "single_plus", running_state: "heat" })).toEqual({
    ...{ action: "single_plus", running_state: "heat", climate_action: "heating" },
  });
});

test("of ten climates each is named by its part, and the whole has none", async () => {
  using house = await houseWith("H10");
  const known = house.says({ local_temperature_th1: 20, local_temperature_th10: 24, system_mode_th10: "heat" });
  expect(known).toMatchObject({ current_temperature_th1: 20, current_temperature_th10: 24, mode_th10: "heat" });
  expect(house.property("current_temperature_th10")).toMatchObject({ part: "th10", word: "current_temperature" });
  expect(house.words().filter((name) => /^(mode|temperature|.*_temperature|action)$/.test(name))).toEqual([]);
  expect(await house.commandsFor({ target_temperature_th10: 21.5 })).toEqual([
    { occupied_heating_setpoint_th10: 21.5 },
  ]);
});

test("what heats and cools is to reach what its mode is for", async () => {
  using house = await houseWith("PCT504");
  const points = { occupied_heating_setpoint: 19, occupied_cooling_setpoint: 26 };
  expect(house.says({ ...points, system_mode: "heat" })).toMatchObject({ target_temperature: 19 });
  expect(await house.commandsFor({ target_temperature: 20 })).toEqual([{ occupied_heating_setpoint: 20 }]);
  expect(house.says({ ...points, system_mode: "cool" })).toMatchObject({
    ...{ target_temperature: 26, target_temperature_low: 19, target_temperature_high: 26 },
  });
  expect(await house.commandsFor({ target_temperature: 25 })).toEqual([{ occupied_cooling_setpoint: 25 }]);
});

test("a setpoint of one step takes it, and what is within a step of a range is taken", async () => {
  using water = await houseWith("SLR2");
  expect(await water.commandsFor({ target_temperature_water: 22 })).toEqual([{ occupied_heating_setpoint_water: 22 }]);
  using house = await houseWith("BTH-RA");
  expect(await house.commandsFor({ occupied_heating_setpoint: 30.4 })).toEqual([{ occupied_heating_setpoint: 30 }]);
  await expect(house.commandsFor({ occupied_heating_setpoint: 31 })).rejects.toThrow("must be from 5 to 30 °C, not 31");
});

test("degrees Fahrenheit are converted once", async () => {
  const degrees = (name: string, access: number) => ({ type: "numeric", name, property: name, access, unit: "°F" });
  const features = [
    degrees("local_temperature", 1),
    { ...degrees("current_heating_setpoint", 3), value_min: 41, value_max: 95, value_step: 1 },
  ];
  using house = await houseOf({ model: "F", exposes: [{ type: "climate", features }] });
  expect(house.says({ local_temperature: 68, current_heating_setpoint: 70 })).toMatchObject({
    ...{ local_temperature: 68, current_temperature: 20, target_temperature: 21.1 },
  });
  expect(await house.commandsFor({ target_temperature: 20 })).toEqual([{ current_heating_setpoint: 68 }]);
  expect(house.property("target_temperature")).toMatchObject({ minimum: 5, maximum: 35 });
});

test("a temperature that is exposed outside as well is the climate's all the same", async () => {
  using house = await houseWith("STLO-34");
  expect(house.says({ local_temperature: 20.5 })).toEqual({ local_temperature: 20.5, current_temperature: 20.5 });
});
