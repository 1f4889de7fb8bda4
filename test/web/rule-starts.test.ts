// Rules to start with are about what a sensor means, whatever its maker calls it.
import "./browser.ts";
import { expect, test } from "bun:test";
import type { Device } from "../../src/page/model/device/device.ts";
import type { Attributes } from "../../src/page/model/device/json.ts";
import type { Property } from "../../src/page/model/device/schema.ts";
import { motionSensorsOf, openingsOf } from "../../src/page/model/rules/rule-starters.ts";
import { startRule } from "../../src/page/model/rules/rule-starts.ts";
import { loadLater } from "../../src/page/texts/index.ts";

await loadLater();

function device(id: string, attributes: Attributes, properties?: Record<string, Property>): Device {
  return {
    ...{ id, name: id, plugin_id: "z2m", area: null, device_type: "binary_sensor", available: true, attributes },
    ...{ last_seen: null, last_changed: {}, schema: properties ? { properties } : null, capabilities: null },
    ...{ history: true, manufacturer: null, model: null, sw_version: null, parent_device_id: null },
  };
}

const contact: Property = { type: "boolean", class: "door", inverted: true };
const open: Property = { type: "boolean", derived: true, of: "contact", word: "open" };
const trigger = (rule: object): object => (rule as { triggers: object[] }).triggers[0] ?? {};

test("a door left open is one that is open", () => {
  const house = [
    device("thermostat", { window: false }, { window: { type: "boolean", category: "config", class: "window" } }),
    device("front", { contact: true, open: false }, { contact, open }),
  ];
  expect(trigger(startRule("door", house))).toMatchObject({ device_id: "front", attribute: "open", to: true });
  expect(openingsOf(house).map(({ device, attribute, value }) => [device.id, attribute, value])).toEqual([
    ["front", "open", true],
  ]);
});

test("one that has no word of the hub's yet is understood as well", () => {
  const house = [device("front", { contact: true })];
  expect(trigger(startRule("door", house))).toMatchObject({ device_id: "front", attribute: "contact", to: false });
});

test("motion is better than presence", () => {
  const presence: Property = { type: "boolean", word: "presence" };
  const motion: Property = { type: "boolean", word: "motion", derived: true, of: "occupancy" };
  const house = [
    device("bed", { presence: true }, { presence }),
    device("hall", { occupancy: false, motion: false }, { occupancy: { type: "boolean" }, motion }),
  ];
  expect(trigger(startRule("motion", house))).toMatchObject({ device_id: "hall", attribute: "motion", to: true });
  expect(motionSensorsOf(house).map(({ device, attribute }) => [device.id, attribute])).toEqual([
    ["bed", "presence"],
    ["hall", "motion"],
  ]);
});
