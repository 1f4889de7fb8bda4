// Placeholders in messages and titles: {{device.temperature}}, {{devices.<id>.<attribute>}}, {{vars.x}}, {{trigger.value}}, {{now}}.
// A value is inserted as it is: placeholders inside a value are not filled in.
import type { Json, JsonObject } from "../core/json.ts";
import { PLACEHOLDER } from "../core/placeholders.ts";
import type { Piece } from "./channel.ts";

/** The fields of a device that a placeholder can name. */
export interface TemplateDevice {
  readonly id: string;
  readonly name: string;
  readonly attributes: Readonly<JsonObject>;
}

export interface TemplateContext {
  /** The triggering device. */
  readonly deviceId: string | undefined;
  readonly trigger: Readonly<JsonObject>;
  /** The rule's variables. */
  readonly vars: Readonly<JsonObject>;
}

export interface TemplateHouse {
  device(id: string): TemplateDevice | undefined;
  /** The hub's variables, used when the rule has none of this name. */
  variable(name: string): Json | undefined;
  /** The local time, for people. */
  now(): string;
}

const UNKNOWN = "unknown";
const large = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 4 });
const small = new Intl.NumberFormat("en", { useGrouping: false, maximumSignificantDigits: 4 });

/** The author's text and the values in it. A placeholder without a value is reported to `onUnknown` and becomes "unknown". */
export function fillTemplate(
  text: string,
  look: (path: string) => Json | undefined,
  onUnknown: (path: string) => void,
): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    const path = (found[1] ?? "").trim();
    const value = look(path);
    if (value === undefined) onUnknown(path);
    if (found.index > from) pieces.push({ markup: text.slice(from, found.index) });
    pieces.push({ value: valueText(value) ?? UNKNOWN });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ markup: text.slice(from) });
  return pieces;
}

/** Makes the lookup for `fillTemplate`. It returns undefined for what does not exist. */
export function createLookup(house: TemplateHouse, { deviceId, trigger, vars }: TemplateContext) {
  return function look(path: string): Json | undefined {
    const [root, ...keys] = path.split(".");
    switch (root) {
      case "now":
        return keys.length === 0 ? house.now() : undefined;
      case "trigger":
        return valueAt(trigger, keys);
      case "vars":
        return valueAt(vars, keys) ?? variableAt(house, keys);
      case "device":
        return deviceId === undefined ? undefined : ofDevice(house.device(deviceId), keys);
      case "devices":
        return ofSomeDevice(house, keys);
      default:
        return undefined;
    }
  };
}

// Ids and attributes may contain dots: the longest id that exists wins.
function ofSomeDevice(house: TemplateHouse, keys: readonly string[]): Json | undefined {
  for (let length = keys.length - 1; length > 0; length--) {
    const device = house.device(keys.slice(0, length).join("."));
    if (device) return ofDevice(device, keys.slice(length));
  }
  return undefined;
}

function ofDevice(device: TemplateDevice | undefined, keys: readonly string[]): Json | undefined {
  if (!device || keys.length === 0) return undefined;
  if (keys.length === 1 && (keys[0] === "name" || keys[0] === "id")) return device[keys[0]];
  return valueAt(device.attributes, keys);
}

function variableAt(house: TemplateHouse, [name = "", ...keys]: readonly string[]): Json | undefined {
  const value = house.variable(name);
  return keys.length === 0 ? value : valueAt(value, keys);
}

/** Reads own keys only, as a path may name `__proto__`. A key that contains dots is found as well. */
function valueAt(value: unknown, keys: readonly string[]): Json | undefined {
  if (typeof value !== "object" || value === null || keys.length === 0) return undefined;
  const whole = keys.join(".");
  if (Object.hasOwn(value, whole)) return (value as JsonObject)[whole];
  const [first = "", ...rest] = keys;
  if (rest.length === 0 || !Object.hasOwn(value, first)) return undefined;
  return valueAt((value as JsonObject)[first], rest);
}

/** A value as people write it: without exponents and rounding errors such as 21.499999; undefined for null. */
export function valueText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.map((item) => valueText(item) ?? "unknown").join(", ");
  return JSON.stringify(value);
}

function numberText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  // Adding 0 turns -0 into 0.
  return (Math.abs(value) < 1 ? small : large).format(value + 0).replace(/^-0$/, "0");
}
