// What a device senses, in the words that all devices share: the one place that knows which of its attributes says what. The hub
// marks them (`word`, `part`, `of`); of what is not marked the class decides, and of what says nothing of itself the name.

import { type Device, propertiesOf, propertyOf } from "./device.ts";
import type { IconName } from "./icon-name.ts";
import type { Attributes, Json } from "./json.ts";
import { type Property, replacedIn } from "./schema.ts";

interface Kind {
  icon: IconName;
  /** Comes before all else while it is on; `act` and `look` ask for attention, and `notify` does not. */
  first?: "act" | "look" | "notify";
  /** Said while it is off as well. */
  isMain?: true;
}

/** What is on or off, in the order of tiles; `kind.NAME.true` and `.false` say how it is. */
const KINDS: Readonly<Record<string, Kind>> = {
  smoke: { icon: "bell", first: "act", isMain: true },
  carbon_monoxide: { icon: "bell", first: "act", isMain: true },
  gas: { icon: "bell", first: "act", isMain: true },
  safety: { icon: "bell", first: "act", isMain: true },
  heat: { icon: "temperature", first: "act" },
  leak: { icon: "valve", first: "act", isMain: true },
  tamper: { icon: "bell", first: "act" },
  problem: { icon: "bell", first: "look" },
  cold: { icon: "temperature", first: "look" },
  vibration: { icon: "activity", first: "notify" },
  sound: { icon: "volume", first: "notify" },
  locked: { icon: "lock", isMain: true },
  open: { icon: "door", isMain: true },
  motion: { icon: "motion", isMain: true },
  presence: { icon: "motion", isMain: true },
  moving: { icon: "motion", isMain: true },
  running: { icon: "activity", isMain: true },
  light: { icon: "light", isMain: true },
  plug: { icon: "plug", isMain: true },
  power: { icon: "plug", isMain: true },
  connectivity: { icon: "activity" },
  battery_charging: { icon: "battery" },
  update: { icon: "up" },
  battery_low: { icon: "battery" },
  on: { icon: "power" },
};
const WORD_OF_CLASS: Readonly<Record<string, string>> = {
  ...{ door: "open", garage_door: "open", opening: "open", window: "open" },
  ...{ moisture: "leak", occupancy: "motion", lock: "locked", battery: "battery_low" },
};
const WORD_OF_NAME: Readonly<Record<string, string>> = {
  ...{ contact: "open", occupancy: "motion", water_leak: "leak" },
  ...{ battery_pct: "battery", battery_level: "battery", power_w: "power" },
};
/** Words that are names too; those of the other kinds mean something only as a class. */
const NAMED = new Set(
  "on open locked motion presence leak smoke gas carbon_monoxide vibration tamper battery_low".split(" "),
);

export interface Meaning {
  word: string;
  /** `true` of it is what the word calls false: a `contact` that is true is not open. */
  isTurned: boolean;
}

/** Undefined for what is neither a shared word nor a class of its own. */
export function meaningOf(name: string, property: Property = {}): Meaning | undefined {
  const { word, class: of = "", inverted = false, type } = property;
  if (word !== undefined) return { word, isTurned: false };
  if (type === undefined || type === "boolean") {
    if (of === "occupancy" && name.includes("presence")) return { word: "presence", isTurned: inverted };
    if (Object.hasOwn(WORD_OF_CLASS, of))
      return { word: WORD_OF_CLASS[of] ?? of, isTurned: inverted !== (of === "lock") };
    if (Object.hasOwn(KINDS, of)) return { word: of, isTurned: inverted };
  }
  const named = Object.hasOwn(WORD_OF_NAME, name) ? WORD_OF_NAME[name] : NAMED.has(name) ? name : undefined;
  if (named !== undefined) return { word: named, isTurned: inverted || name === "contact" };
  return /^on_/.test(name) ? { word: "on", isTurned: false } : undefined;
}

export const isKind = (word: string): boolean => Object.hasOwn(KINDS, word);
export const isReported = (kind: string): boolean => KINDS[kind]?.first !== undefined;

export interface Reading {
  /** The attribute. */
  name: string;
  word: string;
  part: string | undefined;
  /** Of what is on or off, that of the word: `false` for a `contact` that is true. */
  value: Json;
}

/**
 * All that has a value, alarms first. What a better word says is left out, and so are settings and what is hidden, unless
 * `all` is asked for.
 */
export function readingsOf(device: Device, attributes: Attributes, all = false): Reading[] {
  const found = Object.entries(attributes).flatMap(([name, value]): Reading[] => {
    const property = propertyOf(device, name);
    if (value === null || isReplaced(device, name)) return [];
    if (!all && (property.hidden || property.category === "config")) return [];
    const isBoolean = typeof value === "boolean";
    // A name that only sounds like a class is none.
    const { word = isBoolean ? "" : name, isTurned = false } = meaningOf(name, property) ?? {};
    return [{ name, word, part: property.part, value: isTurned && isBoolean ? !value : value }];
  });
  const rank = new Map(Object.keys(KINDS).map((kind, index) => [kind, index]));
  const rankOf = ({ word, value }: Reading): number => (typeof value === "boolean" ? rank.get(word) : undefined) ?? 99;
  return found.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Which of several it is. */
export function partOf(name: string, { part }: Property): string | undefined {
  return part ?? /^on_(\w+)$/.exec(name)?.[1];
}

/** What devices that say nothing of `of` call the same in words of their own. */
const BETTER: Readonly<Record<string, string>> = {
  ...{ brightness: "brightness_pct", color_temp: "color_temp_k", color: "color_rgb", color_xy: "color_rgb" },
  ...{ color_hs: "color_rgb", color_mode: "color_rgb", percentage: "speed_pct", speed: "speed_pct" },
  ...{ volume: "volume_pct", volume_level: "volume_pct", setpoint: "target_temperature" },
  ...{ occupied_heating_setpoint: "target_temperature", current_heating_setpoint: "target_temperature" },
  ...{ local_temperature: "current_temperature", contact: "open", occupancy: "motion", water_leak: "leak" },
};

/** A shared word that the device has says the same. */
export function isReplaced(device: Device, name: string): boolean {
  const { attributes } = device;
  const better = Object.hasOwn(BETTER, name) ? BETTER[name] : undefined;
  if (better !== undefined && Object.hasOwn(attributes, better)) return true;
  return (
    replacedIn(propertiesOf(device))
      .get(name)
      ?.some((derived) => Object.hasOwn(attributes, derived)) === true
  );
}

export interface Alarm {
  severity: "act" | "look" | "notify";
  /** `smoke`, or `jammed`, `triggered` and `siren`. */
  word: string;
  part: string | undefined;
  name: string;
}

/** What is on that comes before all else. */
export function alarmsOf(device: Device, attributes: Attributes): Alarm[] {
  return readingsOf(device, attributes).flatMap(({ name, word, part, value }): Alarm[] => {
    const severity = value === true ? KINDS[word]?.first : undefined;
    if (severity !== undefined) return [{ severity, word, part, name }];
    const other = otherAlarm(device, word, value);
    // A lock that is locked again is not jammed any more, whatever it said before.
    const isOver = other === "jammed" && typeof attributes.locked === "boolean";
    return other === undefined || isOver ? [] : [{ severity: "act", word: other, part, name }];
  });
}

function otherAlarm({ device_type }: Device, word: string, value: Json): string | undefined {
  if (word === "alarm" && value === "triggered") return "triggered";
  if (word === "lock_state" && value === "jammed") return "jammed";
  return word === "on" && value === true && device_type === "siren" ? "siren" : undefined;
}

/** What is on or off and said in both states, without alarms: `open`, `motion`. */
export const isMain = ({ word, value }: Reading): boolean => typeof value === "boolean" && KINDS[word]?.isMain === true;

export const iconOfKind = ({ word, value }: Reading): IconName | undefined =>
  typeof value === "boolean" && word !== "on" ? KINDS[word]?.icon : undefined;

const LOW_PCT = 20;

/** The lowest of its batteries in percent; undefined where none is said so. */
export function batteryOf({ attributes, ...rest }: Device): number | undefined {
  const levels = Object.entries(attributes).flatMap(([name, value]) =>
    typeof value === "number" && isBattery({ attributes, ...rest }, name) ? value : [],
  );
  return levels.length === 0 ? undefined : Math.min(...levels);
}

/** By its level, or by its own word for it. */
export function isLow(device: Device): boolean {
  if ((batteryOf(device) ?? 100) <= LOW_PCT) return true;
  return Object.entries(device.attributes).some(
    ([name, value]) => value === true && meaningOf(name, propertyOf(device, name))?.word === "battery_low",
  );
}

export function isBattery(device: Device, name: string): boolean {
  const word = meaningOf(name, propertyOf(device, name))?.word ?? name;
  return word === "battery" || word === "battery_low";
}
