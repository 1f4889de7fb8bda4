// Attributes and their values in words.
import type { Device, Json, Property } from "../state/house.ts";
import { formatNumber, language, t, textFor } from "../texts/index.ts";
import { attributeName, capitalized } from "./kinds.ts";
import { senseInWords } from "./sense-words.ts";

const LONGEST_LABEL = 80;
const LONGEST_VALUE = 200;
const LARGEST_WRITTEN_OUT = 1e15;

/** `Brightness`; what has no text of ours is called as its source calls it. */
export function labelOf(device: Device, name: string): string {
  return shortened(attributeName(device, name), LONGEST_LABEL);
}

export function shortened(text: string, longest: number): string {
  const letters = [...text.slice(0, longest * 2)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : text;
}

/** `21.4 °C`, `On`, `Open`. */
export function valueInWords(name: string, value: Json | undefined, property: Property = {}): string {
  const { unit } = property;
  switch (typeof value) {
    case "boolean":
      return booleanInWords(name, value, property);
    case "number":
      return unit === undefined ? numberInWords(value) : `${numberInWords(value)} ${unit}`;
    case "string":
      return value === ""
        ? "“”"
        : shortened(textFor(`value.${value}`) ?? textFor(`state.${value}`) ?? value, LONGEST_VALUE);
    case "object":
      return value === null ? t("device.no_value") : shortened(JSON.stringify(value), LONGEST_VALUE);
    default:
      return t("device.no_value");
  }
}

export function numberInWords(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return t("device.no_value");
  if (size < LARGEST_WRITTEN_OUT && (size === 0 || size >= 0.001))
    return formatNumber(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 0.1 ? 2 : 4);
  return new Intl.NumberFormat(language.value, { notation: "scientific", maximumSignificantDigits: 4 }).format(value);
}

function booleanInWords(name: string, value: boolean, property: Property): string {
  const own = senseInWords(name, value, property);
  if (own !== undefined) return capitalized(own);
  if (name.startsWith("enabled")) return t(value ? "state.on" : "state.off");
  return t(value ? "state.yes" : "state.no");
}
