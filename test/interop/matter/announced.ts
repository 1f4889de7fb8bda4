// Devices as they announce themselves: five of zigbee2mqtt 2.14.1 and a Tasmota that measures in °F. What they are called and what
// their values mean is theirs, not the hub's.
import { configOf } from "../../house/discovery/tasmota-messages.ts";

const reads = (name: string, unit: string) => ({ type: "numeric", name, property: name, access: 1, unit });
const diagnoses = (name: string, unit: string) => ({ ...reads(name, unit), access: 5, category: "diagnostic" });
const notices = (name: string, [on, off] = [true, false]) => ({
  ...{ type: "binary", name, property: name, access: 1, value_on: on, value_off: off },
});
const battery = [{ ...diagnoses("battery", "%"), value_min: 0, value_max: 100 }, notices("battery_low")];

const ofLight = (one: object) => ({ access: 7, endpoint: "light", ...one });
const LIGHT = {
  ...{ type: "light", endpoint: "light" },
  features: [
    ofLight({ type: "binary", name: "state", property: "state_light", value_on: "ON", value_off: "OFF" }),
    ofLight({ type: "numeric", name: "brightness", property: "brightness_light", value_min: 0, value_max: 254 }),
  ],
};

const COVER = {
  type: "cover",
  features: [
    { type: "enum", name: "state", property: "state", access: 3, values: ["OPEN", "CLOSE", "STOP"] },
    { ...reads("position", "%"), access: 7, value_min: 0, value_max: 100 },
  ],
};

const zigbee = (address: string, name: string, [vendor, model]: readonly [string, string], exposes: object[]) => ({
  ...{ ieee_address: address, type: "EndDevice", friendly_name: name, supported: true, disabled: false },
  ...{ interview_completed: true, definition: { vendor, model, exposes, options: [] } },
});

const COORDINATOR = {
  ...{ ieee_address: "0x00124b00120144ae", type: "Coordinator", friendly_name: "Coordinator", definition: null },
};
const DEVICES = [
  COORDINATOR,
  zigbee(
    "0x897568003a50b18c",
    "Door",
    ["SONOFF", "SNZB-04"],
    [...battery, diagnoses("voltage", "mV"), notices("contact", [false, true])],
  ),
  zigbee(
    "0x1408eeeb028ab25b",
    "Alarm",
    ["Halo Smart Labs", "HALO"],
    [
      ...[...battery, notices("smoke"), notices("carbon_monoxide"), notices("tamper"), LIGHT],
      ...[reads("temperature", "°C"), reads("humidity", "%"), reads("pressure", "kPa")],
    ],
  ),
  zigbee(
    "0x5057ec35149b4a82",
    "Barometer",
    ["EFEKTA", "EFEKTA_DigiBaro"],
    [...[...battery, reads("pressure", "kPa"), reads("temperature", "°C"), reads("humidity", "%")]],
  ),
  zigbee(
    "0x001788010d1e2f30",
    "Remote",
    ["IKEA", "E1812"],
    [
      ...battery,
      {
        ...reads("action", ""),
        type: "enum",
        values: ["on", "off", "left_single", "left_double", "left_hold", "right_hold", "right_release"],
      },
    ],
  ),
  zigbee("0xa4c1380e5f6a7b81", "Curtain", ["Tuya", "TS0601_cover_1"], [COVER]),
];
const INFO = {
  ...{ version: "2.14.1", log_level: "info", permit_join: false, restart_required: false, config: {} },
  coordinator: { ieee_address: COORDINATOR.ieee_address, type: "EmberZNet", meta: {} },
  network: { channel: 15, pan_id: 6754 },
};

const MAC = "DC4F22A1B2C3";
const FAHRENHEIT = { Time: "2026-01-15T12:00:00", SHT3X: { Temperature: 70.7, Humidity: 45.2 }, TempUnit: "F" };

/** Their ids in the hub. */
export const ANNOUNCED: readonly string[] = [...DEVICES.slice(1).map((one) => one.ieee_address), MAC.toLowerCase()];

/** A message that a broker keeps. */
export interface Kept {
  topic: string;
  payload: unknown;
}

export const ANNOUNCEMENTS: readonly Kept[] = [
  { topic: "zigbee2mqtt/bridge/info", payload: INFO },
  { topic: "zigbee2mqtt/bridge/state", payload: { state: "online" } },
  { topic: "zigbee2mqtt/bridge/devices", payload: DEVICES },
  { topic: `tasmota/discovery/${MAC}/config`, payload: configOf(MAC, { dn: "Greenhouse", rl: [0] }) },
  { topic: `tasmota/discovery/${MAC}/sensors`, payload: { sn: FAHRENHEIT, ver: 1 } },
  { topic: `tele/tasmota_${MAC.slice(-6)}/LWT`, payload: "Online" },
];

/** What they report while nothing is wrong: the door is shut. */
export const AT_REST: readonly Kept[] = [
  { topic: "zigbee2mqtt/Door", payload: { contact: true, battery: 75, battery_low: false, voltage: 3000 } },
  {
    topic: "zigbee2mqtt/Alarm",
    payload: {
      ...{ smoke: false, carbon_monoxide: false, tamper: false, battery: 75, battery_low: false, state_light: "OFF" },
      ...{ brightness_light: 191, temperature: 19.5, humidity: 50, pressure: 100.9 },
    },
  },
  {
    topic: "zigbee2mqtt/Barometer",
    payload: { pressure: 101.3, temperature: -3.25, humidity: 81, battery: 90, battery_low: false },
  },
  { topic: "zigbee2mqtt/Remote", payload: { battery: 60, battery_low: false } },
  { topic: "zigbee2mqtt/Curtain", payload: { state: "OPEN", position: 75 } },
  { topic: `tele/tasmota_${MAC.slice(-6)}/SENSOR`, payload: FAHRENHEIT },
];
