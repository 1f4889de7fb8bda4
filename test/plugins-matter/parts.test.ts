// What devices of the hub are in Matter, and which of them are bridged. test/interop/matter.ts pairs them.
import { expect, test } from "bun:test";
import { chooser } from "../../plugins/matter/chosen.ts";
import type { HubDevice } from "../../plugins/matter/hub.ts";
import { batteryOf } from "../../plugins/matter/parts/battery.ts";
import { partsOf } from "../../plugins/matter/parts/index.ts";
import { deviceOf } from "../../plugins/matter/scenes.ts";

function device(edited: Partial<HubDevice>): HubDevice {
  const none = { area: null, device_type: null, manufacturer: null, model: null, sw_version: null };
  return {
    id: "d",
    name: "Device",
    ...none,
    tags: [],
    available: true,
    attributes: {},
    capabilities: null,
    schema: null,
    ...edited,
  };
}

const shown = (edited: Partial<HubDevice>) =>
  partsOf(device(edited)).map((part) => [part.id, part.values(edited.attributes ?? {})]);

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

test("a contact is closed where `open` is false and where `contact` is true", () => {
  expect(shown({ attributes: { open: false } })).toEqual([["contact", { booleanState: { stateValue: true } }]]);
  expect(shown({ attributes: { contact: true } })).toEqual([["contact", { booleanState: { stateValue: true } }]]);
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
])("a battery with %p", (attributes, shows) => {
  const found = batteryOf(device({ attributes }))?.values.powerSource;
  expect(found).toMatchObject(shows);
  expect("batPercentRemaining" in (found ?? {})).toBe("batPercentRemaining" in shows);
});

test("a device without a battery shows none", () => {
  expect(batteryOf(device({ attributes: { on: true } }))).toBeUndefined();
});
