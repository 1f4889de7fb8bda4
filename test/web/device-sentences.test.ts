// Real devices, as zigbee2mqtt announces them, from their message up to the sentence that a person reads, in both languages.
import "./browser.ts";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Device } from "../../src/page/model/device/device.ts";
import { iconOf, stateInWords } from "../../src/page/model/device/kinds.ts";
import { isLow } from "../../src/page/model/device/sensor-words.ts";
import { setLanguage } from "../../src/page/texts/index.ts";
import { createRig } from "../house/discovery/rig.ts";

interface Model {
  model: string;
  vendor: string;
  exposes: unknown[];
}

const models = (await Bun.file(join(import.meta.dir, "real-devices.jsonl")).text())
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Model);

const ADDRESS = "0x00158d0000000001";

/** The device as the hub answers for it, after this message. */
async function announced(model: string, message: object): Promise<Device> {
  const definition = models.find((one) => one.model === model);
  if (!definition) throw new Error(`no such model: ${model}`);
  using rig = createRig();
  const member = { ieee_address: ADDRESS, type: "EndDevice", friendly_name: "One", supported: true };
  rig.publish("zigbee2mqtt/bridge/state", '{"state":"online"}', { retain: true });
  rig.publish("zigbee2mqtt/bridge/devices", [{ ...member, definition }], { retain: true });
  await rig.clock.advance(200);
  rig.publish("zigbee2mqtt/One", message);
  await rig.clock.advance(200);
  const { attributes, details, deviceType = null } = rig.registry.get(ADDRESS);
  return {
    ...{ id: ADDRESS, name: "One", plugin_id: "z2m", area: null, device_type: deviceType, available: true, attributes },
    ...{ last_seen: null, last_changed: {}, schema: details.schema ?? null, capabilities: null, history: true },
    ...{ manufacturer: null, model, sw_version: null, parent_device_id: null },
  };
}

afterAll(() => setLanguage("en"));

type Row = [model: string, message: object, english: string, german: string];

async function says([model, message, english, german]: Row): Promise<void> {
  const device = await announced(model, message);
  const found: string[] = [];
  for (const language of ["en", "de"] as const) {
    await setLanguage(language);
    found.push(stateInWords(device, device.attributes));
  }
  expect(found).toEqual([english, german]);
}

describe("alarms", () => {
  const rows: Row[] = [
    [
      "HALO",
      { smoke: false, carbon_monoxide: true, state_light: "OFF", battery: 90 },
      "Carbon monoxide! · Light: off",
      "Kohlenmonoxid! · Licht: aus",
    ],
    [
      "HALO",
      { smoke: false, carbon_monoxide: false },
      "No smoke · No carbon monoxide",
      "Kein Rauch · Kein Kohlenmonoxid",
    ],
    ["HALO", { smoke: null, carbon_monoxide: null, temperature: 21 }, "21 °C", "21 °C"],
    [
      "HALO",
      { smoke: true, carbon_monoxide: true, tamper: true, temperature: 21 },
      "Smoke! · Carbon monoxide! · Tampering!",
      "Rauch! · Kohlenmonoxid! · Sabotage!",
    ],
    ["TS0601_smoke_co", { smoke: false, carbon_monoxide: true }, "Carbon monoxide!", "Kohlenmonoxid!"],
    ["TS0601_smoke_co", { carbon_monoxide: false }, "No carbon monoxide", "Kein Kohlenmonoxid"],
    ["DCR-CO", { carbon_monoxide: "ON", co: 80 }, "Carbon monoxide!", "Kohlenmonoxid!"],
    ["DCR-CO", { carbon_monoxide: "OFF", co: 0 }, "No carbon monoxide", "Kein Kohlenmonoxid"],
    ["HS1CA-E", { carbon_monoxide: true, battery: 80 }, "Carbon monoxide!", "Kohlenmonoxid!"],
    ["HS1CA-E", { battery: 80 }, "Battery 80 %", "Batterie 80 %"],
    ["ZG-225Z", { gas: true, gas_value: 12 }, "Gas!", "Gas!"],
    ["ZG-225Z", { gas: false, gas_value: 0 }, "No gas", "Kein Gas"],
    ["83633206", { water_leak_alarm_1: true, water_leak_alarm_2: false }, "Water at alarm 1!", "Wasser bei Alarm 1!"],
    [
      "83633206",
      { water_leak_alarm_1: false, water_leak_alarm_2: false },
      "Dry at alarm 1 · Dry at alarm 2",
      "Trocken bei Alarm 1 · Trocken bei Alarm 2",
    ],
    ["83633206", { tamper: false }, "No tampering", "Keine Sabotage"],
    ["SEB01ZB", { sos: true }, "Danger!", "Gefahr!"],
    ["SEB01ZB", { sos: false }, "Safe", "Sicher"],
    ["NAS-PD07", { tamper: true, occupancy: false }, "Tampering! · No motion", "Sabotage! · Keine Bewegung"],
    ["HS-SEDR00ZB-VNM", { contact: false, tamper: true }, "Tampering! · Open", "Sabotage! · Offen"],
  ];
  test.each(rows)("%s %j: %s", (model, message, english, german) => says([model, message, english, german]));
});

describe("doors, locks and others", () => {
  const rows: Row[] = [
    ["MCCGQ11LM", { contact: false, battery: 80 }, "Open", "Offen"],
    ["MCCGQ11LM", { contact: true, battery: 80 }, "Closed", "Zu"],
    ["3RDTS01056Z", { contact: false }, "Open", "Offen"],
    ["3RDTS01056Z", { contact: true }, "Closed", "Zu"],
    ["YMI70A", { state: "LOCK", lock_state: "locked" }, "Locked", "Abgeschlossen"],
    ["YMI70A", { state: "UNLOCK", lock_state: "unlocked" }, "Unlocked", "Aufgeschlossen"],
    ["YMI70A", { state: "LOCK", lock_state: "not_fully_locked" }, "Jammed!", "Klemmt!"],
    [
      "TS0601_thermostat_1",
      { window: "OPEN", local_temperature: 19.5, system_mode: "heat", running_state: "idle", position: 30 },
      "Idle · Window open · 19.5 °C",
      "Ruht · Fenster offen · 19,5 °C",
    ],
    [
      "TS0601_thermostat_1",
      { window: "CLOSE", local_temperature: 19.5, system_mode: "heat", running_state: "idle", position: 30 },
      "Idle · 19.5 °C",
      "Ruht · 19,5 °C",
    ],
    [
      "H10",
      { state_l1: "ON", state_l2: "OFF", local_temperature_th1: 20.5, local_temperature_th10: 18 },
      "1 of 2 on · 1: 20.5 °C · 10: 18 °C",
      "1 von 2 an · 1: 20,5 °C · 10: 18 °C",
    ],
    ["SIRZB-111", { battery_low: false, test: false }, "Test: No", "Test: Nein"],
    ["EFR32MG21.Router.2", { linkquality: 80 }, "Signal 80 lqi", "Signal 80 lqi"],
    ["EFR32MG21.Router.2", {}, "Nothing reported yet", "Noch nichts gemeldet"],
  ];
  test.each(rows)("%s %j: %s", (model, message, english, german) => says([model, message, english, german]));
});

test("a low battery is seen, however the device reports it", async () => {
  const low = async (model: string, message: object): Promise<boolean> => isLow(await announced(model, message));
  expect(await low("HS-SEDR00ZB-VNM", { battery_low: true })).toBe(true);
  expect(await low("HS-SEDR00ZB-VNM", { battery_low: false })).toBe(false);
  expect(await low("MCCGQ11LM", { battery: 12 })).toBe(true);
  expect(await low("MCCGQ11LM", { battery: 82 })).toBe(false);
});

test("an alarm is seen in the picture as well", async () => {
  expect(iconOf(await announced("MCCGQ11LM", { contact: true }))).toBe("door");
  expect(iconOf(await announced("HS-SEDR00ZB-VNM", { contact: true, tamper: true }))).toBe("alert");
});
