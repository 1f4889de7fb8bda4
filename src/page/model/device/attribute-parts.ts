// A device's attributes by what a person does with them: controls first, then what it measures, its settings, and how it fares.

import { type ControlKind, controlKind } from "./control-kind.ts";
import { type Device, propertiesOf, propertyOf } from "./device.ts";
import { isReplaced } from "./sensor-words.ts";

export interface AttributeParts {
  controls: string[];
  readings: string[];
  settings: string[];
  diagnostics: string[];
}

const FIRST = [
  "on",
  "locked",
  "position",
  "target_temperature",
  "mode",
  "brightness_pct",
  "color_temp_k",
  "color_rgb",
  "speed_pct",
  "volume_pct",
];
export function partsOf(device: Device): AttributeParts {
  const parts: AttributeParts = { controls: [], readings: [], settings: [], diagnostics: [] };
  const names = new Set([...propertiesOf(device).keys(), ...Object.keys(device.attributes)]);
  for (const name of names) {
    const { category, hidden } = propertyOf(device, name);
    const isControl = kindIn(device, name) !== undefined;
    const isCovered = isReplaced(device, name);
    if (hidden || (isCovered && isControl)) continue;
    if (!isControl && !Object.hasOwn(device.attributes, name)) continue;
    // What a better word says as well is how the device itself calls it.
    if (isCovered) parts.diagnostics.push(name);
    else if (category === "config") parts.settings.push(name);
    else if (category === "diagnostic") parts.diagnostics.push(name);
    else if (isControl) parts.controls.push(name);
    else parts.readings.push(name);
  }
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  parts.controls.sort((a, b) => rank(a) - rank(b));
  return parts;
}

/** Undefined where it can only be read. A device that says nothing of itself may at least be switched. */
export function kindIn(device: Device, name: string): ControlKind | undefined {
  if (onlyMeasures(device)) return undefined;
  const value = Object.hasOwn(device.attributes, name) ? device.attributes[name] : undefined;
  const property = propertiesOf(device).get(name);
  if (property) return controlKind(name, property, value);
  return name === "on" && typeof value === "boolean" && propertiesOf(device).size === 0 ? "switch" : undefined;
}

/** Many sensors do not say that their values are for reading. */
function onlyMeasures(device: Device): boolean {
  if (!device.device_type?.endsWith("sensor")) return false;
  return ![...propertiesOf(device).values()].some(({ readOnly, writeOnly }) => readOnly || writeOnly);
}

/** What the history keeps: not what only fares, and not what cannot be read. */
export function recordedOf(device: Device): string[] {
  return Object.keys(device.attributes).filter((name) => {
    const { category, hidden } = propertyOf(device, name);
    return category === undefined && !hidden;
  });
}

const WORTH_A_LOOK = 3;

/** What a plot begins with: the numbers and states that say what the device is about. */
export function mainOf(device: Device): string[] {
  const { controls, readings } = partsOf(device);
  const recorded = recordedOf(device);
  const names = [...readings, ...controls].filter((name) => recorded.includes(name));
  const isNumber = (name: string): boolean =>
    typeof device.attributes[name] === "number" && !name.startsWith("battery");
  const measured = readings.filter((name) => names.includes(name) && isNumber(name)).slice(0, WORTH_A_LOOK);
  const units = new Set(measured.map((name) => propertyOf(device, name).unit));
  // What was wanted belongs beside what was measured; of what is not measured, the first will do.
  const wanted = controls.filter((name) => names.includes(name) && isNumber(name));
  const beside =
    measured.length === 0 ? wanted.slice(0, 1) : wanted.filter((name) => units.has(propertyOf(device, name).unit));
  const states = names.filter((name) => typeof device.attributes[name] === "boolean");
  const main = [...measured, ...beside, ...states.slice(0, 2)];
  return main.length > 0 ? main : names.slice(0, WORTH_A_LOOK);
}
