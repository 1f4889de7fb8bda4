// Attributes and their values in words.

import type { TextKey } from "../../texts/catalogue.ts";
import { formatNumber, language, t, textFor } from "../../texts/index.ts";
import { type Device, propertiesOf, propertyOf } from "./device.ts";
import type { Json } from "./json.ts";
import { attributeName, capitalized } from "./kinds.ts";
import type { Property } from "./schema.ts";
import { isKind, meaningOf } from "./sensor-words.ts";

const MAX_LABEL = 80;
const MAX_VALUE = 200;
const MAX_WRITTEN_OUT = 1e15;

/** `Brightness`; what has no text of ours is called as its source calls it; of several that it calls the same, by their names as well. */
export function labelOf(device: Device, name: string): string {
  const { title } = propertyOf(device, name);
  const label = attributeName(device, name);
  const isShared =
    title === label && [...propertiesOf(device).values()].filter((one) => one.title === title).length > 1;
  return shortened(isShared ? `${label}: ${name.replaceAll("_", " ")}` : label, MAX_LABEL);
}

export function shortened(text: string, longest: number): string {
  const letters = [...text.slice(0, longest * 2)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : text;
}

/** `21.4 °C`, `On`, `Open`. */
export function valueInWords(name: string, value: Json | undefined, property: Property = {}): string {
  const { unit, precision } = property;
  switch (typeof value) {
    case "boolean":
      return booleanInWords(name, value, property);
    case "number":
      return `${numberInWords(value, precision)} ${unit ?? ""}`.trimEnd();
    case "string":
      return value === ""
        ? "“”"
        : shortened(textFor(`value.${value}`) ?? textFor(`state.${value}`) ?? value, MAX_VALUE);
    case "object":
      return value === null ? t("device.no_value") : shortened(JSON.stringify(value), MAX_VALUE);
    default:
      return t("device.no_value");
  }
}

/** `digits`: as many behind the point as its device says are of use. */
export function numberInWords(value: number, digits?: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return t("device.no_value");
  if (size < MAX_WRITTEN_OUT) {
    // Of 0 to 19; it may be anything that a device says.
    if (/^1?\d$/.test(String(digits))) return formatNumber(value, digits, digits);
    if (size === 0 || size >= 0.001)
      return formatNumber(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 0.1 ? 2 : 4);
  }
  return new Intl.NumberFormat(language.value, { notation: "scientific", maximumSignificantDigits: 4 }).format(value);
}

function booleanInWords(name: string, value: boolean, property: Property): string {
  const own = senseInWords(name, value, property);
  if (own !== undefined) return capitalized(own);
  if (name.startsWith("enabled")) return t(value ? "state.on" : "state.off");
  return t(value ? "state.yes" : "state.no");
}

// What a value of a device's means that is on or off, in the midst of a sentence.
/** What is on or off about it: its kind, and whether it is on. */
export function senseOf(
  name: string,
  value: Json | undefined,
  property?: Property,
): { kind: string; is: boolean } | undefined {
  if (typeof value !== "boolean") return undefined;
  const meaning = meaningOf(name, property);
  return meaning && isKind(meaning.word) ? { kind: meaning.word, is: value !== meaning.isTurned } : undefined;
}

/** `open`, `no smoke`, `water at alarm 1`: in the midst of a sentence. Undefined for what has no words of its own. */
export function senseInWords(name: string, value: Json | undefined, property?: Property): string | undefined {
  const sense = senseOf(name, value, property);
  return sense && t(`kind.${sense.kind}.${sense.is}` as TextKey);
}

/** What it reports that is on: `smoke`, `a low battery`. */
export const nounFor = (kind: string): string => textFor(`noun.${kind}`) ?? t(`kind.${kind}.true` as TextKey);
