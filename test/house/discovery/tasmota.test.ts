import { describe, expect, test } from "bun:test";
import { readTasmotaConfig } from "../../../src/house/discovery/sources/tasmota/config.ts";
import { describeTasmota } from "../../../src/house/discovery/sources/tasmota/device.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createRig } from "./rig.ts";
import { BULB, configOf, METER, PHASES, stateOf, WEATHER } from "./tasmota-messages.ts";

const MAC = "DC4F22A1B2C3";
const ID = "dc4f22a1b2c3";
const T = "tasmota_A1B2C3";
const CONFIG = `tasmota/discovery/${MAC}/config`;
const SENSORS = `tasmota/discovery/${MAC}/sensors`;

/** A device that has announced itself; what the hub asked it is gone through already. */
function announced(
  particular: object = {},
  { sn, ...options }: { sn?: object; mayPublish?: (topic: string) => boolean; discovery?: { approve: "ask" } } = {},
) {
  const rig = createRig(options);
  rig.publish(CONFIG, configOf(MAC, { ...particular }), { account: "tasmota", retain: true });
  if (sn)
    rig.publish(SENSORS, { sn: { Time: "2026-01-15T12:00:00", ...sn }, ver: 1 }, { account: "tasmota", retain: true });
  rig.sent();
  return {
    ...rig,
    device: () => rig.registry.get(ID),
    state: () => rig.registry.get(ID).attributes,
    properties: () => rig.registry.get(ID).details.schema?.properties as Record<string, object>,
    says: (topic: string, payload: unknown, more?: { retain: boolean }) =>
      rig.publish(topic, payload, { account: "tasmota", ...more }),
    async command(wanted: object): Promise<string[]> {
      await rig.discovery.command(ID, wanted as never);
      return rig.published.splice(0).map(({ topic, payload }) => `${topic} ${payload}`.trimEnd());
    },
    [Symbol.dispose]: () => rig[Symbol.dispose](),
  };
}

describe("a relay", () => {
  test("is there with name, type, model and its state, for which it was asked", async () => {
    using rig = createRig();
    rig.publish(CONFIG, configOf(MAC, { dn: "Coffee maker" }), { account: "tasmota", retain: true });
    expect(rig.sent()).toEqual([
      { topic: `cmnd/${T}/STATE`, payload: "" },
      { topic: `cmnd/${T}/STATUS`, payload: 10 as never },
    ]);
    rig.publish(`stat/${T}/RESULT`, stateOf({ POWER: "ON" }), { account: "tasmota" });
    expect(rig.registry.get(ID)).toMatchObject({
      ...{ name: "Coffee maker", deviceType: "switch", pluginId: "tasmota", available: true },
      details: { manufacturer: "Tasmota", model: "Sonoff Basic" },
      attributes: { on: true, linkquality: 78, rssi: -61 },
    });
  });

  test("is switched by commands as the firmware expects them", async () => {
    using plug = announced();
    expect(await plug.command({ on: true })).toEqual([`cmnd/${T}/POWER1 ON`]);
    expect(await plug.command({ on: false })).toEqual([`cmnd/${T}/POWER1 OFF`]);
    expect(await plug.command({ on: "toggle" })).toEqual([`cmnd/${T}/POWER1 TOGGLE`]);
  });

  test("reports each change at once, also with SetOption26, and with texts of the owner's own", () => {
    using plug = announced({ state: ["AUS", "EIN", "UM", "HALT"] });
    plug.says(`stat/${T}/RESULT`, { POWER: "EIN" });
    expect(plug.state().on).toBe(true);
    plug.says(`stat/${T}/RESULT`, { POWER1: "AUS" });
    expect(plug.state().on).toBe(false);
    plug.says(`stat/${T}/RESULT`, { POWER1: "ON" });
    expect(plug.state().on).toBe(false);
  });

  test("is available as its will says, even where that came before its announcement", () => {
    using rig = createRig();
    rig.publish(`tele/${T}/LWT`, "Offline", { account: "tasmota", retain: true });
    rig.publish(CONFIG, configOf(MAC), { account: "tasmota", retain: true });
    expect(rig.registry.get(ID).available).toBe(false);
    rig.publish(`tele/${T}/LWT`, "Online", { account: "tasmota" });
    expect(rig.registry.get(ID).available).toBe(true);
    rig.publish(`tele/${T}/LWT`, "Offline", { account: "somebody" });
    expect(rig.registry.get(ID).available).toBe(true);
  });

  test("answers on topics of its own with SetOption4", () => {
    using plug = announced({ so: { "4": 1 } });
    plug.says(`stat/${T}/POWER`, { POWER: "ON" });
    expect(plug.state().on).toBe(true);
  });
});

test("two relays are two attributes with the names of their channels, and one message", async () => {
  using lamps = announced({ rl: [1, 1], fn: ["Ceiling", "Wall"], so: { "30": 1 }, dn: "Hall", md: "Sonoff T1 2CH" });
  lamps.says(`tele/${T}/STATE`, stateOf({ POWER1: "OFF", POWER2: "ON" }));
  expect(lamps.device()).toMatchObject({ name: "Hall", deviceType: "light", attributes: { on_1: false, on_2: true } });
  expect(lamps.properties()).toMatchObject({ on_1: { description: "Ceiling" }, on_2: { description: "Wall" } });
  expect(await lamps.command({ on_2: false })).toEqual([`cmnd/${T}/POWER2 OFF`]);
  expect(await lamps.command({ on_1: true, on_2: true })).toEqual([`cmnd/${T}/Backlog POWER1 ON;NoDelay;POWER2 ON`]);
});

test("a plug with a meter measures with units", () => {
  using plug = announced({ md: "Nous A1T" }, { sn: METER });
  plug.says(`tele/${T}/SENSOR`, { Time: "2026-01-15T12:05:00", ...METER });
  expect(plug.state()).toMatchObject({
    ...{ energy_total: 21.482, energy_today: 0.104, energy_yesterday: 0.213, power: 43, apparent_power: 61 },
    ...{ factor: 0.71, voltage: 231, current: 0.264, energy_total_start_time: "2025-11-02T09:12:44" },
  });
  expect(plug.properties()).toMatchObject({
    power: { type: "number", unit: "W", class: "power", readOnly: true },
    energy_total: { unit: "kWh", class: "energy" },
    energy_total_start_time: { type: "string" },
  });
  plug.says(`stat/${T}/STATUS10`, {
    StatusSNS: { Time: "2026-01-15T12:05:01", ENERGY: { ...METER.ENERGY, Power: "0" } },
  });
  expect(plug.state().power).toBe(0);
});

test("what was not announced yet is read by the same names", () => {
  using plug = announced({ md: "Nous A1T" });
  plug.says(`tele/${T}/SENSOR`, { Time: "2026-01-15T12:05:00", ...METER });
  expect(plug.state()).toMatchObject({ power: 43, energy_total: 21.482, voltage: 231 });
});

test("of three phases each has its own; a meter that later reports one only is the first", () => {
  using meter = announced({ rl: [] }, { sn: PHASES });
  meter.says(`tele/${T}/SENSOR`, { ...PHASES });
  expect(meter.device().deviceType).toBe("sensor");
  expect(meter.state()).toMatchObject({
    power_1: 100,
    power_3: 300,
    energy_total_2: 20.2,
    voltage: 230,
    frequency: 50,
  });
  meter.says(`tele/${T}/SENSOR`, { ENERGY: { Power: 7 } });
  expect(meter.state()).toMatchObject({ power_1: 7, power_3: 300 });
});

describe("a bulb of all colours", () => {
  const bulb = () => announced({ rl: [2], lt_st: 5, lk: 1, dn: "Desk", md: "Tuya RGBCW" });

  test("reports in its own words and in everybody's", () => {
    using lamp = bulb();
    lamp.says(`tele/${T}/STATE`, stateOf(BULB));
    expect(lamp.device()).toMatchObject({
      ...{ name: "Desk", deviceType: "light" },
      attributes: {
        ...{ on: true, brightness: 80, brightness_pct: 80, color_temp: 300, color_temp_k: 3333 },
        ...{ color: { hue: 30, saturation: 100 }, color_rgb: "#ff8000", effect: "none" },
      },
    });
    expect(lamp.properties()).toMatchObject({
      color_temp_k: { minimum: 2000, maximum: 6540, unit: "K", derived: true },
      brightness_pct: { type: "number", minimum: 0, maximum: 100, derived: true },
    });
  });

  test("takes several attributes in one message", async () => {
    using lamp = bulb();
    lamp.says(`tele/${T}/STATE`, stateOf(BULB));
    expect(await lamp.command({ brightness_pct: 40 })).toEqual([`cmnd/${T}/Dimmer 40`]);
    expect(await lamp.command({ color_temp_k: 2700 })).toEqual([`cmnd/${T}/CT 370`]);
    expect(await lamp.command({ color_rgb: "#ff8000" })).toEqual([`cmnd/${T}/HSBColor 30,100,80`]);
    expect(await lamp.command({ color: { hue: 120, saturation: 50 }, brightness: 10 })).toEqual([
      `cmnd/${T}/HSBColor 120,50,10`,
    ]);
    expect(await lamp.command({ on: true, brightness_pct: 40, color_temp_k: 2700 })).toEqual([
      `cmnd/${T}/Backlog Dimmer 40;NoDelay;CT 370;NoDelay;POWER1 ON`,
    ]);
    expect(await lamp.command({ on: false, brightness_pct: 40 })).toEqual([`cmnd/${T}/POWER1 OFF`]);
    expect(await lamp.command({ effect: "cycle_up" })).toEqual([`cmnd/${T}/Scheme 2`]);
  });

  test("fades in the seconds that were wanted", async () => {
    using lamp = bulb();
    lamp.says(`tele/${T}/STATE`, stateOf(BULB));
    expect(await lamp.command({ brightness_pct: 30, transition: 2 })).toEqual([
      `cmnd/${T}/Backlog Fade2 1;NoDelay;Speed2 8;NoDelay;Dimmer 30`,
    ]);
    expect(await lamp.command({ on: false, transition: 0 })).toEqual([`cmnd/${T}/Backlog Fade2 0;NoDelay;POWER1 OFF`]);
    await expect(lamp.command({ transition: 3 })).rejects.toThrow("transition: goes with what is to change");
    using fixed = announced({ rl: [2], lt_st: 1, so: { "117": 1 } });
    fixed.says(`tele/${T}/STATE`, stateOf({ POWER: "ON", Dimmer: 80 }));
    expect(await fixed.command({ brightness_pct: 30, transition: 2 })).toEqual([
      `cmnd/${T}/Backlog Fade2 1;NoDelay;Speed2 4;NoDelay;Dimmer 30`,
    ]);
  });

  test("has the warmth that SetOption82 leaves it", async () => {
    using lamp = announced({ rl: [2], lt_st: 2, lk: 1, so: { "82": 1 } });
    expect(lamp.properties()).toMatchObject({ color_temp: { minimum: 200, maximum: 380 } });
    expect(await lamp.command({ color_temp_k: 5000 })).toEqual([`cmnd/${T}/CT 200`]);
    expect(lamp.properties().color).toBeUndefined();
  });

  test("whose white is a light of its own is two lights", async () => {
    using lamp = announced({ rl: [2, 2], lt_st: 5, lk: 0 });
    lamp.says(`tele/${T}/STATE`, stateOf({ ...BULB, POWER1: "ON", POWER2: "OFF", Dimmer1: 80, Dimmer2: 0 }));
    expect(lamp.state()).toMatchObject({
      on_1: true,
      on_2: false,
      brightness_1: 80,
      brightness_2: 0,
      color_rgb_1: "#ff8000",
    });
    expect(await lamp.command({ brightness_pct_2: 50, color_temp_k_2: 2700 })).toEqual([
      `cmnd/${T}/Backlog Dimmer2 50;NoDelay;CT 370`,
    ]);
  });
});

test("a dimmer dims; behind a Tuya processor it does so by another name; with SetOption68 each channel for itself", async () => {
  using dimmer = announced({ rl: [2], lt_st: 1, lk: 1 });
  dimmer.says(`stat/${T}/RESULT`, { POWER: "ON", Dimmer: "55" });
  expect(dimmer.state()).toMatchObject({ on: true, brightness: 55, brightness_pct: 55 });
  expect(await dimmer.command({ brightness_pct: 20.4 })).toEqual([`cmnd/${T}/Dimmer 20`]);
  using tuya = announced({ rl: [2], lt_st: 1, lk: 1, ty: 1 });
  expect(await tuya.command({ brightness_pct: 20 })).toEqual([`cmnd/${T}/Dimmer3 20`]);
  using several = announced({ rl: [2, 2], lt_st: 2, so: { "68": 1 } });
  several.says(`tele/${T}/STATE`, stateOf({ POWER1: "ON", Channel1: 10, POWER2: "OFF", Channel2: 90 }));
  expect(several.state()).toMatchObject({ brightness_pct_1: 10, brightness_pct_2: 90 });
  expect(await several.command({ brightness_pct_2: 20 })).toEqual([`cmnd/${T}/Channel2 20`]);
});

describe("a shutter", () => {
  const particular = { rl: [3, 3], md: "Shelly 2.5", sht: [[0, 0, 0]] };

  test("reports and takes its position", async () => {
    const sn = { Shutter1: { Position: 0, Direction: 0, Target: 0, Tilt: 0 } };
    using shutter = announced({ ...particular, sho: [0] }, { sn });
    expect(Object.keys(shutter.properties()).filter((name) => name.includes("shutter"))).toEqual([]);
    shutter.says(`stat/${T}/RESULT`, { Shutter1: { Position: 30, Direction: 1, Target: 70, Tilt: 0 } });
    expect(shutter.device()).toMatchObject({ deviceType: "cover", attributes: { position: 30, moving: "opening" } });
    shutter.says(`tele/${T}/SENSOR`, { Time: "", Shutter1: { Position: 70, Direction: 0, Target: 70, Tilt: 0 } });
    expect(shutter.state()).toMatchObject({ position: 70, moving: "stopped" });
    expect(shutter.state().on_1).toBeUndefined();
    expect(await shutter.command({ position: 40 })).toEqual([`cmnd/${T}/ShutterPosition1 40`]);
    expect(await shutter.command({ command: "stop" })).toEqual([`cmnd/${T}/ShutterStop1`]);
    expect(await shutter.command({ command: "open" })).toEqual([`cmnd/${T}/ShutterOpen1`]);
  });

  test("that counts the other way round is turned; it tilts in percent of its range", async () => {
    using shutter = announced({ ...particular, sho: [1], sht: [[-90, 90, 15]] });
    shutter.says(`stat/${T}/RESULT`, { Shutter1: { Position: 30, Direction: 1, Target: 70, Tilt: -90 } });
    expect(shutter.state()).toMatchObject({ position: 70, moving: "closing", tilt: 100, tilt_pct: 100 });
    expect(await shutter.command({ position: 40 })).toEqual([`cmnd/${T}/ShutterPosition1 60`]);
    expect(await shutter.command({ tilt: 50 })).toEqual([`cmnd/${T}/ShutterTilt1 0`]);
    expect(await shutter.command({ tilt_pct: 50 })).toEqual([`cmnd/${T}/ShutterTilt1 0`]);
    expect(shutter.properties()).toMatchObject({ tilt_pct: { of: "tilt", word: "tilt_pct", derived: true } });
  });

  test("of two, each has its own", async () => {
    using shutters = announced({ rl: [3, 3, 3, 3], sho: [0, 0, 0, 0] });
    shutters.says(`tele/${T}/SENSOR`, {
      Shutter1: { Position: 0, Direction: 0 },
      Shutter2: { Position: 100, Direction: -1 },
    });
    expect(shutters.state()).toMatchObject({ position_1: 0, position_2: 100, moving_2: "closing" });
    expect(await shutters.command({ position_2: 5 })).toEqual([`cmnd/${T}/ShutterPosition2 5`]);
  });
});

test("an iFan is a fan with three speeds and a lamp", async () => {
  using fan = announced({ rl: [2], if: 1, md: "Sonoff iFan03", dn: "Fan" });
  fan.says(`tele/${T}/STATE`, stateOf({ POWER1: "ON", FanSpeed: 2 }));
  expect(fan.device()).toMatchObject({
    deviceType: "fan",
    attributes: { on: true, speed: 2, speed_pct: 67, light: true },
  });
  expect(await fan.command({ speed_pct: 100 })).toEqual([`cmnd/${T}/FanSpeed 3`]);
  expect(await fan.command({ speed_pct: 10 })).toEqual([`cmnd/${T}/FanSpeed 1`]);
  expect(await fan.command({ speed_pct: 0 })).toEqual([`cmnd/${T}/FanSpeed 0`]);
  expect(await fan.command({ on: false })).toEqual([`cmnd/${T}/FanSpeed 0`]);
  expect(await fan.command({ on: true })).toEqual([`cmnd/${T}/FanSpeed 2`]);
  expect(await fan.command({ light: false })).toEqual([`cmnd/${T}/POWER1 OFF`]);
  fan.says(`stat/${T}/RESULT`, { FanSpeed: 0 });
  expect(fan.state()).toMatchObject({ on: false, speed: 0, speed_pct: 0 });
});

describe("inputs", () => {
  test("a contact is a value, by whatever name the owner gave its switch", () => {
    using door = announced({ rl: [], swc: [1], swn: ["Door"], so: { "114": 1 } }, { sn: { Door: "OFF" } });
    door.says(`stat/${T}/RESULT`, { Door: { Action: "ON" } });
    expect(door.device()).toMatchObject({ deviceType: "binary_sensor", attributes: { switch1: true } });
    expect(door.properties().switch1).toMatchObject({ type: "boolean", description: "Door", readOnly: true });
    door.says(`tele/${T}/SENSOR`, { Time: "2026-01-15T12:05:00", Door: "OFF" });
    expect(door.state()).toMatchObject({ switch1: false });
    expect(door.actions).toEqual([]);
  });

  test("motion ends by itself", async () => {
    using pir = announced({ rl: [], swc: [13], swn: ["Switch1"], so: { "114": 1 } });
    pir.says(`stat/${T}/RESULT`, { Switch1: { Action: "ON" } });
    expect(pir.state().switch1).toBe(true);
    await pir.clock.advance(1000);
    expect(pir.state().switch1).toBe(false);
  });

  test("a press fires each time; a retained one and a foreign one do not", () => {
    using buttons = announced({ rl: [], btn: [1, 1], so: { "73": 1 } });
    expect(buttons.device().deviceType).toBe("button");
    buttons.says(`stat/${T}/RESULT`, { Button1: { Action: "SINGLE" } }, { retain: true });
    buttons.publish(`stat/${T}/RESULT`, { Button1: { Action: "SINGLE" } }, { account: "somebody" });
    expect(buttons.actions).toEqual([]);
    for (const Action of ["SINGLE", "SINGLE", "HOLD"]) buttons.says(`stat/${T}/RESULT`, { Button2: { Action } });
    expect(buttons.actions.map(({ action }) => action)).toEqual(["button2_single", "button2_single", "button2_hold"]);
    expect(buttons.state().action).toBe("button2_hold");
  });

  test("what SetOption11 swaps is what the finger did", () => {
    using button = announced({ btn: [1], so: { "73": 1, "11": 1 } });
    button.says(`stat/${T}/RESULT`, { Button1: { Action: "DOUBLE" } });
    expect(button.actions).toEqual([{ device_id: ID, action: "button1_single" }]);
  });

  test.each([
    [0, "TOGGLE", "switch1_single"],
    [5, "HOLD", "switch1_hold"],
    [8, "HOLD", "switch1_double"],
    [11, "INC_DEC", "switch1_inc_dec"],
  ])("SwitchMode %i: %s", (mode, Action, action) => {
    using wall = announced({ rl: [], swc: [mode], so: { "114": 1 } });
    wall.says(`stat/${T}/RESULT`, { Switch1: { Action } });
    expect(wall.actions).toEqual([{ device_id: ID, action }]);
  });

  test("a tag at a reader is an action", () => {
    using reader = announced({ rl: [] }, { sn: { RDM6300: { UID: "00000000" } } });
    reader.says(`tele/${T}/SENSOR`, { RDM6300: { UID: "04339F7B" } });
    reader.says(`tele/${T}/SENSOR`, { PN532: { UID: "0412A3", Data: "garage" } });
    expect(reader.actions).toEqual([
      { device_id: ID, action: "tag_04339F7B" },
      { device_id: ID, action: "tag_0412A3", data: { Data: "garage" } },
    ]);
  });
});

test("sensors have the chip in front only where two measure the same; units are the owner's", () => {
  using weather = announced({ rl: [], md: "ESP32" }, { sn: { ...WEATHER, TempUnit: "F" } });
  weather.says(`tele/${T}/SENSOR`, WEATHER);
  expect(weather.state()).toMatchObject({
    ...{ bme280_temperature: 21.5, ds18b20_1_temperature: 4.1, ds18b20_2_temperature: 55.9, humidity: 45.2 },
    ...{ pressure: 1008.3, illuminance: 312, speed_act: 14.8, tx23_dir_card: "WSW", tx23_dir_deg: 247.5 },
    esp32_temperature: 53.3,
  });
  expect(weather.properties()).toMatchObject({
    bme280_temperature: { unit: "°F", class: "temperature" },
    pressure: { unit: "hPa" },
    speed_act: { unit: "km/h" },
    esp32_temperature: { category: "diagnostic" },
  });
});

test("what an owner measures in other units is in everybody's beside it", () => {
  const sn = { BMP280: { Temperature: 68, Pressure: 755.2 }, PressureUnit: "mmHg", TempUnit: "F" };
  using weather = announced({ rl: [] }, { sn });
  weather.says(`tele/${T}/SENSOR`, sn);
  expect(weather.state()).toMatchObject({
    ...{ temperature: 20, temperature_f: 68, pressure: 1006.85, pressure_mmhg: 755.2 },
  });
});

test("air is measured in the words of all", () => {
  const sn = { MHZ19B: { CarbonDioxide: 612 }, PMS5003: { "PM2.5": 7 } };
  using air = announced({ rl: [] }, { sn });
  air.says(`tele/${T}/SENSOR`, sn);
  expect(air.state()).toMatchObject({ carbon_dioxide: 612, co2: 612, pm25: 7 });
});

test("what a meter has counted in all is its energy", () => {
  using plug = announced({ md: "Nous A1T" }, { sn: METER });
  plug.says(`tele/${T}/SENSOR`, METER);
  expect(plug.state()).toMatchObject({ energy: 21.482, energy_total: 21.482, energy_today: 0.104 });
});

test("a sensor that sleeps between its reports stays available, with its battery", () => {
  using sleeper = announced(
    { rl: [], bat: 1, dslp: 1 },
    { sn: { SHT3X: { Temperature: 20.1, Humidity: 50 }, TempUnit: "C" } },
  );
  sleeper.says(`tele/${T}/STATE`, stateOf({ BatteryPercentage: 64 }));
  sleeper.says(`tele/${T}/SENSOR`, { SHT3X: { Temperature: 19.9, Humidity: 51 } });
  sleeper.says(`tele/${T}/LWT`, "Offline");
  expect(sleeper.device()).toMatchObject({
    available: true,
    attributes: { battery: 64, temperature: 19.9, humidity: 51 },
  });
});

describe("announcements", () => {
  test("taken back, the device stays and is not available", () => {
    using plug = announced();
    plug.says(CONFIG, "", { retain: true });
    expect(plug.device().available).toBe(false);
  });

  test("both are taken back for a person who removes the device", () => {
    const config = readTasmotaConfig(configOf(MAC) as JsonObject, MAC);
    const announcements = [CONFIG, SENSORS];
    const device = describeTasmota({ config, sensors: undefined, announcements, later: () => {} });
    expect(device.forget?.()).toEqual([
      { topic: CONFIG, payload: "", qos: 0, retain: true },
      { topic: SENSORS, payload: "", qos: 0, retain: true },
    ]);
  });

  test("that wait for a person are asked for their state when they are let in", () => {
    using plug = announced({}, { discovery: { approve: "ask" } });
    expect([...plug.registry.list()]).toEqual([]);
    plug.discovery.decide(plug.discovery.list()[0]?.id ?? "", "accepted");
    expect(plug.sent().map(({ topic }) => topic)).toEqual([`cmnd/${T}/STATE`, `cmnd/${T}/STATUS`]);
    plug.says(`stat/${T}/RESULT`, stateOf({ POWER: "ON" }));
    expect(plug.state().on).toBe(true);
  });

  test("a device with another topic is the same device", async () => {
    using plug = announced();
    plug.says(CONFIG, configOf(MAC, { t: "kitchen", ft: "house/%topic%/%prefix%/" }), { retain: true });
    plug.published.splice(0);
    plug.says(`stat/${T}/RESULT`, { POWER: "ON" });
    expect(plug.state().on).toBeUndefined();
    plug.says("house/kitchen/stat/RESULT", { POWER: "ON" });
    expect(plug.state().on).toBe(true);
    expect(await plug.command({ on: false })).toEqual(["house/kitchen/cmnd/POWER1 OFF"]);
    expect([...plug.registry.list()]).toHaveLength(1);
  });

  test("its host name and its address may be in its topics", async () => {
    using plug = announced({ t: "x", ft: "%hostname%/%id%/%prefix%/%topic%" });
    expect(await plug.command({ on: true })).toEqual(["tasmota-A1B2C3-4711/A1B2C3/cmnd/x/POWER1 ON"]);
  });

  test("of Home Assistant's kind for the same address make no second device", async () => {
    using plug = announced();
    plug.says("homeassistant/switch/x/config", {
      ...{ command_topic: `cmnd/${T}/POWER`, state_topic: `stat/${T}/POWER`, unique_id: "x" },
      device: { connections: [["mac", "DC:4F:22:A1:B2:C3"]], name: "Other" },
    });
    await plug.clock.advance(1000);
    expect([...plug.registry.list()].map(({ id }) => id)).toEqual([ID]);
  });

  test("of a second account for the same address change nothing", async () => {
    using plug = announced();
    plug.publish(CONFIG, configOf(MAC, { t: "stolen" }), { account: "somebody" });
    plug.published.splice(0);
    expect(plug.device().pluginId).toBe("tasmota");
    expect(await plug.command({ on: true })).toEqual([`cmnd/${T}/POWER1 ON`]);
  });

  test("what the device only reports, and what it has not, is refused with a reason", async () => {
    using plug = announced();
    await expect(plug.command({ linkquality: 1 })).rejects.toThrow("linkquality: the device only reports it");
    await expect(plug.command({ brightness_pct: 1 })).rejects.toThrow(
      "brightness_pct: the device has no such attribute",
    );
    await expect(plug.command({ on: 1 })).rejects.toThrow('on: must be true, false or "toggle"');
    using lamp = announced({ rl: [2], lt_st: 5, lk: 1 });
    await expect(lamp.command({ brightness_pct: 101 })).rejects.toThrow(
      "brightness_pct: must be a number from 0 to 100",
    );
    await expect(lamp.command({ color_rgb: "red" })).rejects.toThrow("color_rgb: must be a colour");
    await expect(lamp.command({ color: { hue: 400, saturation: 1 } })).rejects.toThrow("color: must be an object");
    expect(lamp.published).toEqual([]);
  });
});

describe("what no device should announce is listed with what is wrong, and makes no device", () => {
  test.each<[string, unknown, string]>([
    ["no object", [1, 2], "config: must be a JSON object"],
    ["cut off", '{"ip":"192.168.1.50","dn":"Ta', "config: must be a JSON object"],
    [
      "a megabyte",
      JSON.stringify({ ...configOf(MAC), dn: "x".repeat(1_000_000) }),
      "config: must be a JSON object of at most",
    ],
    ["no address", { ...configOf(MAC), mac: "../../x" }, "mac must be twelve hexadecimal digits"],
    ["the address of another", configOf("DC4F22FFFFFF"), "the topic says DC4F22A1B2C3, and mac is DC4F22FFFFFF"],
    ["wildcards", configOf(MAC, { t: "a/#" }), "is no topic"],
    ["no prefix", configOf(MAC, { ft: "%topic%/" }), "ft must contain %prefix%"],
    ["an old version", { ...configOf(MAC), tp: undefined }, "9.2 or later"],
  ])("%s", (_name, payload, problem) => {
    using rig = createRig();
    rig.publish(CONFIG, payload, { account: "tasmota" });
    expect([...rig.registry.list()]).toEqual([]);
    expect(rig.discovery.list()).toMatchObject([
      { state: "broken", account: "tasmota", problem: expect.stringContaining(problem) },
    ]);
    rig.publish(CONFIG, configOf(MAC), { account: "tasmota" });
    expect(rig.discovery.list()).toMatchObject([{ state: "accepted", problem: null, device_id: ID }]);
  });

  test("topics that the account may not publish to", () => {
    using rig = announced({}, { mayPublish: (topic) => topic.startsWith("tasmota/") || topic.startsWith("tele/") });
    expect([...rig.registry.list()]).toEqual([]);
    expect(rig.discovery.list()).toMatchObject([
      { problem: expect.stringContaining("which it may not publish to itself") },
    ]);
    expect(rig.published).toEqual([]);
  });

  test("lists that are none, numbers as texts, texts as numbers", () => {
    using plug = announced({ rl: [1], sho: "x", sht: 5, fn: [null], so: "x" } as never, {
      sn: { ENERGY: { Power: null } },
    });
    plug.says(`tele/${T}/SENSOR`, { ENERGY: { Power: "12.5" } });
    expect(plug.state()).toMatchObject({ power: 12.5 });
    plug.says(`tele/${T}/SENSOR`, { ENERGY: { Power: { a: 1 } } });
    plug.says(`tele/${T}/SENSOR`, '{"ENERGY":{"Power":');
    plug.says(`tele/${T}/STATE`, { POWER: 1, Wifi: "x" });
    expect(plug.state()).toMatchObject({ power: 12.5 });
    expect(plug.state().on).toBeUndefined();
  });
});

test("one account announces 500 devices at most, and others still theirs", () => {
  using rig = createRig();
  const mac = (at: number): string => at.toString(16).padStart(12, "0").toUpperCase();
  for (let at = 0; at < 600; at++)
    rig.publish(`tasmota/discovery/${mac(at)}/config`, at < 400 ? configOf(mac(at)) : "{", { account: "flood" });
  expect([...rig.registry.list()]).toHaveLength(400);
  expect(rig.discovery.list()).toHaveLength(501);
  expect(rig.discovery.list().at(-1)?.problem).toContain("one account may announce 500 devices");
  rig.publish(CONFIG, configOf(MAC), { account: "tasmota" });
  expect(rig.registry.get(ID).available).toBe(true);
});
