// Names of devices and attributes, and values, as sentences have them.
import { type Attributes, devices, type Json, propertyOf } from "../../state/house.ts";
import { formatNumber, formatTime, t, textFor } from "../../texts/index.ts";
import type { Part } from "./phrase.ts";

const LONGEST = 80;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export function deviceName(id: string): string {
  return devices.value.get(id)?.value.name || id;
}

export function deviceLink(id: unknown): Part {
  const text = deviceName(String(id));
  return { text, href: `/devices/${encodeURIComponent(String(id))}` };
}

/** `Color temp k` of `color_temp_k`, unless there is a word for it. */
export function attributeWords(name: string): string {
  return textFor(`attribute.${name}`) ?? (name.replace(/[_\s]+/g, " ").trim() || name);
}

export function valueWords(value: Json | undefined, unit = ""): string {
  switch (typeof value) {
    case "boolean":
      return t(value ? "state.yes" : "state.no");
    case "number":
      return `${Math.abs(value) < 1e15 ? formatNumber(value) : String(value)} ${unit}`.trimEnd();
    case "string":
      return MOMENT.test(value) ? formatTime(value) : short(textFor(`value.${value}`) ?? value);
    default:
      return value === undefined || value === null ? t("activity.nothing") : short(JSON.stringify(value));
  }
}

export function short(text: string, longest = LONGEST): string {
  return text.length > longest ? `${[...text.slice(0, longest)].slice(0, -1).join("")}…` : text;
}

/** `On`, `brightness 60 %`: a wanted state, or how something is. */
export function stateWords(id: string, attributes: Attributes, names: readonly string[]): string[] {
  const device = devices.value.get(id)?.value;
  return names.map((name) => {
    const value = attributes[name];
    const known = typeof value === "boolean" ? textFor(`changed.${name}.${value}`) : undefined;
    if (known !== undefined) return known;
    const words = valueWords(value, device && propertyOf(device, name).unit);
    return name === "state" || name === "command" ? words : `${attributeWords(name)} ${words}`;
  });
}
