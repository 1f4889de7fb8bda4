// Attributes and their values in words.
import type { Attributes, Device, Json, Property } from "../state/house.ts";
import { propertyOf } from "../state/house.ts";
import { formatNumber, language, t, textFor } from "../texts/index.ts";
import { stateInWords } from "./kinds.ts";

const LONGEST_LABEL = 80;
const LONGEST_VALUE = 200;
const LARGEST_WRITTEN_OUT = 1e15;

/** `Brightness`; what has no text of ours is called as its source calls it. */
export function labelOf(device: Device, name: string): string {
  const known = textFor(`attribute.${name}`);
  if (known !== undefined) return known;
  const words = propertyOf(device, name).title ?? sentence(name);
  return shortened(words, LONGEST_LABEL);
}

/** `power_on_behavior` → `Power on behavior`. */
function sentence(name: string): string {
  const words = name.replace(/[_\s]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

export function shortened(text: string, longest: number): string {
  const letters = [...text.slice(0, longest * 2)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : text;
}

/** `21.4 °C`, `On`, `Open`. */
export function valueInWords(name: string, value: Json | undefined, { unit }: Property = {}): string {
  switch (typeof value) {
    case "boolean":
      return booleanInWords(name, value);
    case "number":
      return unit === undefined ? numberInWords(value) : `${numberInWords(value)} ${unit}`;
    case "string":
      return value === "" ? "“”" : shortened(textFor(`value.${value}`) ?? value, LONGEST_VALUE);
    case "object":
      return value === null ? t("device.no_value") : shortened(JSON.stringify(value), LONGEST_VALUE);
    default:
      return t("device.no_value");
  }
}

const FEW = 2;

/** `On · 60 %`; of what no tile has words for, its main values by name. */
export function leadInWords(device: Device, attributes: Attributes, main: readonly string[]): string {
  const words = stateInWords(device, attributes);
  if (words !== t("state.unknown") || main.length === 0) return words;
  const parts = main.slice(0, FEW).map((name) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    return shortened(`${labelOf(device, name)} ${valueInWords(name, value, propertyOf(device, name))}`, 60);
  });
  return parts.join(" · ");
}

export function numberInWords(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return t("device.no_value");
  if (size < LARGEST_WRITTEN_OUT && (size === 0 || size >= 0.001))
    return formatNumber(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 0.1 ? 2 : 4);
  return new Intl.NumberFormat(language.value, { notation: "scientific", maximumSignificantDigits: 4 }).format(value);
}

function booleanInWords(name: string, value: boolean): string {
  switch (name) {
    case "locked":
      return t(value ? "state.locked" : "state.unlocked");
    case "open":
      return t(value ? "state.open" : "state.closed");
    case "contact":
      return t(value ? "state.closed" : "state.open");
    case "occupancy":
    case "motion":
      return t(value ? "state.motion" : "state.no_motion");
    default:
      return /^(on|enabled)(_|$)/.test(name)
        ? t(value ? "state.on" : "state.off")
        : t(value ? "state.yes" : "state.no");
  }
}
