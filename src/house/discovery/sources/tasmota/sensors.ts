// A Tasmota's sensors, as `tasmota/discovery/MAC/sensors` shows them: nested by chip, with lists for several phases.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";
import { numberIn } from "../../numbers.ts";
import { type Press, pressWith } from "../../presses.ts";
import { READABLE } from "./channel.ts";

export interface Sensor {
  path: readonly (string | number)[];
  attribute: Attribute;
}

const MAX_SENSORS = 200;
// Readers of tags say what they read just now: no sensors.
const READERS = ["RDM6300", "PN532"];
const SHUTTER = /^Shutter\d+$/;
// The processor's own temperature, which nobody means.
const PROCESSORS = new Set(["ESP32"]);

// Unit and class of what Tasmota measures. Units that the owner chooses are in the message itself.
const QUANTITIES = new Map<string, readonly [unit: string, kind?: string]>(
  Object.entries({
    ...{ Temperature: ["TempUnit", "temperature"], DewPoint: ["TempUnit"], Humidity: ["%", "humidity"] },
    ...{ Pressure: ["PressureUnit", "pressure"], SeaPressure: ["PressureUnit", "pressure"], Speed: ["SpeedUnit"] },
    ...{ Power: ["W", "power"], ApparentPower: ["VA"], ReactivePower: ["var"], Factor: [""], Frequency: ["Hz"] },
    ...{ Voltage: ["V", "voltage"], Current: ["A", "current"], CurrentNeutral: ["A", "current"], PhaseAngle: ["°"] },
    ...{ Total: ["kWh", "energy"], Today: ["kWh", "energy"], Yesterday: ["kWh", "energy"], Energy: ["kWh", "energy"] },
    ...{ ImportActive: ["kWh", "energy"], ExportActive: ["kWh", "energy"], Period: ["Wh"] },
    ...{ ImportReactive: ["kvarh"], ExportReactive: ["kvarh"], ActivePower: ["W", "power"], Weight: ["kg"] },
    ...{ Illuminance: ["lx", "illuminance"], Ambient: ["lx", "illuminance"], Distance: ["cm"], Moisture: ["%"] },
    ...{
      CarbonDioxide: ["ppm", "carbon_dioxide"],
      eCO2: ["ppm"],
      TVOC: ["ppb"],
      Battery: ["%", "battery"],
      CCT: ["K"],
    },
    ...{
      PM1: ["µg/m³"],
      "PM2.5": ["µg/m³", "pm25"],
      PM10: ["µg/m³", "pm10"],
      CF1: ["µg/m³"],
      "CF2.5": ["µg/m³"],
      CF10: ["µg/m³"],
    },
  }),
);
const CHOSEN: readonly string[] = ["TempUnit", "PressureUnit", "SpeedUnit"];
const DEGREES: readonly (Json | undefined)[] = ["C", "F"];
const TOTAL = "energy_total";
// Of the meter only: what it counted, rather than what flows now.
const COUNTED = /^(Total|Today|Yesterday|Import|Export|Period)/;

interface Leaf {
  path: (string | number)[];
  chip: string;
  quantity: string;
  value: Json;
}

/** `sn`: of the announcement. */
export function sensorsOf(sn: Json | undefined): Sensor[] {
  if (!isObject(sn)) return [];
  const leaves = Object.entries(sn).flatMap(([chip, values]) => (isObject(values) ? leavesOf(chip, values) : []));
  const found = leaves.slice(0, MAX_SENSORS).map((leaf) => sensorOf(leaf, sn, nameOf(leaf, leaves)));
  const names = new Set<string>();
  return [...found, ...totalOf(found), ...contactsOf(sn)].filter(
    ({ attribute: { name } }) => !names.has(name) && names.add(name),
  );
}

/** What a meter has counted in all is its `energy`, beside that of today and of yesterday. */
function totalOf(sensors: readonly Sensor[]): Sensor[] {
  return sensors.flatMap(({ path, attribute }) => {
    if (attribute.name !== TOTAL || attribute.type !== "number") return [];
    return { path, attribute: { ...attribute, name: "energy", derived: true as const, of: TOTAL, word: "energy" } };
  });
}

/** `sensor`: of SENSOR. */
export function readSensors(sensors: readonly Sensor[], sensor: JsonObject): JsonObject {
  const read: JsonObject = {};
  for (const { path, attribute } of sensors) {
    const value = valueAt(sensor, path);
    const decoded =
      attribute.type === "number"
        ? (numberIn(value) ?? (value === null ? null : undefined))
        : attribute.type === "boolean"
          ? onOff(value)
          : typeof value === "string"
            ? value
            : undefined;
    if (decoded !== undefined) read[attribute.name] = decoded;
  }
  return read;
}

/** `"RDM6300":{"UID":"04339F7B"}`: a tag was held to the reader. */
export function tagsIn(sensor: JsonObject): Press[] {
  return READERS.flatMap((reader) => {
    const { [reader]: values } = sensor;
    const { UID: uid, ...data } = isObject(values) ? values : {};
    return typeof uid === "string" && /^[\w-]{1,64}$/.test(uid) ? [pressWith(`tag_${uid}`, data)] : [];
  });
}

function leavesOf(chip: string, values: JsonObject): Leaf[] {
  if (READERS.includes(chip) || SHUTTER.test(chip)) return [];
  return Object.entries(values).flatMap(([quantity, value]): Leaf[] => {
    const path = [chip, quantity];
    if (quantity === "Id" || quantity === "mac") return [];
    if (Array.isArray(value)) return value.map((one, at) => ({ path: [...path, at], chip, quantity, value: one }));
    if (!isObject(value)) return [{ path, chip, quantity, value }];
    return Object.entries(value).map(([part, one]) => ({ path: [...path, part], chip, quantity, value: one }));
  });
}

/** What only one chip measures needs no name in front; what is no known quantity does. */
function nameOf({ chip, quantity, path }: Leaf, leaves: readonly Leaf[]): string {
  const own = path.slice(1).map((part) => (typeof part === "number" ? String(part + 1) : snake(part)));
  if (chip === "ENERGY") return COUNTED.test(quantity) ? ["energy", ...own].join("_") : own.join("_");
  const isKnown = QUANTITIES.has(kindOf(quantity)) && !PROCESSORS.has(chip);
  const others = leaves.some((one) => one.chip !== chip && one.quantity === quantity && !PROCESSORS.has(one.chip));
  return isKnown && !others ? own.join("_") : [snake(chip), ...own].join("_");
}

function sensorOf({ path, chip, quantity, value }: Leaf, sn: JsonObject, name: string): Sensor {
  const [unit, kind] = QUANTITIES.get(kindOf(quantity)) ?? [];
  const isMeasured = unit !== undefined && !(typeof value === "string" && numberIn(value) === undefined);
  const shown = unit === undefined || !isMeasured ? undefined : chosenUnit(unit, sn);
  return {
    path,
    attribute: {
      ...{ ...READABLE, name, type: isMeasured || typeof value === "number" ? "number" : "string" },
      ...(shown && { unit: shown }),
      ...(kind !== undefined && isMeasured && { class: kind }),
      ...partOf({ path, chip, quantity, value }, name),
      ...(PROCESSORS.has(chip) && { category: "diagnostic" }),
    },
  };
}

/** A phase of a meter, or the chip where several measure the same. */
function partOf({ path, chip, quantity }: Leaf, name: string): Pick<Attribute, "part"> {
  const at = path.at(-1);
  if (typeof at === "number") return { part: String(at + 1) };
  const isChip = QUANTITIES.has(kindOf(quantity)) && name.startsWith(`${snake(chip)}_`) && chip !== "ENERGY";
  return isChip ? { part: snake(chip) } : {};
}

function chosenUnit(unit: string, sn: JsonObject): string {
  if (!CHOSEN.includes(unit)) return unit;
  const { [unit]: chosen } = sn;
  if (DEGREES.includes(chosen)) return `°${chosen}`;
  return typeof chosen === "string" ? chosen.slice(0, 16) : "";
}

/** `"Switch1":"ON"` of a switch that is tied to an output. */
function contactsOf(sn: JsonObject): Sensor[] {
  return Object.entries(sn).flatMap(([key, value]) =>
    onOff(value) === undefined ? [] : [{ path: [key], attribute: { ...READABLE, name: snake(key), type: "boolean" } }],
  );
}

const onOff = (value: Json | undefined): boolean | undefined =>
  value === "ON" ? true : value === "OFF" ? false : undefined;

function valueAt(sensor: JsonObject, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = sensor;
  for (const part of path) {
    if (typeof part === "string") value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    // Of one phase only there is no list.
    else value = Array.isArray(value) ? value[part] : part === 0 ? value : undefined;
  }
  return value;
}

/** `Illuminance1` is an illuminance. */
const kindOf = (quantity: string): string => (QUANTITIES.has(quantity) ? quantity : quantity.replace(/\d+$/, ""));

const snake = (text: string): string =>
  text
    .slice(0, 64)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[^\w]+/g, "_")
    .toLowerCase();
