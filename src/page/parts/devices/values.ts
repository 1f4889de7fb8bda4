// Names of devices and attributes, and values, as sentences have them.

import { nounFor, senseInWords, senseOf } from "../../model/device/attribute-words.ts";
import { type Device, propertyOf } from "../../model/device/device.ts";
import type { Attributes, Json } from "../../model/device/json.ts";
import { partInWords } from "../../model/device/kinds.ts";
import { isReplaced, isReported, meaningOf, partOf } from "../../model/device/sensor-words.ts";
import { formatValue } from "../../model/text/formats.ts";
import type { Part } from "../../model/text/phrase.ts";
import { devices, nameOfDevice } from "../../state/house/devices.ts";
import { formatTime, language, t, textFor } from "../../texts/index.ts";

const LONGEST = 80;
const MAX_NAME = 60;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

// Names and units hardly ever change: values, which do many times a second, must not draw a list anew.
export function deviceName(id: string): string {
  return nameOfDevice(id) || id;
}

export function deviceLink(id: unknown): Part {
  const text = short(deviceName(String(id)), MAX_NAME);
  return { text, href: `/devices/${encodeURIComponent(String(id))}` };
}

// Many sources write the unit into the name.
const UNITS: Readonly<Record<string, string>> = {
  pct: "%",
  w: "W",
  kwh: "kWh",
  v: "V",
  a: "A",
  c: "°C",
  k: "K",
  secs: "s",
  ms: "ms",
  mib: "MiB",
  gib: "GiB",
};

function nameAndUnit(name: string): { words: string; unit: string } {
  const [, stem, suffix = ""] = /^(.+)_([a-z]+)$/.exec(name) ?? [];
  const unit = UNITS[suffix];
  return {
    words: (unit === undefined ? name : (stem ?? name)).replace(/[_\s]+/g, " ").trim() || name,
    unit: unit ?? "",
  };
}

/** `color temp` of `color_temp_k`, unless there is a word for it. Names are English: in another language any word is better. */
export function attributeWords(name: string): string {
  const label = language.value === "en" ? undefined : textFor(`attribute.${name}`);
  return textFor(`inline.attribute.${name}`) ?? label ?? nameAndUnit(name).words;
}

export function unitOf(id: string, name: string): string {
  const device = devices.value.get(id)?.peek();
  return (device && propertyOf(device, name).unit) ?? nameAndUnit(name).unit;
}

export function valueWords(value: Json | undefined, unit = ""): string {
  switch (typeof value) {
    case "boolean":
      return t(value ? "state.yes" : "state.no");
    case "number":
      return `${Math.abs(value) < 1e15 ? formatValue(value) : String(value)} ${unit}`.trimEnd();
    case "string":
      return MOMENT.test(value) ? formatTime(value) : short(textFor(`value.${value}`) ?? value);
    default:
      return value === undefined || value === null ? t("activity.nothing") : short(JSON.stringify(value));
  }
}

export function short(text: string, longest = LONGEST): string {
  return text.length > longest ? `${[...text.slice(0, longest)].slice(0, -1).join("")}…` : text;
}

/** Alarms first. What a better word says as well, such as the brightness as the lamp counts it, is said once. */
export function shownOnce(id: string, names: readonly string[], attributes: Attributes): string[] {
  const known = devices.value.get(id)?.peek();
  const device = { ...(known ?? { schema: null, capabilities: null }), attributes } as Device;
  const own = names.filter((name) => !isReplaced(device, name));
  const rank = (name: string): number => Number(!isReported(meaningOf(name, propertyOf(device, name))?.word ?? ""));
  return (own.length > 0 ? own : [...names]).sort((a, b) => rank(a) - rank(b));
}

/** How something has become: `switched on`, `reports smoke`, `brightness 60 %`. */
export function changeWords(id: string, attributes: Attributes, names: readonly string[]): string[] {
  return names.map((name) => wordsOf("changed", { id, name, value: attributes[name] }));
}

/** What was asked for: `on`, `brightness 60 %`. */
export function wantedWords(id: string, wanted: Attributes): string[] {
  return Object.entries(wanted).map(([name, value]) => wordsOf("wanted", { id, name, value }));
}

interface Said {
  id: string;
  name: string;
  value: Json | undefined;
}

function wordsOf(key: "changed" | "wanted", { id, name, value }: Said): string {
  const device = devices.value.get(id)?.peek();
  const property = device && propertyOf(device, name);
  const sense = senseOf(name, value, property);
  if (sense) {
    const own = saidOf(key, sense) ?? senseInWords(name, value, property) ?? "";
    const part = partOf(name, property ?? {});
    return part === undefined ? own : `${own} (${partInWords(part)})`;
  }
  const words = valueWords(value, typeof value === "number" ? unitOf(id, name) : "");
  return name === "state" || name === "command" ? words : `${attributeWords(name)} ${words}`;
}

function saidOf(key: string, { kind, is }: { kind: string; is: boolean }): string | undefined {
  const own = textFor(`${key}.${kind}.${is}`);
  return own ?? (isReported(kind) ? textFor(`${key}.reported.${is}`, { what: nounFor(kind) }) : undefined);
}
