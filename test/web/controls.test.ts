// What a tile offers for a device: by the words it reports and its schema, whoever made it.

import { describe, expect, test } from "bun:test";
import {
  type Control,
  commandFor,
  controlsOf,
  isShown,
  type Range,
  shareOf,
} from "../../src/page/model/device/controls.ts";
import type { Device } from "../../src/page/model/device/device.ts";
import type { Attributes } from "../../src/page/model/device/json.ts";
import type { Property } from "../../src/page/model/device/schema.ts";

function device(type: string, attributes: Attributes, properties?: Record<string, object>): Device {
  return {
    ...{ id: "one", name: "One", plugin_id: "any", area: null, device_type: type, available: true, attributes },
    ...{ last_seen: null, last_changed: {}, schema: properties ? { properties } : null, capabilities: null },
    ...{ history: true, manufacturer: null, model: null, sw_version: null, parent_device_id: null },
  };
}
const kindsOf = (one: Device): string[] =>
  controlsOf(one, one.attributes).map((control) =>
    "attribute" in control ? `${control.kind} ${control.attribute}` : control.kind,
  );
const first = (one: Device): Control | undefined => controlsOf(one, one.attributes)[0];
const percent: Property = { type: "number", minimum: 0, maximum: 100, unit: "%" };

describe("controls", () => {
  const rows: [string, Device, string[]][] = [
    [
      "a lamp by the shared words, without its own for the same",
      device(
        "light",
        { on: true, brightness: 150, brightness_pct: 59, color_temp: 370, color_temp_k: 2700, color_rgb: "#ff8800" },
        {
          on: { type: "boolean" },
          brightness: { minimum: 0, maximum: 254 },
          brightness_pct: percent,
          color_temp: { minimum: 153, maximum: 500 },
          color_temp_k: { minimum: 2000, maximum: 6500, unit: "K" },
          color_rgb: { type: "string" },
        },
      ),
      ["switch on", "range brightness_pct", "range color_temp_k", "colour color_rgb"],
    ],
    [
      "a lamp that only has its own words",
      device("light", { on: false, brightness: 254 }, { on: {}, brightness: { minimum: 0, maximum: 254 } }),
      ["switch on", "range brightness"],
    ],
    [
      "a lamp that declares nothing",
      device("light", { on: true, brightness_pct: 5 }),
      ["switch on", "range brightness_pct"],
    ],
    ["a contact that could be written", device("contact_sensor", { open: false }, { open: { type: "boolean" } }), []],
    ["a contact that declares nothing", device("", { contact: true, occupancy: false }), []],
    ["a garage by what is open", device("garage_door", { open: false }, { open: { type: "boolean" } }), ["cover"]],
    [
      "a cover by its position",
      device("cover", { position: 3 }, { position: percent, command: { enum: ["OPEN", "CLOSE", "STOP"] } }),
      ["cover", "range position", "orders command"],
    ],
    ["a lock", device("lock", { locked: true }, { locked: { type: "boolean" } }), ["lock"]],
    [
      "a thermostat of its own words",
      device(
        "thermostat",
        { temperature: 19, setpoint: 20, mode: "heat", heating: true },
        {
          temperature: { minimum: -20, maximum: 50 },
          setpoint: { minimum: 5, maximum: 30 },
          mode: { anyOf: [{ const: "off" }, { const: "heat" }] },
          heating: { type: "boolean", readOnly: true },
        },
      ),
      ["target setpoint", "choice mode"],
    ],
    [
      "a vacuum by its orders",
      device("vacuum", { state: "docked" }, { command: { enum: ["start", "dock"] }, state: { readOnly: true } }),
      ["orders command"],
    ],
    [
      "neither settings, nor how it fares, nor what is hidden",
      device(
        "switch",
        { on: true, child_lock: true, led: true, secret: true },
        {
          on: { type: "boolean" },
          child_lock: { type: "boolean", category: "config" },
          led: { type: "boolean", category: "diagnostic" },
          secret: { type: "boolean", hidden: true },
        },
      ),
      ["switch on"],
    ],
    [
      "a switch with two parts",
      device("switch", { on_l1: true, on_l2: false }, { on_l1: {}, on_l2: {} }),
      ["switch on_l1", "switch on_l2"],
    ],
    ["what only reports", device("switch", { on: true }, { on: { readOnly: true } }), []],
    ["a timer", device("timer", { state: "idle" }), ["timer"]],
  ];
  for (const [name, one, expected] of rows) test(name, () => expect(kindsOf(one)).toEqual(expected));

  test("a cover is stopped in its own spelling, where it can be", () => {
    const can = device("cover", { position: 3 }, { position: percent, state: { enum: ["OPEN", "STOP"] } });
    expect(first(can)).toMatchObject({ kind: "cover", stop: { state: "STOP" }, open: { position: 100 } });
    expect(first(device("cover", { position: 3 }, { position: percent }))).toMatchObject({ stop: undefined });
  });

  test("values that are none do no harm", () => {
    const odd = { on: null, brightness_pct: "much", position: Number.NaN, target_temperature: {}, color_rgb: 5 };
    const properties = Object.fromEntries(Object.keys(odd).map((name) => [name, {}]));
    const one = device("light", odd as unknown as Attributes, properties);
    for (const control of controlsOf(one, one.attributes))
      if ("value" in control) expect(control.value).toBeUndefined();
  });

  test("a device may have a thousand attributes", () => {
    const names = Array.from({ length: 1000 }, (_, at) => `on_${at}`);
    const one = device(
      "switch",
      Object.fromEntries(names.map((name) => [name, true])),
      Object.fromEntries(names.map((name) => [name, {}])),
    );
    expect(controlsOf(one, one.attributes).length).toBe(24);
  });
});

describe("ranges", () => {
  const lamp = device("light", { on: false, brightness: 100 }, { on: {}, brightness: { minimum: 0, maximum: 254 } });
  const range = controlsOf(lamp, lamp.attributes).find((one): one is Range => one.kind === "range") as Range;

  test("nothing is off, and more is on", () => {
    expect(commandFor(range, 0, { on: true })).toEqual({ on: false });
    expect(commandFor(range, 127, { on: false })).toEqual({ on: true, brightness: 127 });
    expect(commandFor(range, 127, { on: true })).toEqual({ brightness: 127 });
    expect(commandFor(range, 0, {})).toEqual({ brightness: 0 });
  });

  test("are said in percent", () => expect(shareOf(range, 127)).toBe(50));

  test("a better word hides the device's own only where it is reported", () => {
    expect(isShown(lamp, "brightness")).toBe(true);
    expect(isShown(device("light", { brightness: 1, brightness_pct: 1 }), "brightness")).toBe(false);
  });
});
