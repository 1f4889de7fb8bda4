// What devices of the hub are in Matter, and which of them are bridged. test/interop/matter.ts pairs them.
import { expect, test } from "bun:test";
import { chooser } from "../../plugins/matter/chosen.ts";
import { batteryOf } from "../../plugins/matter/parts/battery.ts";
import { partsOf } from "../../plugins/matter/parts/index.ts";
import { viewsOf } from "../../plugins/matter/parts/views.ts";
import { deviceOf } from "../../plugins/matter/scenes.ts";
import type { JsonObject } from "../../plugins/sdk/index.ts";
import { device, measured, shown } from "./support/shown.ts";

test("a light shows what it can do and no more", () => {
  expect(shown({ device_type: "light", attributes: { on: true } })).toEqual([["light", { onOff: { onOff: true } }]]);
  const dimmed = { on: false, brightness_pct: 0 };
  expect(shown({ device_type: "light", attributes: dimmed })).toEqual([
    ["light", { onOff: { onOff: false }, levelControl: { currentLevel: 1 } }],
  ]);
  const white = { on: true, brightness_pct: 100, color_temp_k: 1000 };
  expect(shown({ device_type: "light", attributes: white })[0]?.[1]).toEqual({
    onOff: { onOff: true },
    levelControl: { currentLevel: 254 },
    // 2200 K, the warmest it says it can: what is beyond Matter would refuse.
    colorControl: { colorTemperatureMireds: 455, colorMode: 2 },
  });
});

test("numbers stay within Matter's bounds, and what is no number is not shown", () => {
  const weather = { temperature: -400, humidity: 130, illuminance: 0, pressure: "high" };
  expect(shown({ attributes: weather })).toEqual([
    ["temperature", { temperatureMeasurement: { measuredValue: -27_315 } }],
    ["humidity", { relativeHumidityMeasurement: { measuredValue: 10_000 } }],
    ["illuminance", { illuminanceMeasurement: { measuredValue: 0 } }],
    ["pressure", {}],
  ]);
});

test("a contact is closed where it is not open, whatever the device itself calls it", () => {
  expect(shown({ attributes: { open: false } })).toEqual([["contact", { booleanState: { stateValue: true } }]]);
  // As zigbee2mqtt's door contacts come: `contact` is true while it is shut.
  const door = {
    contact: { type: "boolean", readOnly: true, class: "door", inverted: true },
    open: { type: "boolean", readOnly: true, derived: true, of: "contact", word: "open" },
  };
  for (const open of [true, false])
    expect(shown({ schema: { properties: door }, attributes: { contact: !open, open } })).toEqual([
      ["contact", { booleanState: { stateValue: !open } }],
    ]);
});

test("a value in another unit than the word's is not sent as one; the derived one beside it is", () => {
  // Tasmota with °F, and an EFEKTA_DigiBaro with kPa.
  const both = {
    temperature_fahrenheit: measured("°F"),
    temperature: measured("°C", "temperature"),
    pressure_kpa: measured("kPa"),
    pressure: measured("hPa", "pressure"),
  };
  const attributes = { temperature_fahrenheit: 70.7, temperature: 21.5, pressure_kpa: 101.3, pressure: 1013 };
  expect(shown({ schema: { properties: both }, attributes })).toEqual([
    ["temperature", { temperatureMeasurement: { measuredValue: 2150 } }],
    ["pressure", { pressureMeasurement: { measuredValue: 1013 } }],
  ]);
  const own = { temperature: measured("°F"), pressure: measured("kPa"), humidity: measured("%") };
  expect(
    shown({ capabilities: { properties: own }, attributes: { temperature: 70, pressure: 101, humidity: 40 } }),
  ).toEqual([["humidity", { relativeHumidityMeasurement: { measuredValue: 4000 } }]]);
});

test("an alarm for smoke and carbon monoxide is one alarm, and what is more dangerous is called out", () => {
  const alarm = (attributes: JsonObject) => shown({ attributes }).map(([id, values]) => [id, values]);
  const calm = { batteryAlert: 0, expressedState: 0 };
  expect(alarm({ smoke: false, carbon_monoxide: false })).toEqual([
    ["smoke", { smokeCoAlarm: { ...calm, smokeState: 0, coState: 0 } }],
  ]);
  expect(alarm({ smoke: false, carbon_monoxide: true })).toEqual([
    ["smoke", { smokeCoAlarm: { ...calm, smokeState: 0, coState: 2, expressedState: 2 } }],
  ]);
  expect(alarm({ smoke: true, carbon_monoxide: true })).toMatchObject([
    ["smoke", { smokeCoAlarm: { expressedState: 1 } }],
  ]);
  expect(alarm({ carbon_monoxide: true })).toEqual([
    ["co", { smokeCoAlarm: { ...calm, coState: 2, expressedState: 2 } }],
  ]);
  expect(alarm({ smoke: false, battery_low: true })).toMatchObject([
    ["smoke", { smokeCoAlarm: { batteryAlert: 1, expressedState: 3 } }],
  ]);
  // Gas has no place in Matter, and is not carbon monoxide.
  expect(alarm({ gas: true })).toEqual([]);
});

const sensed = (word: string, part?: string) => ({
  ...{ type: "boolean", readOnly: true, word },
  ...(part !== undefined && { part }),
});

test("each part of a device is a part there, and is asked by its own name", () => {
  const properties = {
    leak_alarm_1: { ...sensed("leak", "alarm_1"), derived: true, of: "water_leak_alarm_1" },
    leak_alarm_2: { ...sensed("leak", "alarm_2"), derived: true, of: "water_leak_alarm_2" },
  };
  expect(shown({ schema: { properties }, attributes: { leak_alarm_1: false, leak_alarm_2: true } })).toEqual([
    ["leak_alarm_1", { booleanState: { stateValue: false } }],
    ["leak_alarm_2", { booleanState: { stateValue: true } }],
  ]);
  const twoSockets = device({
    device_type: "switch",
    schema: {
      properties: {
        on_l1: { type: "boolean", word: "on", part: "l1" },
        on_l2: { type: "boolean", word: "on", part: "l2" },
        temperature: measured("°C", "temperature"),
      },
    },
    attributes: { on_l1: true, on_l2: false, temperature: 30 },
  });
  expect(partsOf(twoSockets).map(({ id, values }) => [id, values(twoSockets.attributes)])).toEqual([
    ["temperature", { temperatureMeasurement: { measuredValue: 3000 } }],
    ["switch_l1", { onOff: { onOff: true } }],
    ["switch_l2", { onOff: { onOff: false } }],
  ]);
  const second = viewsOf(twoSockets).find(({ part }) => part === "l2");
  expect(second?.write({ on: true })).toEqual({ on_l2: true });
});

test("the light of a fan is a light, and what else it can switch is a switch", () => {
  const properties = {
    on: { type: "boolean", word: "on" },
    speed_pct: { ...measured("%", "speed_pct"), readOnly: false },
    on_light: { type: "boolean", word: "on", part: "light" },
    on_ionizer: { type: "boolean", word: "on", part: "ionizer" },
    brightness_pct_light: { ...measured("%", "brightness_pct"), readOnly: false, part: "light" },
  };
  const attributes = { on: true, speed_pct: 33, on_light: false, brightness_pct_light: 100, on_ionizer: true };
  expect(shown({ device_type: "fan", schema: { properties }, attributes })).toEqual([
    ["fan", { fanControl: { percentSetting: 33, percentCurrent: 33, fanMode: 1 } }],
    ["light_light", { onOff: { onOff: false }, levelControl: { currentLevel: 254 } }],
    ["switch_ionizer", { onOff: { onOff: true } }],
  ]);
});

test.each<[JsonObject, number | undefined]>([
  [{ locked: true, lock_state: "locked" }, 1],
  [{ locked: false, lock_state: "unlocked" }, 2],
  [{ locked: null, lock_state: "jammed" }, 0],
  [{ locked: null, lock_state: "unlocking" }, 0],
  [{ locked: null }, 0],
  [{ locked: false, lock_state: "open" }, 2],
  // It was locked before it was reported that it jams.
  [{ locked: true, lock_state: "jammed" }, 0],
])("a lock with %p", (attributes, lockState) => {
  expect(shown({ device_type: "lock", attributes })).toEqual([["lock", { doorLock: { lockState } }]]);
});

test("a thermostat is off, heats or cools as its words say, and is idle in between", () => {
  const still = { heatStage2: false, coolStage2: false, fanStage2: false, fanStage3: false };
  const modes = { mode: { type: "string", enum: ["off", "heat", "cool", "heat_cool", "fan_only", "dry"] } };
  const show = (mode: string, action: string) =>
    shown({
      device_type: "climate",
      schema: { properties: modes },
      attributes: { current_temperature: 20, target_temperature: 21, mode, action },
    })[0]?.[1];
  expect(show("off", "off")).toMatchObject({
    thermostat: { systemMode: 0, thermostatRunningState: { ...still, heat: false, cool: false, fan: false } },
  });
  expect(show("heat", "heating")).toMatchObject({
    thermostat: { systemMode: 4, thermostatRunningState: { heat: true, cool: false } },
  });
  expect(show("heat", "idle")).toMatchObject({
    thermostat: { systemMode: 4, thermostatRunningState: { heat: false } },
  });
  expect(show("heat_cool", "cooling")).toMatchObject({
    thermostat: { systemMode: 3, thermostatRunningState: { cool: true } },
  });
  expect(show("fan_only", "fan")).toMatchObject({
    thermostat: { systemMode: 7, thermostatRunningState: { fan: true } },
  });
  expect(show("dry", "drying")).toMatchObject({ thermostat: { systemMode: 8 } });
});

test.each<[JsonObject, object]>([
  [
    { position: 100, moving: "stopped" },
    { currentPositionLiftPercent100ths: 0, targetPositionLiftPercent100ths: 0 },
  ],
  [
    { position: 40, moving: "closing" },
    { currentPositionLiftPercent100ths: 6000, operationalStatus: { lift: 2 } },
  ],
  [
    { position: 40, moving: "opening" },
    { currentPositionLiftPercent100ths: 6000, operationalStatus: { lift: 1 } },
  ],
  [
    { position: 0, tilt_pct: 25 },
    { currentPositionLiftPercent100ths: 10_000, currentPositionTiltPercent100ths: 7500 },
  ],
])("a cover with %p", (attributes, windowCovering) => {
  const [found] = shown({ device_type: "cover", attributes });
  expect(found).toMatchObject(["cover", { windowCovering }]);
});

test("a cover that reports no position is one that goes up, down and stops; what its bridge may be commanded is no such thing", () => {
  const reported = (options: string[]) => ({
    properties: { command: { type: "string", writeOnly: true, enum: options } },
  });
  const cover = (options: string[]) =>
    shown({ device_type: "cover", schema: reported(options), attributes: { moving: "opening" } });
  expect(cover(["open", "close", "stop"])).toMatchObject([
    ["cover", { windowCovering: { operationalStatus: { lift: 1 } } }],
  ]);
  expect(cover(["rename", "remove", "interview"])).toEqual([]);
});

test("a range of whites that no light has is kept within Matter's", () => {
  const kelvin = { type: "number", unit: "K", minimum: 10, maximum: 4000 };
  const [lamp] = partsOf(
    device({ device_type: "light", schema: { properties: { color_temp_k: kelvin } }, attributes: { on: true } }),
  );
  expect(lamp?.fixed).toMatchObject({ colorControl: { colorTempPhysicalMaxMireds: 65_279 } });
});

test("a device without anything for Matter is not bridged", () => {
  expect(partsOf(device({ device_type: "sensor", attributes: { words: "…" } }))).toEqual([]);
});

test("areas, tags, ids and exceptions choose; a lock has to be named", () => {
  const all = { areas: [], tags: [], devices: [], except: [], scenes: [] };
  const lock = device({ id: "lock", device_type: "lock", area: "Hall", tags: ["matter"] });
  expect(chooser(all)(device({}))).toBe(true);
  expect(chooser(all)(lock)).toBe(false);
  expect(chooser({ ...all, areas: ["Hall"], tags: ["matter"] })(lock)).toBe(false);
  expect(chooser({ ...all, devices: ["lock"] })(lock)).toBe(true);
  expect(chooser({ ...all, devices: ["lock"], except: ["lock"] })(lock)).toBe(false);
  expect(chooser({ ...all, devices: ["lock"] })(device({}))).toBe(false);
  expect(chooser({ ...all, areas: ["Hall"] })(device({ area: "Hall" }))).toBe(true);
  expect(chooser({ ...all, areas: ["Hall"] })(device({ tags: ["Hall"] }))).toBe(false);
  expect(chooser({ ...all, tags: ["matter"] })(device({ tags: ["matter"] }))).toBe(true);
});

test("a scene is bridged where it stands by name or id, whatever else is chosen", () => {
  const all = { areas: [], tags: [], devices: [], except: [], scenes: [] };
  const evening = deviceOf({ id: "evening_1", name: "Evening" });
  expect(chooser(all)(evening)).toBe(false);
  expect(chooser({ ...all, scenes: ["Evening"] })(evening)).toBe(true);
  expect(chooser({ ...all, areas: ["Hall"], scenes: ["evening_1"] })(evening)).toBe(true);
  expect(chooser({ ...all, scenes: ["Evening"] })(device({ name: "Evening" }))).toBe(true);
  expect(partsOf(evening).map(({ id, values }) => [id, values({})])).toEqual([["scene", { onOff: { onOff: false } }]]);
});

test.each([
  [
    { battery: 90, temperature: 1 },
    { batPercentRemaining: 180, batChargeLevel: 0, batReplacementNeeded: false },
  ],
  [{ battery_pct: 20 }, { batPercentRemaining: 40, batChargeLevel: 1, batReplacementNeeded: true }],
  [{ battery_level: 3.4 }, { batPercentRemaining: 7, batChargeLevel: 2, batReplacementNeeded: true }],
  [{ battery: 140 }, { batPercentRemaining: 200, batChargeLevel: 0, batReplacementNeeded: false }],
  [{ battery: "full" }, { batPercentRemaining: null, batChargeLevel: 0, batReplacementNeeded: false }],
  [{ battery_low: true }, { batChargeLevel: 1, batReplacementNeeded: true }],
  // As the hub has it: the device says so, or its level.
  [
    { battery: 60, battery_low: true },
    { batPercentRemaining: 120, batChargeLevel: 1, batReplacementNeeded: true },
  ],
  [
    { battery: 12, battery_low: false },
    { batPercentRemaining: 24, batChargeLevel: 1, batReplacementNeeded: true },
  ],
])("a battery with %p", (attributes, shows) => {
  const found = batteryOf(device({ attributes }))?.values.powerSource;
  expect(found).toMatchObject(shows);
  expect("batPercentRemaining" in (found ?? {})).toBe("batPercentRemaining" in shows);
});

test("a device without a battery shows none", () => {
  expect(batteryOf(device({ attributes: { on: true } }))).toBeUndefined();
});

test("of several batteries the emptiest is shown", () => {
  const properties = {
    battery_left: { ...measured("%", "battery"), part: "left" },
    battery_right: { ...measured("%", "battery"), part: "right" },
    battery_low_right: sensed("battery_low", "right"),
  };
  const attributes = { battery_left: 80, battery_right: 30, battery_low_right: true };
  expect(batteryOf(device({ schema: { properties }, attributes }))?.values.powerSource).toMatchObject({
    ...{ batPercentRemaining: 60, batChargeLevel: 1, batReplacementNeeded: true },
  });
});
