// Which of Home Assistant's device classes a property has, as zigbee2mqtt announces to Home Assistant, and which part of its device it is of.
import type { Attribute } from "../../described.ts";
import type { Expose } from "./expose.ts";

const SETTABLE = 2;

// What senses, by name. Not `rain_status` and `valve_state`, which zigbee2mqtt gives the classes of a leak and of an opening: rain is
// no leak, and a valve that opens is no door.
const SENSES: Readonly<Record<string, string>> = {
  garage_door_contact: "garage_door",
  contact: "door",
  window: "window",
  window_open: "window",
  window_open_flag: "window",
  occupancy: "occupancy",
  presence: "occupancy",
  motion: "motion",
  motion_status: "motion",
  water_leak: "moisture",
  leak_detect: "moisture",
  smoke: "smoke",
  gas: "gas",
  carbon_monoxide: "carbon_monoxide",
  vibration: "vibration",
  tamper: "tamper",
  battery_low: "battery",
  battery_status: "battery",
  moving: "moving",
  sos: "safety",
  sos_alarm: "safety",
  alarm: "safety",
  heat: "heat",
  noise_detected: "sound",
  consumer_connected: "plug",
  is_plug_connected: "plug",
  ac_connected: "plug",
  connection_control: "connectivity",
  setup: "running",
  trouble: "problem",
  fault: "problem",
  fault_alarm: "problem",
  device_fault: "problem",
  motor_fault: "problem",
  battery_defect: "problem",
  valve_alarm: "problem",
  dry: "problem",
};
const PART_BEFORE = /^((?:input|channel|zone|area|mmwave_area)_?\d+)_(.+)$/;
const PART_AFTER = /^(.+?)_((?:(?:alarm|l|ch|zone)_?)?\d+|in|out|and|or|up|down|left|right|top|bottom)$/;

const MEASURES: Readonly<Record<string, string>> = {
  temperature: "temperature",
  local_temperature: "temperature",
  external_temperature: "temperature",
  temperature_probe: "temperature",
  device_temperature: "temperature",
  cpu_temperature: "temperature",
  internalTemperature: "temperature",
  apparent_temperature: "temperature",
  dew_point: "temperature",
  humidex: "temperature",
  wind_chill: "temperature",
  humidity: "humidity",
  external_humidity: "humidity",
  illuminance: "illuminance",
  pressure: "atmospheric_pressure",
  co2: "carbon_dioxide",
  pm25: "pm25",
  pm10: "pm10",
  power: "power",
  energy: "energy",
  voltage: "voltage",
  voltage_phase_b: "voltage",
  voltage_phase_c: "voltage",
  battery_voltage: "voltage",
  current: "current",
  battery: "battery",
  battery2: "battery",
  soil_moisture: "moisture",
  ac_frequency: "frequency",
  power_factor: "power_factor",
  distance: "distance",
  noise: "sound_pressure",
};
const CLASS_OF_UNIT: Readonly<Record<string, string>> = {
  ...{ Wh: "energy", kWh: "energy" },
  ...{ A: "current", mA: "current" },
  ...{ mW: "power", W: "power", kW: "power" },
};
// How the device fares, not its room; also where it does not say so.
const DIAGNOSTIC = new Set([
  "battery_voltage",
  "battery2",
  "cpu_temperature",
  "device_temperature",
  "internalTemperature",
  "power_factor",
]);

type Classed = Pick<Attribute, "class" | "inverted" | "part" | "category">;

/** `kind`: the light, cover, … that it is a feature of. */
export function classOf(expose: Expose, kind: string | undefined): Classed {
  const { type, property = "", endpoint, access } = expose;
  const part = endpoint !== undefined && property.endsWith(`_${endpoint}`) ? { part: endpoint } : {};
  if (kind !== undefined && kind !== "climate") return part;
  const name = expose.name ?? property;
  const said = expose.deviceClass === undefined ? {} : { class: expose.deviceClass };
  if (type === "binary" && ((access & SETTABLE) === 0 || isContact(expose)))
    return { ...part, ...sensed(name, expose), ...said };
  return type === "numeric" ? { ...part, ...measured(name, expose), ...said } : part;
}

/** Nobody closes a contact by a command, though one model says that it takes one. */
export function isContact({ type, name, property = name }: Expose): boolean {
  return type === "binary" && /(^|_)contact$/.test(property ?? "");
}

function sensed(name: string, { value_on: on, property = name }: Expose): Classed {
  const [stem, part] = stemOf(name, property);
  const found = stem === undefined ? undefined : SENSES[stem];
  if (stem === undefined || found === undefined) return {};
  // A contact that is made is one that is closed, also where the bridge calls that on.
  const isInverted = on === false || stem.endsWith("contact");
  return { class: found, ...(part !== undefined && { part }), ...(isInverted && { inverted: true as const }) };
}

/** `input_3_leak_detect` is that of `input_3`, `gas_alarm_1` that of `alarm_1`. What has a name of another kind has a property. */
function stemOf(name: string, property: string): [string?, string?] {
  if (name !== property && !/^[a-z\d_]+$/.test(name)) return stemOf(property, property);
  if (Object.hasOwn(SENSES, name)) return [name];
  const [, before, rest = ""] = PART_BEFORE.exec(name) ?? [];
  if (Object.hasOwn(SENSES, rest)) return [rest, before];
  const [, stem = "", following] = PART_AFTER.exec(name) ?? [];
  // `alarm_1` of a pump is that its water runs short.
  return Object.hasOwn(SENSES, stem) && !/^alarm_\d+$/.test(name) ? [stem, following] : [];
}

function measured(name: string, { unit, access, category }: Expose): Classed {
  const known = Object.hasOwn(MEASURES, name) ? MEASURES[name] : undefined;
  const isSet = (access & SETTABLE) !== 0;
  const found = isSet ? (known === "temperature" ? known : undefined) : (CLASS_OF_UNIT[unit ?? ""] ?? known);
  return {
    ...(found !== undefined && unit !== undefined && { class: found }),
    ...(DIAGNOSTIC.has(name) && category === undefined && { category: "diagnostic" as const }),
  };
}
