// Which control an attribute gets by its schema. A schema that lies gets one that does no harm.

import type { Json } from "./json.ts";
import type { Property } from "./schema.ts";
export type ControlKind = "switch" | "slider" | "number" | "select" | "color" | "text" | "buttons" | "send";

const MAX_BUTTONS = 8;
const MAX_STEPS = 100_000;
const COLOR = /^#[\da-f]{6}$/i;

export function controlKind(name: string, property: Property, value: Json | undefined): ControlKind | undefined {
  const { readOnly, writeOnly, type, enum: options } = property;
  if (readOnly) return undefined;
  if (writeOnly) {
    if (options) return options.length <= MAX_BUTTONS ? "buttons" : "send";
    return type === "boolean" ? "buttons" : type === "object" || type === "array" ? undefined : "send";
  }
  if (options) return isSwitch(options) ? "switch" : "select";
  switch (type) {
    case "boolean":
      return "switch";
    case "number":
    case "integer":
      return isSlidable(property) && (value === undefined || typeof value === "number") ? "slider" : "number";
    case "string":
      return isColor(name, property, value) ? "color" : "text";
    default:
      return undefined;
  }
}

function isSwitch(options: readonly Json[]): boolean {
  return options.length === 2 && options.includes(true) && options.includes(false);
}

function isColor(name: string, property: Property, value: Json | undefined): boolean {
  return name.startsWith("color_rgb") || property.class === "color" || (typeof value === "string" && COLOR.test(value));
}

function isSlidable({ minimum, maximum, ...rest }: Property): boolean {
  if (minimum === undefined || maximum === undefined || maximum <= minimum) return false;
  const steps = (maximum - minimum) / stepOf({ minimum, maximum, ...rest });
  return Number.isFinite(steps) && steps <= MAX_STEPS;
}

export function stepOf({ multipleOf, type, minimum, maximum }: Property): number {
  if (multipleOf !== undefined) return multipleOf;
  if (type === "integer") return 1;
  const span = minimum === undefined || maximum === undefined ? 100 : maximum - minimum;
  return span <= 10 ? 0.1 : span <= 100 ? 0.5 : 1;
}
