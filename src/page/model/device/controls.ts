// What can be done with a device, by the words that devices share and by its schema; never by who made it.

import { type Device, optionsOf, propertiesOf, propertyOf } from "./device.ts";
import type { Attributes } from "./json.ts";
import type { Property } from "./schema.ts";
import { isReplaced } from "./sensor-words.ts";

/** A value within a range, set by dragging. `say`: what it is about. */
export interface Range {
  kind: "range";
  say: "brightness" | "white" | "position" | "speed" | "volume" | "other";
  attribute: string;
  value: number | undefined;
  min: number;
  max: number;
  step: number;
  /** Undefined for a share of the range, which is shown in percent. */
  unit: string | undefined;
}

export type Control =
  | { kind: "switch"; attribute: string; on: boolean }
  | Range
  | { kind: "colour"; attribute: string; value: string | undefined }
  | { kind: "cover"; open: Attributes; close: Attributes; stop: Attributes | undefined }
  | {
      kind: "target";
      attribute: string;
      value: number | undefined;
      min: number;
      max: number;
      step: number;
      unit: string;
    }
  /** Undefined while it is neither. */
  | { kind: "lock"; locked: boolean | undefined }
  | { kind: "timer" }
  | { kind: "choice"; attribute: string; value: string | undefined; options: readonly string[] }
  | { kind: "orders"; attribute: string; orders: readonly string[] };

/** Words that are commands where a device declares nothing about itself. */
const COMMANDED = new Set(
  "on brightness_pct color_temp_k color_rgb position locked target_temperature speed_pct volume_pct".split(" "),
);
const OPENINGS = /cover|blind|curtain|shutter|garage|gate|valve|window/;
const MOST = 24;

/** Neither a setting of the device, nor how it fares, nor reported in a better word. */
export function isShown(device: Device, name: string): boolean {
  const { hidden, category } = propertyOf(device, name);
  return !hidden && !category && !isReplaced(device, name);
}

function isWritable(device: Device, name: string): boolean {
  const declared = propertiesOf(device);
  if (declared.size === 0) return COMMANDED.has(name);
  const property = declared.get(name);
  return property !== undefined && property.readOnly !== true;
}

/** The most important first. `attributes`: as they are shown now. */
export function controlsOf(device: Device, attributes: Attributes): Control[] {
  if (device.device_type === "timer" && typeof attributes.state === "string") return [{ kind: "timer" }];
  const names = new Set([...Object.keys(attributes), ...propertiesOf(device).keys()]);
  const found = [...names]
    .filter((name) => isShown(device, name) && isWritable(device, name))
    .flatMap((name): Ranked[] => controlFor(device, name, attributes));
  const opening = openingOf(device, attributes);
  return [...found, ...opening]
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ control }) => control);
}

interface Ranked {
  rank: number;
  control: Control;
}

const ranked = (rank: number, control: Control): Ranked[] => [{ rank, control }];

const RANGES: Readonly<Record<string, [rank: number, Range["say"]]>> = {
  brightness_pct: [3, "brightness"],
  brightness: [3, "brightness"],
  position: [2, "position"],
  speed_pct: [3, "speed"],
  volume_pct: [3, "volume"],
  color_temp_k: [5, "white"],
  color_temp: [5, "white"],
};
const TARGETS = ["target_temperature", "setpoint", "occupied_heating_setpoint", "current_heating_setpoint"];
const ORDER_NAMES = new Set(["command", "vacuum_command"]);

function controlFor(device: Device, name: string, attributes: Attributes): Ranked[] {
  const property = propertyOf(device, name);
  const value = attributes[name];
  const options = optionsOf(property);
  const base = name.replace(/_l?\d+$/, "");
  if (name === "locked") return lockOf(value, attributes);
  if (TARGETS.includes(name)) return ranked(1, { kind: "target", attribute: name, ...targetOf(property, value) });
  if (name === "color_rgb") return ranked(6, { kind: "colour", attribute: name, value: textOf(value) });
  const range = RANGES[base];
  if (range) return ranked(range[0], rangeOf(range[1], { name, property, value }));
  if (ORDER_NAMES.has(name))
    return options.length > 0 ? ranked(2, { kind: "orders", attribute: name, orders: options }) : [];
  if (typeof value === "boolean") return switchOf(device, { name, property, value });
  if (options.length > 1) return ranked(7, { kind: "choice", attribute: name, value: textOf(value), options });
  const isBounded = typeof property.minimum === "number" && typeof property.maximum === "number";
  return typeof value === "number" && isBounded && !isMeasured(name)
    ? ranked(9, rangeOf("other", { name, property, value }))
    : [];
}

function lockOf(value: unknown, { lock_state }: Attributes): Ranked[] {
  if (typeof value === "boolean") return ranked(0, { kind: "lock", locked: value });
  return typeof lock_state === "string" ? ranked(0, { kind: "lock", locked: undefined }) : [];
}

// What is measured stays a reading, even where a simulation lets it be set.
function isMeasured(name: string): boolean {
  return /temperature|humidity|battery|illuminance|pressure|power|energy/.test(name);
}

function switchOf(
  device: Device,
  { name, property, value }: { name: string; property: Property; value: boolean },
): Ranked[] {
  const isSwitch = /^on(_|$)/.test(name);
  // Doors, motion and leaks are readings, whatever may be written there.
  if (!isSwitch && (/sensor/.test(device.device_type ?? "") || property.class !== undefined)) return [];
  if (name === "open") return [];
  return ranked(isSwitch ? 1 : 8, { kind: "switch", attribute: name, on: value });
}

function rangeOf(
  say: Range["say"],
  { name, property, value }: { name: string; property: Property; value: unknown },
): Range {
  const { minimum = say === "white" ? 2000 : 0, maximum = say === "white" ? 6500 : 100, multipleOf, unit } = property;
  const isShare = unit === "%" || name.endsWith("_pct") || (unit === undefined && say !== "other" && say !== "white");
  return {
    kind: "range",
    say,
    attribute: name,
    value: typeof value === "number" && Number.isFinite(value) ? value : undefined,
    min: minimum,
    max: Math.max(maximum, minimum + 1),
    step: multipleOf ?? (say === "white" && maximum > 1000 ? 50 : say === "other" && maximum - minimum < 10 ? 0.1 : 1),
    unit: isShare ? undefined : (unit ?? (name === "color_temp_k" ? "K" : "")),
  };
}

function targetOf({ minimum = 5, maximum = 30, multipleOf = 0.5, unit = "°C" }: Property, value: unknown) {
  return {
    value: typeof value === "number" && Number.isFinite(value) ? value : undefined,
    ...{ min: minimum, max: maximum, step: multipleOf, unit },
  };
}

/** Up, stop and down: by position, by orders, or by what is open. */
function openingOf(device: Device, attributes: Attributes): Ranked[] {
  const stop = orderOf(device, "stop");
  if (isWritable(device, "position") && (typeof attributes.position === "number" || "moving" in attributes)) {
    return ranked(0, { kind: "cover", open: { position: 100 }, close: { position: 0 }, stop });
  }
  const [open, close] = [orderOf(device, "open"), orderOf(device, "close")];
  if (open && close) return ranked(0, { kind: "cover", open, close, stop });
  const canOpen = typeof attributes.open === "boolean" && isWritable(device, "open");
  return canOpen && OPENINGS.test(device.device_type ?? "")
    ? ranked(0, { kind: "cover", open: { open: true }, close: { open: false }, stop: undefined })
    : [];
}

/** The command that gives this order, in the device's own spelling. */
function orderOf(device: Device, order: string): Attributes | undefined {
  for (const name of ["command", "state"]) {
    const spelled = optionsOf(propertyOf(device, name)).find((one) => one.toLowerCase() === order);
    if (spelled !== undefined && isWritable(device, name)) return { [name]: spelled };
  }
  return undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** What to send for a value of a range: 0 is off, and more is on, where it can be switched. */
export function commandFor({ say, attribute, min }: Range, value: number, attributes: Attributes): Attributes {
  const dims = say === "brightness" || say === "speed";
  if (!dims || typeof attributes.on !== "boolean") return { [attribute]: value };
  if (value <= min) return { on: false };
  return attributes.on ? { [attribute]: value } : { on: true, [attribute]: value };
}

/** In percent of its range, or in its unit. */
export function shareOf({ min, max, unit }: Range, value: number): number {
  return unit === undefined ? Math.round(((value - min) / (max - min)) * 100) : value;
}
