// What a device is to a person: its icon, its state in words, and what it measures.

import type { TextKey } from "../../texts/catalogue.ts";
import { formatNumber, formatTime, t, textFor } from "../../texts/index.ts";
import { controlsOf, isShown, type Range, shareOf } from "./controls.ts";
import { type Device, propertiesOf, propertyOf } from "./device.ts";
import type { IconName } from "./icon-name.ts";
import type { Attributes } from "./json.ts";
import {
  type Alarm,
  alarmsOf,
  iconOfKind,
  isBattery,
  isKind,
  isMain,
  isReported,
  meaningOf,
  partOf,
  type Reading,
  readingsOf,
} from "./sensor-words.ts";

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
  alarm: "bell",
  alarm_control_panel: "bell",
};
// What is measured, with its unit where none is said; the first that a device has says what it is about.
const MEASURED: readonly [word: string, IconName, unit: string][] = [
  ["current_temperature", "temperature", "°C"],
  ["temperature", "temperature", "°C"],
  ["humidity", "humidity", "%"],
  ["power", "plug", "W"],
  ["energy", "plug", "kWh"],
  ["illuminance", "light", "lx"],
  ["co2", "gauge", "ppm"],
  ["pm25", "gauge", "µg/m³"],
  ["pressure", "gauge", "hPa"],
  ["voltage", "plug", "V"],
  ["current", "plug", "A"],
  ["usage_pct", "gauge", "%"],
];
const UNITS = new Map([
  ...MEASURED.map(([word, , unit]) => [word, unit] as const),
  ["target_temperature", "°C"] as const,
  ["battery", "%"] as const,
]);
const rankOf = ({ word }: Reading): number => MEASURED.findIndex(([one]) => one === word);
const isNumber = ({ value }: Reading): boolean => typeof value === "number" && Number.isFinite(value);

export function iconOf(device: Device): IconName {
  const readings = readingsOf(device, device.attributes);
  if (alarmsOf(device, device.attributes).some(({ severity }) => severity === "act")) return "alert";
  const byType = ICON_OF_TYPE[device.device_type ?? ""];
  if (byType) return byType;
  const measured = measuredOf(device, device.attributes)[0];
  const main = readings.find((one) => isMain(one));
  const other = readings.find((one) => iconOfKind(one) !== undefined && one.word !== "battery_low");
  return (
    (main && iconOfKind(main)) ??
    MEASURED[measured ? rankOf(measured) : -1]?.[1] ??
    (other && iconOfKind(other)) ??
    (isCamera(device) ? "camera" : "gauge")
  );
}

/** Whether the device's own colour may show that it does something. */
export function isActive({ on, locked, open, moving, state, heating, action }: Attributes): boolean {
  if (on === false) return false;
  const moves = moving === "opening" || moving === "closing";
  const works = heating === true || action === "heating" || action === "cooling" || state === "cleaning";
  return on === true || locked === false || open === true || moves || works || state === "started";
}

const FEW = 3;
/** Of those, none is left out for want of room. */
export const MAX_ALARMS = 6;

/** `On · 60 %`, `21.4 °C`, `Smoke!`. Where it has reported nothing, that. */
export function stateInWords(device: Device, attributes: Attributes): string {
  const alarms = alarmsOf(device, attributes);
  const known = [
    ...mainWords(device, attributes),
    ...sensedWords(device, attributes, alarms.length > 0),
    ...gangWords(attributes),
  ];
  if (known.length === 0) known.push(...doingWords(attributes));
  known.push(...measuredOf(device, attributes).map((one) => measuredWords(device, one)));
  const parts = [...new Set([...alarms.map((alarm) => `${capitalized(alarmInWords(alarm))}!`), ...known])];
  const shown = parts.length > 0 ? parts : otherWords(device, attributes);
  return shown.length === 0
    ? t("device.silent")
    : shown.slice(0, Math.max(FEW, Math.min(alarms.length, MAX_ALARMS))).join(" · ");
}

/** `carbon monoxide`, `water at alarm 1`. */
export function alarmInWords({ word, part }: Pick<Alarm, "word" | "part">): string {
  const what = t(`kind.${word}.true` as TextKey);
  return part === undefined ? what : t("state.at_part", { what, part: partInWords(part) });
}

/** `l1` → `1`, `alarm_2` → `alarm 2`. */
export function partInWords(part: string): string {
  const [, stem = "", number] = /^([a-z]+)_?(\d+)$/i.exec(part) ?? [];
  if (number === undefined) return textFor(`part.${part}`) ?? part.replaceAll("_", " ");
  return stem.length <= 2 ? number : `${textFor(`part.${stem}`) ?? stem} ${number}`;
}

function mainWords(device: Device, attributes: Attributes): string[] {
  const { device_type: type } = device;
  if (type === "schedule") return scheduleWords(attributes);
  const { on, position, moving, locked, lock_state, action, mode, title, alarm } = attributes;
  const words: string[] = [];
  if (on === true && type === "calendar" && typeof title === "string") words.push(title);
  else if (typeof on === "boolean" && !(on && type === "siren")) words.push(t(on ? "state.on" : "state.off"));
  const level = controlsOf(device, attributes).find(
    (one): one is Range => one.kind === "range" && ["brightness", "speed", "volume"].includes(one.say),
  );
  if (on !== false && level?.value !== undefined) words.push(`${formatNumber(shareOf(level, level.value), 0)} %`);
  if (moving === "opening" || moving === "closing") words.push(t(`state.${moving}`));
  if (typeof position === "number" && !isClimate(device)) words.push(positionInWords(position));
  if (typeof locked !== "boolean" && typeof lock_state === "string" && lock_state !== "jammed")
    words.push(wordFor(lock_state));
  if (typeof alarm === "string" && isShown(device, "alarm")) words.push(...panelWords(device, alarm));
  if (attributes.heating === true) words.push(t("state.heating"));
  const isOff = mode === "off" && action !== "heating" && action !== "cooling";
  if (isClimate(device) && words.length === 0)
    words.push(...doingWords({ action: isOff ? mode : (action ?? mode ?? null) }));
  return words;
}

const NO_ALARM = /^(triggered|off|idle|normal|none|clear|ok|no_alarm)?$/i;

/** Of an alarm panel; what others call so has words of its own. */
function panelWords(device: Device, alarm: string): string[] {
  if (NO_ALARM.test(alarm)) return [];
  return textFor(`state.${alarm}`) === undefined
    ? [`${attributeName(device, "alarm")}: ${wordFor(alarm).slice(0, LONGEST)}`]
    : [wordFor(alarm)];
}

/** Of what says in a word what it does: a vacuum, a remote control. */
function doingWords({ action, state }: Attributes): string[] {
  const said = [action, state].find((word) => typeof word === "string" && word !== "" && word !== "unknown");
  return typeof said === "string" ? [wordFor(said)] : [];
}

/** Of what is on or off. While there is an alarm, nothing is said of others that there are not. */
function sensedWords(device: Device, attributes: Attributes, isAlarm: boolean): string[] {
  return readingsOf(device, attributes)
    .filter((one) => isMain(one) && propertyOf(device, one.name).category === undefined)
    .filter(({ word, value }) => !isReported(word) || (value === false && !isAlarm))
    .flatMap((one) => (one.word === "open" && isClimate(device) ? windowWords(one) : capitalized(kindWords(one))));
}

/** What is open of a thermostat is a window somewhere near. */
const windowWords = ({ value }: Reading): string[] => (value === true ? [t("state.window_open")] : []);
const isClimate = ({ device_type: type }: Device): boolean => type === "climate" || type === "thermostat";

function kindWords({ word, part, value }: Reading): string {
  const what = t(`kind.${word}.${value === true}` as TextKey);
  return part === undefined ? what : t("state.at_part", { what, part: partInWords(part) });
}

function scheduleWords({ on, enabled, next_change: next }: Attributes): string[] {
  if (enabled === false) return [t("state.not_followed")];
  const now = t(on === true ? "state.on" : "state.off");
  return typeof next === "string" && Date.parse(next) > 0 ? [now, t("state.until", { time: formatTime(next) })] : [now];
}

/** Of what has a switch for each of its parts, and none for the whole. */
function gangWords(attributes: Attributes): string[] {
  if (typeof attributes.on === "boolean") return [];
  const gangs = Object.entries(attributes).filter(([name, on]) => name.startsWith("on_") && typeof on === "boolean");
  const [[name = "", isOn] = [], ...more] = gangs;
  if (name === "") return [];
  if (more.length === 0) return [`${capitalized(partInWords(name.slice(3)))}: ${t(`kind.on.${isOn === true}`)}`];
  const count = gangs.filter(([, on]) => on === true).length;
  return [t("state.some_on", { count, all: gangs.length })];
}

function positionInWords(position: number): string {
  if (position === 0) return capitalized(t("kind.open.false"));
  return position === 100
    ? capitalized(t("kind.open.true"))
    : t("state.open_by", { percent: formatNumber(position, 0) });
}

/** A word that devices use, in the reader's language where it is known. */
export function wordFor(word: string): string {
  return textFor(`state.${word}`) ?? word.replaceAll("_", " ");
}

/** What it is called that is set or measured, in the reader's language where it is known. */
export function attributeName(device: Device, attribute: string): string {
  const property = propertyOf(device, attribute);
  const { word = attribute } = meaningOf(attribute, property) ?? {};
  const part = partOf(attribute, property);
  const what = textFor(`attribute.${part === undefined ? attribute : word}`);
  if (what === undefined) return property.title ?? capitalized(attribute.replace(/[_\s]+/g, " ").trim() || attribute);
  return part === undefined ? what : t("attribute.part", { what, part: partInWords(part) });
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What it measures, the most wanted first. */
function measuredOf(device: Device, attributes: Attributes): Reading[] {
  return readingsOf(device, attributes)
    .filter((one) => isNumber(one) && rankOf(one) >= 0 && isShown(device, one.name))
    .sort((a, b) => rankOf(a) - rankOf(b) || Number(a.part !== undefined) - Number(b.part !== undefined));
}

function measuredWords(device: Device, { name, part, value }: Reading): string {
  const words = measureInWords(device, name, Number(value));
  return part === undefined ? words : `${capitalized(partInWords(part))}: ${words}`;
}

/** Of a device that has none of these, by the names that it gives: what it does, else how it fares. */
function otherWords(device: Device, attributes: Attributes): string[] {
  const all = readingsOf(device, attributes, true).filter(({ value }) => value !== "");
  const plain = all.filter(({ value }) => typeof value !== "object");
  const own = plain.filter(({ name }) => isShown(device, name) && !isBattery(device, name));
  return ([own, plain, all].find(({ length }) => length > 0) ?? []).map((one) => {
    const { name, word, value } = one;
    if (typeof value === "boolean" && isKind(word)) return capitalized(kindWords(one));
    const what = attributeName(device, name.replace(/_pct$/, ""));
    if (typeof value === "number") return `${what} ${measureInWords(device, name, value)}`;
    if (typeof value === "boolean") return `${what}: ${t(value ? "state.yes" : "state.no")}`;
    if (propertyOf(device, name).class === "timestamp" && Date.parse(String(value)) > 0)
      return `${what}: ${formatTime(String(value))}`;
    return `${what}: ${(typeof value === "string" ? wordFor(value) : JSON.stringify(value)).slice(0, LONGEST)}`;
  });
}

export function measureInWords(device: Device, name: string, value: number): string {
  const property = propertyOf(device, name);
  const { word = name } = meaningOf(name, property) ?? {};
  const unit = property.unit ?? UNITS.get(word) ?? (name.endsWith("_pct") ? "%" : "");
  // Nothing in a house is that large: some device reports nonsense, and its tile keeps its size.
  const text = Math.abs(value) < MOST ? formatNumber(value, 1) : value.toExponential(1);
  return `${text} ${unit}`.trimEnd();
}

const MOST = 1e12;
const LONGEST = 60;

/** What its line is drawn of; undefined for a device that measures nothing. */
export function plottedOf(device: Device): string | undefined {
  return measuredOf(device, device.attributes)[0]?.name;
}

/** Whether it shows pictures. */
export const isCamera = (device: Device): boolean => propertiesOf(device).has("picture_at");

/** Whether a person would look for it on the start. */
export function hasSomethingToShow(device: Device): boolean {
  const { attributes } = device;
  if (isCamera(device) || controlsOf(device, attributes).length > 0 || alarmsOf(device, attributes).length > 0)
    return true;
  return Object.keys(attributes).some((name) => isShown(device, name) && !isBattery(device, name));
}
