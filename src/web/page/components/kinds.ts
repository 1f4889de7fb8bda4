// What a device is to a person: its icon, its state in words, and what it measures.
import type { Attributes, Device } from "../state/house.ts";
import { propertyOf } from "../state/house.ts";
import { formatNumber, formatTime, t, textFor } from "../texts/index.ts";
import { controlsOf, isShown, type Range, shareOf } from "./controls.ts";
import type { IconName } from "./icon.tsx";

const ICON_OF_TYPE: Readonly<Record<string, IconName>> = {
  light: "light",
  switch: "switch",
  outlet: "plug",
  cover: "blinds",
  climate: "temperature",
  thermostat: "temperature",
  lock: "lock",
  fan: "fan",
  vacuum: "vacuum",
  valve: "valve",
  media: "volume",
  media_player: "volume",
  button: "button",
  timer: "timer",
  mode: "mode",
  schedule: "timer",
  calendar: "activity",
  siren: "alert",
};
// The first that a device has says what it is about.
const MEASURED: readonly [string, IconName][] = [
  ["current_temperature", "temperature"],
  ["temperature", "temperature"],
  ["humidity", "humidity"],
  ["occupancy", "motion"],
  ["motion", "motion"],
  ["presence", "motion"],
  ["contact", "door"],
  ["open", "door"],
  ["leak", "valve"],
  ["water_leak", "valve"],
  ["smoke", "alert"],
  ["power", "plug"],
  ["power_w", "plug"],
  ["energy", "plug"],
  ["illuminance", "light"],
  ["co2", "gauge"],
  ["pm25", "gauge"],
  ["pressure", "gauge"],
  ["usage_pct", "gauge"],
];
const BATTERIES = ["battery_pct", "battery", "battery_level"];

export function iconOf(device: Device): IconName {
  const byType = ICON_OF_TYPE[device.device_type ?? ""];
  return byType ?? MEASURED.find(([name]) => Object.hasOwn(device.attributes, name))?.[1] ?? "gauge";
}

/** Percent; undefined where it has no battery. */
export function batteryOf({ attributes }: Device): number | undefined {
  return BATTERIES.map((name) => attributes[name]).find((level) => typeof level === "number");
}

/** Whether the device's own colour may show that it does something. */
export function isActive({ on, locked, open, moving, state, heating, action }: Attributes): boolean {
  if (on === false) return false;
  const moves = moving === true || moving === "opening" || moving === "closing";
  const works = heating === true || action === "heating" || action === "cooling" || state === "cleaning";
  return on === true || locked === false || open === true || moves || works || state === "started";
}

/** `On · 60 %`, `21.4 °C`. Undefined where there is nothing to say yet. */
export function stateInWords(device: Device, attributes: Attributes): string {
  const known = [...mainWords(device, attributes), ...measuredWords(device, attributes)];
  const parts = known.length > 0 ? known : otherWords(device, attributes);
  return parts.length === 0 ? t("state.unknown") : [...new Set(parts)].slice(0, 3).join(" · ");
}

function mainWords(device: Device, attributes: Attributes): string[] {
  if (device.device_type === "schedule") return scheduleWords(attributes);
  const { on, position, moving, locked, contact, open, state, action, title } = attributes;
  const words: string[] = [];
  if (on === true && device.device_type === "calendar" && typeof title === "string") words.push(title);
  else if (typeof on === "boolean") words.push(t(on ? "state.on" : "state.off"));
  else words.push(...gangWords(attributes));
  const level = controlsOf(device, attributes).find(
    (one): one is Range => one.kind === "range" && ["brightness", "speed", "volume"].includes(one.say),
  );
  if (on !== false && level?.value !== undefined) words.push(`${formatNumber(shareOf(level, level.value), 0)} %`);
  if (moving === "opening" || moving === "closing") words.push(t(`state.${moving}`));
  if (typeof position === "number") words.push(positionInWords(position));
  if (typeof locked === "boolean") words.push(t(locked ? "state.locked" : "state.unlocked"));
  if (typeof contact === "boolean") words.push(t(contact ? "state.closed" : "state.open"));
  if (typeof open === "boolean") words.push(t(open ? "state.open" : "state.closed"));
  for (const name of ["motion", "occupancy", "presence"] as const)
    if (typeof attributes[name] === "boolean") words.push(t(attributes[name] ? "state.motion" : "state.quiet"));
  for (const name of ["leak", "water_leak"] as const)
    if (typeof attributes[name] === "boolean") words.push(t(attributes[name] ? "state.wet" : "state.dry"));
  if (typeof attributes.smoke === "boolean") words.push(t(attributes.smoke ? "state.smoke" : "state.no_smoke"));
  if (attributes.heating === true) words.push(t("state.heating"));
  for (const word of [action, state]) if (words.length === 0 && typeof word === "string") words.push(wordFor(word));
  return words;
}

function scheduleWords({ on, enabled, next_change: next }: Attributes): string[] {
  if (enabled === false) return [t("state.not_followed")];
  const now = t(on === true ? "state.on" : "state.off");
  return typeof next === "string" && Date.parse(next) > 0 ? [now, t("state.until", { time: formatTime(next) })] : [now];
}

/** Of a device with several switches. */
function gangWords(attributes: Attributes): string[] {
  const gangs = Object.entries(attributes).filter(([name, on]) => name.startsWith("on_") && typeof on === "boolean");
  const count = gangs.filter(([, on]) => on === true).length;
  return gangs.length > 0 ? [t("state.some_on", { count, all: gangs.length })] : [];
}

function positionInWords(position: number): string {
  if (position === 0) return t("state.closed");
  return position === 100 ? t("state.open") : t("state.open_by", { percent: formatNumber(position, 0) });
}

/** A word that devices use, in the reader's language where it is known. */
export function wordFor(word: string): string {
  return textFor(`state.${word}`) ?? word.replaceAll("_", " ");
}

/** What it is called that is set or measured, in the reader's language where it is known. */
export function attributeName(device: Device, attribute: string): string {
  const { title } = propertyOf(device, attribute);
  const part = /^on_l?(\w+)$/.exec(attribute)?.[1];
  if (part !== undefined) return t("attribute.on_part", { part });
  return textFor(`attribute.${attribute}`) ?? title ?? capitalized(attribute.replaceAll("_", " "));
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function measuredWords(device: Device, attributes: Attributes): string[] {
  return MEASURED.flatMap(([name]) => {
    const value = attributes[name];
    return typeof value === "number" && Number.isFinite(value) && isShown(device, name)
      ? [measureInWords(device, name, value)]
      : [];
  });
}

/** Of a device that measures something of its own, by the names that it gives. */
function otherWords(device: Device, attributes: Attributes): string[] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    typeof value === "number" && Number.isFinite(value) && isShown(device, name) && !BATTERIES.includes(name)
      ? [`${attributeName(device, name.replace(/_pct$/, ""))} ${measureInWords(device, name, value)}`]
      : [],
  );
}

export function measureInWords(device: Device, name: string, value: number): string {
  const unit = propertyOf(device, name).unit ?? UNITS[name] ?? (name.endsWith("_pct") ? "%" : "");
  // Nothing in a house is that large: some device reports nonsense, and its tile keeps its size.
  const text = Math.abs(value) < MOST ? formatNumber(value, 1) : value.toExponential(1);
  return `${text} ${unit}`.trimEnd();
}

const MOST = 1e12;
const UNITS: Readonly<Record<string, string>> = {
  temperature: "°C",
  current_temperature: "°C",
  humidity: "%",
  battery_pct: "%",
  battery: "%",
  power_w: "W",
  usage_pct: "%",
};

/** What its line is drawn of; undefined for a device that measures nothing. */
export function plottedOf(device: Device): string | undefined {
  const { attributes } = device;
  const known = MEASURED.find(([name]) => typeof attributes[name] === "number" && isShown(device, name));
  return known?.[0];
}

/** Whether a person would look for it on the start. */
export function hasSomethingToShow(device: Device): boolean {
  const { attributes } = device;
  if (controlsOf(device, attributes).length > 0) return true;
  return Object.keys(attributes).some((name) => isShown(device, name) && !BATTERIES.includes(name));
}
