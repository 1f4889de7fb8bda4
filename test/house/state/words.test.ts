// The shared words of what devices sense, as the registry keeps them: whoever describes a device, and also where nobody does.
import { describe, expect, test } from "bun:test";
import { openRegistry, type Registry } from "../../../src/house/state/registry.ts";
import type { RenamedAttribute } from "../../../src/house/state/words/device-words.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function rig(folder = createTemporaryFolder()) {
  const clock = createVirtualClock();
  const db = openTestState(folder.at("state.redb"), clock.now);
  const events: HubEvent[] = [];
  const renamed: RenamedAttribute[] = [];
  const registry = openRegistry({
    ...{ db, clock, log: silentLog, flushSecs: 1 },
    emit: (event) => events.push(event),
    onRenamed: (one) => renamed.push(one),
  });
  return {
    ...{ registry, events, renamed, db, clock },
    /** As after a restart of the hub. */
    restarted() {
      registry[Symbol.dispose]();
      db[Symbol.dispose]();
      return rig(folder);
    },
    [Symbol.dispose]() {
      registry[Symbol.dispose]();
      db[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

const partial = { pluginId: "zigbee", partial: true };
const sensed = (properties: Record<string, JsonObject>): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, { readOnly: true, ...one }])),
});

/** What is known of a device that describes itself so and reports this. */
function said(registry: Registry, properties: Record<string, JsonObject>, report: JsonObject): JsonObject {
  registry.schema("it", sensed(properties), "zigbee");
  registry.state("it", report, partial);
  return registry.get("it").attributes;
}

const propertiesOf = (registry: Registry): Record<string, JsonObject> =>
  registry.get("it").details.schema?.properties as Record<string, JsonObject>;

// Aqara MCCGQ11LM: "Indicates if the contact is closed (= true) or open (= false)"; the voltage is its battery's.
const DOOR: Record<string, JsonObject> = {
  contact: { type: "boolean", class: "door", inverted: true },
  battery: { type: "number", unit: "%", minimum: 0, maximum: 100 },
  device_temperature: { type: "number", unit: "°C", class: "temperature", category: "diagnostic" },
  voltage: { type: "number", unit: "mV", category: "diagnostic" },
};

describe("a door", () => {
  test("is open when it is open, and its contact stays as it reports it", () => {
    using hub = rig();
    expect(said(hub.registry, DOOR, { contact: false })).toEqual({ contact: false, open: true });
    expect(said(hub.registry, DOOR, { contact: true })).toEqual({ contact: true, open: false });
    expect(hub.events.at(-1)).toMatchObject({ changed: ["contact", "open"] });
    expect(propertiesOf(hub.registry).open).toEqual({
      ...{ type: "boolean", class: "door", word: "open", readOnly: true, derived: true, sensed: true, of: "contact" },
    });
  });

  test("whose class is lock is unlocked when it is on", () => {
    using hub = rig();
    expect(said(hub.registry, { front: { type: "boolean", class: "lock" } }, { front: true }).locked).toBe(false);
  });

  test.each(["door", "garage_door", "opening", "window"])("of class %s is open when it is on", (kind) => {
    using hub = rig();
    expect(said(hub.registry, { gpio_4: { type: "boolean", class: kind } }, { gpio_4: true }).open).toBe(true);
  });

  test("that nobody describes is known by its name", () => {
    using hub = rig();
    hub.registry.state("it", { contact: true, occupancy: true, water_leak: false }, { ...partial, partial: false });
    expect(hub.registry.get("it").attributes).toMatchObject({ open: false, motion: true, leak: false });
    hub.registry.state("other", { contact: true, open: true }, partial);
    expect(hub.registry.get("other").attributes).toEqual({ contact: true, open: true });
  });

  test("has no word for a value between the two, and none once its contact is unknown", () => {
    using hub = rig();
    said(hub.registry, DOOR, { contact: false });
    expect(said(hub.registry, DOOR, { contact: "ajar" })).toMatchObject({ contact: "ajar", open: true });
    expect(said(hub.registry, DOOR, { contact: null })).toEqual({});
  });
});

describe("a measured value", () => {
  test("is in the shared unit under its word, and in the device's own beside it", () => {
    using hub = rig();
    // Aqara WSDCGQ11LM.
    const weather = { temperature: { type: "number", unit: "°C" }, pressure: { type: "number", unit: "kPa" } };
    expect(said(hub.registry, weather, { temperature: 21.5, pressure: 101.3 })).toEqual({
      ...{ temperature: 21.5, pressure_kpa: 101.3, pressure: 1013 },
    });
    expect(propertiesOf(hub.registry).pressure_kpa).toMatchObject({ unit: "kPa" });
    expect(propertiesOf(hub.registry).pressure).toMatchObject({ unit: "hPa", of: "pressure_kpa" });
  });

  test("of how the device itself fares is no word of the house", () => {
    using hub = rig();
    const report = { voltage: 3015, battery: 100, device_temperature: 23 };
    expect(said(hub.registry, DOOR, report)).toEqual(report);
    expect(propertiesOf(hub.registry).voltage).not.toHaveProperty("word");
    expect(propertiesOf(hub.registry).battery).toMatchObject({ word: "battery" });
  });

  test.each([
    ["temperature", "°F", 72, 22.22],
    ["temperature", "K", 293.15, 20],
    ["pressure", "kPa", 101.3, 1013],
    ["pressure", "inHg", 29.92, 1013.21],
    ["pressure", "mmHg", 760, 1013.25],
    ["current", "mA", 215, 0.215],
    ["energy", "Wh", 1234, 1.234],
    ["power", "kW", 2.5, 2500],
    ["pm25", "mg/m³", 0.012, 12],
  ])("%s in %s: %d is %d", (name, unit, value, wanted) => {
    using hub = rig();
    expect(said(hub.registry, { [name]: { type: "number", unit } }, { [name]: value })[name]).toBe(wanted);
  });

  test("in a unit that does not exist, or with a class that does not, stays what it is", () => {
    using hub = rig();
    const odd = { temperature: { type: "number", unit: "furlong" }, x: { type: "number", class: "mood", unit: "°C" } };
    expect(said(hub.registry, odd, { temperature: 3, x: 4 })).toEqual({ temperature: 3, x: 4 });
    expect(propertiesOf(hub.registry).temperature).not.toHaveProperty("word");
  });

  test("is known by its class where its name says something else, but not of the device itself", () => {
    using hub = rig();
    const esphome = { bme280_temperature: { type: "number", unit: "°F", class: "temperature" } };
    expect(said(hub.registry, esphome, { bme280_temperature: 50 }).temperature).toBe(10);
    using other = rig();
    const chip = { chip: { type: "number", unit: "°C", class: "temperature", category: "diagnostic" } };
    expect(said(other.registry, chip, { chip: 50 })).toEqual({ chip: 50 });
  });
});

describe("what comes several times", () => {
  test("is named by its part, and the whole has none", () => {
    using hub = rig();
    const detector = {
      water_leak_alarm_1: { type: "boolean", class: "moisture" },
      water_leak_alarm_2: { type: "boolean", class: "moisture" },
    };
    const attributes = said(hub.registry, detector, { water_leak_alarm_1: false, water_leak_alarm_2: true });
    expect(attributes).toMatchObject({ leak_alarm_1: false, leak_alarm_2: true });
    expect(attributes).not.toHaveProperty("leak");
  });

  test("keeps the whole where the device says what it is", () => {
    using hub = rig();
    const weather = {
      temperature: { type: "number", unit: "°C", class: "temperature" },
      soil_temperature: { type: "number", unit: "°C", class: "temperature" },
    };
    const attributes = said(hub.registry, weather, { temperature: 20, soil_temperature: 11 });
    expect(attributes).toEqual({ temperature: 20, soil_temperature: 11 });
  });

  test("with the same name for two things loses neither", () => {
    using hub = rig();
    const doubled = {
      leak_1: { type: "boolean", class: "moisture", part: "1" },
      water_leak_1: { type: "boolean", class: "moisture", part: "1" },
    };
    expect(said(hub.registry, doubled, { leak_1: true, water_leak_1: false })).toMatchObject({
      leak_1: true,
      water_leak_1: false,
    });
  });
});

describe("what a device says of itself", () => {
  test("is compared as it says it: the same again is no news", () => {
    using hub = rig();
    said(hub.registry, DOOR, { contact: true });
    const known = hub.registry.get("it").details;
    hub.registry.schema("it", sensed(DOOR), "zigbee");
    expect(hub.registry.get("it").details).toBe(known);
    using again = hub.restarted();
    again.registry.state("it", { contact: false }, partial);
    expect(again.registry.get("it").attributes).toMatchObject({ contact: false, open: true });
    again.registry.schema("it", sensed(DOOR), "zigbee");
    expect(again.registry.get("it").details).toEqual(known);
    expect(again.renamed).toEqual([]);
  });

  test("may come as capabilities, with its registration", () => {
    using hub = rig();
    const registration = { device_id: "it", capabilities: sensed({ occupancy: { type: "boolean" } }) };
    hub.registry.register(registration, "zigbee");
    hub.registry.state("it", { occupancy: true }, partial);
    expect(hub.registry.get("it").attributes).toEqual({ occupancy: true, motion: true });
    hub.registry.register(registration, "zigbee");
    expect(hub.registry.get("it").details.capabilities?.properties).toHaveProperty("motion");
  });

  test("gives words to what is known already, without an event", () => {
    using hub = rig();
    hub.registry.state("it", { gpio_4: true }, partial);
    const before = hub.events.length;
    hub.registry.schema("it", sensed({ gpio_4: { type: "boolean", class: "window" } }), "zigbee");
    expect(hub.registry.get("it").attributes).toEqual({ gpio_4: true, open: true });
    expect(hub.events).toHaveLength(before);
  });
});

test("what a former version kept turned round is turned, once, and said", () => {
  using hub = rig();
  // As that version kept it: `contact` was true while the door was open, and nothing had words.
  const { contact, ...rest }: Record<string, JsonObject> = { ...DOOR, pressure: { type: "number", unit: "kPa" } };
  const { class: _, inverted: __, ...plain } = contact as JsonObject;
  hub.registry.schema("it", {}, "zigbee");
  hub.registry.state("it", { contact: true, pressure: 101 }, partial);
  hub.clock.advance(60_000);
  const before = JSON.stringify({ schema: sensed({ contact: plain, ...rest }) });
  hub.db.relaxed.query("UPDATE devices SET details = ? WHERE id = 'it'").run(before);
  const attributes = JSON.stringify({ contact: true, pressure: 101 });
  hub.db.relaxed.query("UPDATE device_state SET attributes = ? WHERE device_id = 'it'").run(attributes);
  using after = hub.restarted();
  after.registry.schema("it", sensed({ ...DOOR, pressure: { type: "number", unit: "kPa" } }), "zigbee");
  expect(after.registry.get("it").attributes).toEqual({
    contact: false,
    open: true,
    pressure_kpa: 101,
    pressure: 1010,
  });
  expect(after.renamed).toEqual([
    { deviceId: "it", from: "contact", to: "open" },
    { deviceId: "it", from: "pressure", to: "pressure_kpa" },
  ]);
  expect(after.events).toEqual([]);
  using again = after.restarted();
  again.registry.schema("it", sensed({ ...DOOR, pressure: { type: "number", unit: "kPa" } }), "zigbee");
  expect(again.renamed).toEqual([]);
  expect(again.registry.get("it").attributes).toMatchObject({ contact: false, open: true });
});
