// What a device is to a person: its icon, its state in words, and what a touch does.
import type { Attributes, Device } from "../state/house.ts";
import { propertyOf } from "../state/house.ts";
import { formatNumber, t } from "../texts/index.ts";
import type { IconName } from "./icon.tsx";

const ICON_OF_TYPE: Readonly<Record<string, IconName>> = {
  light: "light",
  switch: "switch",
  cover: "blinds",
  climate: "temperature",
  lock: "lock",
  fan: "fan",
  button: "button",
  timer: "timer",
  mode: "mode",
};
// The first that a device has says what it is about.
const MEASURED: readonly [string, IconName][] = [
  ["temperature", "temperature"],
  ["humidity", "humidity"],
  ["occupancy", "motion"],
  ["motion", "motion"],
  ["contact", "door"],
  ["open", "door"],
  ["power", "plug"],
  ["battery", "battery"],
];

export function iconOf(device: Device): IconName {
  const byType = ICON_OF_TYPE[device.device_type ?? ""];
  return byType ?? MEASURED.find(([name]) => Object.hasOwn(device.attributes, name))?.[1] ?? "gauge";
}

/** Whether the device's own colour may show that it does something. */
export function isActive({ on, locked, open, moving }: Attributes): boolean {
  return on === true || locked === false || open === true || moving === true;
}

/** A touch on the tile switches this; undefined where there is nothing to switch. */
export function toggleOf(device: Device): "on" | undefined {
  return typeof device.attributes.on === "boolean" && propertyOf(device, "on").readOnly !== true ? "on" : undefined;
}

/** `On · 60 %`, `21.4 °C`. */
export function stateInWords(device: Device, attributes: Attributes): string {
  const parts = [...mainWords(attributes), ...measured(device, attributes)].slice(0, 3);
  return parts.length === 0 ? t("state.unknown") : parts.join(" · ");
}

function mainWords(attributes: Attributes): string[] {
  const { on, brightness_pct: level, position, locked, contact, open, state } = attributes;
  const words: string[] = [];
  if (typeof on === "boolean") words.push(t(on ? "state.on" : "state.off"));
  if (on !== false && typeof level === "number") words.push(`${formatNumber(level, 0)} %`);
  if (typeof position === "number")
    words.push(
      position === 0 ? t("state.closed") : position === 100 ? t("state.open") : `${formatNumber(position, 0)} %`,
    );
  if (typeof locked === "boolean") words.push(t(locked ? "state.locked" : "state.unlocked"));
  if (typeof contact === "boolean") words.push(t(contact ? "state.closed" : "state.open"));
  if (typeof open === "boolean") words.push(t(open ? "state.open" : "state.closed"));
  if (words.length === 0 && typeof state === "string") words.push(state);
  return words;
}

function measured(device: Device, attributes: Attributes): string[] {
  return MEASURED.flatMap(([name]) => {
    const value = attributes[name];
    if (typeof value !== "number" || name === "battery") return [];
    const { unit = "" } = propertyOf(device, name);
    return [`${formatNumber(value, 1)} ${unit}`.trimEnd()];
  });
}
