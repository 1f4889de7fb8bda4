// Which shared word a sensor's value is, by its class and unit where its source says them, else by its name: `door` is `open`,
// `moisture` is `leak`, 72 °F are 22.2 `temperature`.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { DEVICE_KINDS } from "./vocabulary.ts";

/** A property of a device's JSON Schema. */
export type Property = JsonObject;

export interface Sense {
  /** The name that its device reports it under. */
  name: string;
  word: string;
  /** Which of several: `l1`; undefined for the whole. */
  part: string | undefined;
  /** Undefined where it is the value as it is. */
  convert: ((value: Json) => Json | undefined) | undefined;
}

const SENSOR_WORDS = new Map(
  DEVICE_KINDS.find(({ kind }) => kind === "sensor")?.words.map((word) => [word.name, word]),
);

export function isSensorWord(name: string): boolean {
  return SENSOR_WORDS.has(name);
}

// Home Assistant's classes of binary sensors; those without a word here are shown by their class.
const WORD_OF_CLASS: Readonly<Record<string, string | null>> = {
  battery: "battery_low",
  battery_charging: null,
  carbon_monoxide: "carbon_monoxide",
  cold: null,
  connectivity: null,
  door: "open",
  garage_door: "open",
  gas: "gas",
  heat: null,
  light: null,
  lock: "locked",
  moisture: "leak",
  motion: "motion",
  moving: null,
  occupancy: "motion",
  opening: "open",
  plug: null,
  power: null,
  presence: "presence",
  problem: null,
  running: null,
  safety: null,
  smoke: "smoke",
  sound: null,
  tamper: "tamper",
  update: null,
  vibration: "vibration",
  window: "open",
};
/** What devices call them. `contact`, of Zigbee, Matter and others, is true while it is closed. */
const WORD_OF_NAME: Readonly<Record<string, string>> = {
  contact: "open",
  occupancy: "motion",
  water_leak: "leak",
};
const CLOSED_WHEN_TRUE = new Set(["contact"]);
const WORD_OF_NUMBER_CLASS: Readonly<Record<string, string>> = {
  temperature: "temperature",
  humidity: "humidity",
  illuminance: "illuminance",
  pressure: "pressure",
  atmospheric_pressure: "pressure",
  carbon_dioxide: "co2",
  pm25: "pm25",
  power: "power",
  energy: "energy",
  voltage: "voltage",
  current: "current",
  battery: "battery",
};

const same = (value: number): number => value;
const by =
  (factor: number, digits = 3) =>
  (value: number): number =>
    rounded(value * factor, digits);
const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** Word → unit of the device → the shared unit. */
const UNITS: Readonly<Record<string, Readonly<Record<string, (value: number) => number>>>> = {
  temperature: {
    "°C": same,
    C: same,
    "℃": same,
    "°F": (value) => rounded((value - 32) / 1.8, 2),
    F: (value) => rounded((value - 32) / 1.8, 2),
    "℉": (value) => rounded((value - 32) / 1.8, 2),
    K: (value) => rounded(value - 273.15, 2),
  },
  humidity: { "%": same },
  illuminance: { lx: same, lux: same, Lux: same, klx: by(1000) },
  pressure: {
    ...{ hPa: same, mbar: same, kPa: by(10, 2), Pa: by(0.01), bar: by(1000, 2), cbar: by(10, 2) },
    ...{ inHg: by(33.8639, 2), mmHg: by(1.333224, 2), psi: by(68.94757, 2) },
  },
  co2: { ppm: same },
  pm25: { "µg/m³": same, "μg/m³": same, "ug/m3": same, "mg/m³": by(1000) },
  power: { W: same, mW: by(0.001, 6), kW: by(1000), MW: by(1_000_000) },
  energy: { kWh: same, Wh: by(0.001, 6), MWh: by(1000), MJ: by(1 / 3.6, 6), GJ: by(1000 / 3.6) },
  voltage: { V: same, mV: by(0.001, 6), kV: by(1000) },
  current: { A: same, mA: by(0.001, 6) },
  battery: { "%": same },
};

/** Undefined for what no shared word is for. */
export function senseOf(name: string, property: Property): Sense | undefined {
  if (property.writeOnly === true) return undefined;
  switch (property.type) {
    case "boolean":
      return noticed(name, property);
    case "number":
    case "integer":
      return measured(name, property);
    default:
      return undefined;
  }
}

function noticed(name: string, property: Property): Sense | undefined {
  const { class: kind, inverted, readOnly } = property;
  const byClass = typeof kind === "string" && Object.hasOwn(WORD_OF_CLASS, kind) ? WORD_OF_CLASS[kind] : undefined;
  if (byClass === null) return undefined;
  const [stem, part] = stemOf(name, property, (one) => Object.hasOwn(WORD_OF_NAME, one) || isNoticed(one));
  const word = byClass === undefined ? (WORD_OF_NAME[stem ?? ""] ?? stem) : wordOfClass(byClass, name);
  if (word === undefined) return undefined;
  // What can be set is a setting, unless it bears the very name: a simulated door.
  if (readOnly !== true && stem !== word) return undefined;
  const isTurned =
    (inverted === true) !== (kind === "lock") || (byClass === undefined && isClosedWhenTrue(stem, inverted));
  const convert = isTurned ? opposite : undefined;
  return { name, word, part: part ?? partOf(property), convert };
}

// Home Assistant has one class for both.
const wordOfClass = (word: string, name: string): string =>
  word === "motion" && name.includes("presence") ? "presence" : word;

const isClosedWhenTrue = (stem: string | undefined, inverted: unknown): boolean =>
  inverted === undefined && CLOSED_WHEN_TRUE.has(stem ?? "");

const isNoticed = (name: string): boolean => SENSOR_WORDS.get(name)?.type === "boolean";
const isMeasured = (name: string): boolean => SENSOR_WORDS.get(name)?.type === "number";

const opposite = (value: Json): Json | undefined => (typeof value === "boolean" ? !value : undefined);

function measured(name: string, property: Property): Sense | undefined {
  const { class: kind, unit, category, readOnly } = property;
  const [stem, part] = stemOf(name, property, isMeasured);
  const byClass =
    typeof kind === "string" && (category === undefined || kind === "battery") ? WORD_OF_NUMBER_CLASS[kind] : undefined;
  // A name of several parts says what it is of: the temperature of the device is not that of the room.
  const word = stem ?? (readOnly === true ? byClass : undefined);
  if (word === undefined || (unit === undefined && stem === undefined)) return undefined;
  // How a device fares is not what it measures: the voltage of its own battery is none of the house.
  if (category !== undefined && word !== "battery") return undefined;
  const convert = unit === undefined ? same : UNITS[word]?.[String(unit)];
  if (!convert || (convert !== same && readOnly !== true)) return undefined;
  return { name, word, part: part ?? partOf(property), convert: convert === same ? undefined : numberBy(convert) };
}

const numberBy =
  (convert: (value: number) => number) =>
  (value: Json): Json | undefined =>
    typeof value === "number" ? convert(value) : undefined;

const partOf = ({ part }: Property): string | undefined => (typeof part === "string" && part !== "" ? part : undefined);

// What ends a name without being said as a part: `temperature_l1`, `occupancy_2`, `water_leak_alarm_1`.
const PART = /^(.+?)_((?:alarm_)?(?:l|ch|ep|zone_?|channel_?)?\d+|left|right|center|top|bottom|[abc]|phase_[abc])$/;

/** The name that `isKnown`, and the part behind it. */
function stemOf(name: string, property: Property, isKnown: (name: string) => boolean): [string?, string?] {
  if (isKnown(name)) return [name];
  const part = partOf(property);
  if (part !== undefined && name.endsWith(`_${part}`)) {
    const stem = name.slice(0, -part.length - 1);
    if (isKnown(stem)) return [stem, part];
  }
  const [, stem, end] = PART.exec(name) ?? [];
  return stem !== undefined && isKnown(stem) ? [stem, end] : [];
}

/** Of what a device does not describe: its name alone says it. */
export const UNDESCRIBED: ReadonlyMap<string, Pick<Sense, "word" | "convert">> = new Map(
  Object.entries(WORD_OF_NAME).map(([name, word]) => [
    name,
    { word, convert: CLOSED_WHEN_TRUE.has(name) ? opposite : undefined },
  ]),
);

export function propertiesIn(schema: JsonObject | undefined): Readonly<Record<string, Property>> | undefined {
  const properties = schema?.properties;
  if (!isObject(properties)) return undefined;
  return Object.fromEntries(Object.entries(properties).filter(([, one]) => isObject(one))) as Record<string, Property>;
}
