// The errors of commands that a device cannot carry out.
import { expect, test } from "bun:test";
import { leakSensor } from "../../plugins/virtual/devices/leak-sensor.ts";
import { plainLight, tunableLight } from "../../plugins/virtual/devices/light.ts";
import { thermostat } from "../../plugins/virtual/devices/thermostat.ts";
import { problemsOf } from "../../plugins/virtual/simulated.ts";

test.each([
  [{ on: "yes" }, ["on: must be true or false"]],
  [{ on: null }, ["on: must be true or false"]],
  [{ brightness: 255 }, ["brightness: must be a whole number from 0 to 254"]],
  [{ brightness: -1 }, ["brightness: must be a whole number from 0 to 254"]],
  [{ brightness: 1.5 }, ["brightness: must be a whole number from 0 to 254"]],
  [{ brightness: "100" }, ["brightness: must be a whole number from 0 to 254"]],
  [{ brightness: [100] }, ["brightness: must be a whole number from 0 to 254"]],
  [{ transition: Number.POSITIVE_INFINITY }, ["transition: must be a number from 0 to 300"]],
  [{ command: "explode" }, ['command: must be "toggle"']],
  [{ power: 5 }, ["power: is a reading and cannot be set"]],
  [
    { color_temp: 200 },
    ["color_temp: unknown; a command may contain on, brightness, brightness_pct, transition, command"],
  ],
  [
    { constructor: 1 },
    ["constructor: unknown; a command may contain on, brightness, brightness_pct, transition, command"],
  ],
  [{}, ["the command is empty; it may contain on, brightness, brightness_pct, transition, command"]],
])("a light refuses %j", (command, problems) => {
  expect(problemsOf(command as never, plainLight)).toEqual(problems);
});

test("all problems at once, but a limited number, each of limited length", () => {
  expect(problemsOf({ on: 1, brightness: 300, color_temp: 100 }, tunableLight)).toHaveLength(3);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}${"x".repeat(5000)}`, at]));
  const problems = problemsOf(many, tunableLight);
  expect(problems).toHaveLength(10);
  expect(problems.join("").length).toBeLessThan(1700);
});

test("the thermostat names its modes and ranges", () => {
  expect(
    problemsOf({ mode: "cool", setpoint: 99, target_temperature: 4, heating: true, action: "idle" }, thermostat),
  ).toEqual([
    'mode: must be "off" or "heat"',
    "setpoint: must be a number from 5 to 30",
    "target_temperature: must be a number from 5 to 30",
    "heating: is a reading and cannot be set",
    "action: is a reading and cannot be set",
  ]);
});

test("a light with colours names what it wants in the words of all lights", () => {
  expect(problemsOf({ brightness_pct: 101, color_temp_k: 1000, color_rgb: "red" }, tunableLight)).toEqual([
    "brightness_pct: must be a number from 0 to 100",
    "color_temp_k: must be a number from 2000 to 6536",
    'color_rgb: must be a text such as "#ff8800"',
  ]);
});

test("values that are valid alone but not together are refused", () => {
  expect(plainLight.objection?.({ on: true, brightness: 0 })).toContain("brightness: 0 is off");
  expect(plainLight.objection?.({ on: true, brightness_pct: 0 })).toContain("brightness_pct: 0 is off");
  expect(plainLight.objection?.({ brightness: 1, brightness_pct: 1 })).toContain("goes without brightness");
  expect(tunableLight.objection?.({ color_temp: 200, color_temp_k: 5000 })).toContain("goes without color_temp");
  expect(tunableLight.objection?.({ color_rgb: "#ff0000", color_temp_k: 5000 })).toContain(
    "goes without a colour temp",
  );
  expect(thermostat.objection?.({ setpoint: 20, target_temperature: 20 })).toContain("goes without setpoint");
  expect(plainLight.objection?.({ command: "toggle", on: true })).toContain("goes with nothing but transition");
  expect(plainLight.objection?.({ transition: 3 })).toContain("needs something to change");
  expect(plainLight.objection?.({ command: "toggle", transition: 3 })).toBeUndefined();
  expect(leakSensor.objection?.({ minutes: 3 })).toContain("needs leak = true");
  expect(leakSensor.objection?.({ leak: false, minutes: 3 })).toContain("needs leak = true");
  expect(leakSensor.objection?.({ leak: true, minutes: 3 })).toBeUndefined();
});
