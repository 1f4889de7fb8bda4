// What devices ask somebody to look at on the start.
import { putDevice } from "../../src/page/state/house/devices.ts";
import "./browser.ts";
import { afterEach, beforeAll, expect, test } from "bun:test";
import type { Device } from "../../src/page/model/device/device.ts";
import type { Attributes } from "../../src/page/model/device/json.ts";
import { matters } from "../../src/page/state/home/attention.ts";
import { noteDevice } from "../../src/page/state/home/device-matters.ts";
import { forgetHouse, takeEvent } from "../../src/page/state/house/house.ts";
import type { HubEvent } from "../../src/page/state/hub/live.ts";
import { loadLater, setLanguage } from "../../src/page/texts/index.ts";

beforeAll(loadLater);

afterEach(async () => {
  forgetHouse();
  await setLanguage("en");
});

function put(name: string, attributes: Attributes, more: Partial<Device> = {}): void {
  putDevice({
    ...{ id: name, name, plugin_id: "z2m", area: null, device_type: null, available: true, attributes },
    ...{ last_seen: null, last_changed: {}, schema: null, capabilities: null, history: true },
    ...{ manufacturer: null, model: null, sw_version: null, parent_device_id: null },
    ...more,
  });
}

function report(name: string, current: Attributes): void {
  const event = {
    ...{ type: "device_state_changed", device_id: name, seq: 1, timestamp: "2026-11-24T08:00:00Z" },
    ...{ current, changed: Object.keys(current) },
  } as unknown as HubEvent;
  takeEvent(event);
  noteDevice(event);
}

const lines = (): string[] => matters.value.map(({ title, severity }) => `${severity}: ${title}`);

test("an alarm is there as soon as it is reported, and gone when it is over", () => {
  put("Hall", { smoke: false, carbon_monoxide: false });
  expect(lines()).toEqual([]);
  report("Hall", { smoke: false, carbon_monoxide: true });
  expect(lines()).toEqual(["act: Hall: carbon monoxide!"]);
  report("Hall", { smoke: false, carbon_monoxide: false });
  expect(lines()).toEqual([]);
});

test("alarms come before all else, also of what is out of reach since", async () => {
  put("Cellar door", { open: true, battery_low: true });
  put("Garden sensor", { battery: 12 });
  put("Lamp", { on: true }, { available: false });
  put("Washing machine", { leak: true, tamper: true }, { available: false });
  put("Front door", { lock_state: "jammed" }, { device_type: "lock" });
  put("House", { alarm: "triggered" }, { device_type: "alarm" });
  put("Dryer", { vibration: true });
  expect(lines()).toEqual([
    "act: Washing machine: water and tampering!",
    "act: Front door: jammed!",
    "act: House: alarm!",
    "look: 2 devices are not reachable",
    "look: 2 batteries are low",
  ]);
  await setLanguage("de");
  expect(lines().slice(0, 3)).toEqual([
    "act: Washing machine: Wasser und Sabotage!",
    "act: Front door: klemmt!",
    "act: House: Alarm!",
  ]);
});

test("a battery that only says that it is low has no level", async () => {
  put("Cellar door", { open: false, battery_low: false });
  report("Cellar door", { open: false, battery_low: true });
  expect(lines()).toEqual(["look: Cellar door: battery low"]);
  await setLanguage("de");
  expect(lines()).toEqual(["look: Cellar door: Batterie schwach"]);
});

test("one of several batteries is enough", () => {
  const battery = (part: string) => ({ type: "boolean", word: "battery_low", part });
  const schema = { properties: { battery_low_1: battery("1"), battery_low_2: battery("2") } };
  put("Valves", { battery_low_1: false, battery_low_2: true }, { schema });
  expect(lines()).toEqual(["look: Valves: battery low"]);
});
