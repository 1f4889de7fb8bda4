// Devices in words: what a tile says, which icon it has and what a touch does.
import "./browser.ts";
import { expect, test } from "bun:test";
import { iconOf, isActive, stateInWords } from "../../src/web/page/components/kinds.ts";
import type { Attributes, Device } from "../../src/web/page/state/house.ts";

const device = (attributes: Attributes, more: Partial<Device> = {}): Device =>
  ({
    ...{ id: "d", name: "D", plugin_id: "p", area: null, device_type: null, available: true, attributes },
    ...{ last_seen: null, last_changed: {}, schema: null, capabilities: null, manufacturer: null, model: null },
    ...{ sw_version: null, parent_device_id: null, history: true },
    ...more,
  }) as Device;
const words = (attributes: Attributes): string => stateInWords(device(attributes), attributes);

test.each([
  [{ on: true, brightness_pct: 60 }, "On · 60 %"],
  [{ on: false, brightness_pct: 60 }, "Off"],
  [{ position: 0 }, "Closed"],
  [{ locked: false }, "Unlocked"],
  [{ contact: true }, "Closed"],
  [{}, "Nothing reported yet"],
] as const)("%j is %s", (attributes, expected) => {
  expect(words(attributes as unknown as Attributes)).toBe(expected);
});

test("values that nobody would choose are words, not failures", () => {
  for (const odd of ["NaN", null, {}, [], 1e308, -0, "<b>", true]) {
    const attributes: Attributes = {
      on: odd,
      brightness_pct: odd,
      position: odd,
      temperature: odd,
      locked: odd,
      contact: odd,
    };
    expect(typeof words(attributes)).toBe("string");
    expect(words(attributes)).not.toContain("undefined");
    expect(iconOf(device(attributes))).toBeTruthy();
    expect(typeof isActive(attributes)).toBe("boolean");
  }
});
