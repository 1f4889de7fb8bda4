// What covers, valves, buttons, meters and sensors of the air can do in Matter, and what is shown of them.
import { expect, test } from "bun:test";
import { partsOf } from "../../plugins/matter/parts/index.ts";
import type { JsonObject } from "../../plugins/sdk/index.ts";
import { described, measured, shown } from "./support/shown.ts";

const percent = { type: "number", minimum: 0, maximum: 100 };
const orders = (...options: string[]) => ({ type: "string", writeOnly: true, enum: options });
const kindOf = (type: string, properties: JsonObject, attributes: JsonObject = {}) =>
  partsOf(described(type, properties, attributes)).map(({ id, features }) => [id, features]);

test.each<[JsonObject, string | undefined]>([
  [{ position: percent }, "position"],
  [{ position: percent, tilt_pct: percent }, "position tilt"],
  [{ tilt_pct: percent }, "tilt"],
  [{ command: orders("open", "close"), tilt_pct: percent }, "lift tilt"],
  [{ command: orders("open", "close", "stop") }, "lift"],
  [{ command: orders("open", "close") }, "lift"],
  // What only says where it is takes no command.
  [{ position: { ...percent, readOnly: true } }, undefined],
  [{ position: { ...percent, readOnly: true }, command: orders("open", "close") }, "position"],
])("a cover with %p", (properties, kind) => {
  expect(kindOf("cover", properties)).toEqual(kind === undefined ? [] : [["cover", kind]]);
});

test.each<[JsonObject, JsonObject, object]>([
  [{ on: { type: "boolean" } }, { on: true }, { currentState: 1, targetState: 1 }],
  [{ on: { type: "boolean" } }, { on: false }, { currentState: 0, targetState: 0 }],
  [{ position: percent }, { position: 40 }, { currentState: 1, targetState: 1, currentLevel: 40, targetLevel: 40 }],
  [{ position: percent }, { position: 40, moving: "closing" }, { currentState: 2, targetState: 0, currentLevel: 40 }],
  [{ command: orders("open", "close", "stop") }, { on: true }, { currentState: 1 }],
])("a valve with %p", (properties, attributes, values) => {
  expect(shown({ device_type: "valve", schema: { properties }, attributes })).toMatchObject([
    ["valve", { valveConfigurationAndControl: values }],
  ]);
});

test("a valve that takes no command is none", () => {
  expect(kindOf("valve", { on: { type: "boolean", readOnly: true } }, { on: true })).toEqual([]);
});

const metering = { power: measured("W"), energy: measured("kWh"), voltage: measured("V"), current: measured("A") };

test("what a plug uses is shown by the plug itself", () => {
  const attributes = { on: true, power: 12.5, energy: 3.25, voltage: 230, current: 0.054 };
  expect(shown({ device_type: "switch", schema: { properties: metering }, attributes })).toEqual([
    [
      "switch",
      {
        onOff: { onOff: true },
        electricalPowerMeasurement: { activePower: 12_500, rmsVoltage: 230_000, rmsCurrent: 54 },
        electricalEnergyMeasurement: { cumulativeEnergyImported: { energy: 3_250_000 } },
      },
    ],
  ]);
});

test("a meter is one, and what gives power back says so", () => {
  expect(shown({ device_type: "sensor", schema: { properties: metering }, attributes: { power: -800 } })).toEqual([
    ["electricity", { electricalPowerMeasurement: { activePower: -800_000 }, electricalEnergyMeasurement: {} }],
  ]);
  expect(kindOf("sensor", { energy: measured("kWh") })).toEqual([["electricity", "energy"]]);
  // Of a battery, most likely.
  expect(kindOf("sensor", { voltage: measured("V") }, { voltage: 3 })).toEqual([]);
  // As a device calls it that counts in something else.
  expect(kindOf("sensor", { power: measured("kW") }, { power: 1 })).toEqual([]);
});

test("each of two sockets has its own power", () => {
  const properties = {
    ...{ on_l1: { type: "boolean", word: "on", part: "l1" }, on_l2: { type: "boolean", word: "on", part: "l2" } },
    ...{ power_l1: { ...measured("W", "power"), part: "l1" }, power_l2: { ...measured("W", "power"), part: "l2" } },
  };
  const attributes = { on_l1: true, on_l2: false, power_l1: 5, power_l2: 0 };
  expect(shown({ device_type: "switch", schema: { properties }, attributes })).toEqual([
    ["switch_l1", { onOff: { onOff: true }, electricalPowerMeasurement: { activePower: 5000 } }],
    ["switch_l2", { onOff: { onOff: false }, electricalPowerMeasurement: { activePower: 0 } }],
  ]);
});

test.each<[JsonObject, number]>([
  [{ co2: 600 }, 1],
  [{ co2: 1200 }, 3],
  [{ co2: 6000 }, 6],
  [{ pm25: 30 }, 4],
  [{ co2: 600, pm25: 60 }, 5],
  [{ co2: null }, 0],
])("air with %p", (attributes, airQuality) => {
  expect(shown({ device_type: "sensor", attributes })).toMatchObject([["air_quality", { airQuality: { airQuality } }]]);
});

test("each button of a remote is one, with the presses that it has", () => {
  const action = orders("on", "left_single", "left_double", "left_hold", "left_release", "recall_*");
  expect(kindOf("button", { action })).toEqual([
    ["button_on", "once 1"],
    ["button_left", "often held 2"],
  ]);
});

test("no buttons: what a thermostat does, what a lock reports, and presses of which nobody knows the names", () => {
  const heats = { action: { ...orders("heating", "idle"), readOnly: true }, target_temperature: { type: "number" } };
  expect(kindOf("climate", heats).map(([id]) => id)).toEqual(["thermostat"]);
  expect(kindOf("lock", { locked: { type: "boolean" }, action: orders("key_lock", "key_unlock") })).toEqual([
    ["lock", undefined],
  ]);
  expect(kindOf("button", { action: { type: "string" } })).toEqual([]);
});
