// The words that all devices share, in one unit, beside what each calls its own: brightness_pct, color_temp_k, color_rgb, position, …

import { HubError } from "../core/errors.ts";
import { isObject, type Json } from "../core/json.ts";
import { hex, readRgb, rgbOfHue, rgbOfXy } from "./colors.ts";
import type { Attribute } from "./described.ts";

/** Between a value of a device and the shared one. */
export interface Conversion {
  /** What is particular to the shared attribute. */
  attribute: Partial<Attribute>;
  /** Undefined where the value has no counterpart. */
  from(value: Json): Json | undefined;
  /** `name`: of the shared attribute, for the error. Throws HubError `invalid`. */
  to(value: Json, name: string): Json;
}

export function wrong(name: string, what: string): HubError {
  return new HubError("invalid", `${name}: ${what}`);
}

function checked(value: Json, name: string, { min = 0, max = 100, unit = "" }: Partial<Attribute>): number {
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw wrong(name, `must be a number from ${min} to ${max} ${unit}`.trimEnd());
}

/** The same value under another name. */
export const SAME: Conversion = { attribute: {}, from: (value) => value, to: (value) => value };

/** 0–100 % of the device's own range. */
export function percentOf(min: number, max: number): Conversion {
  const attribute = { type: "number", unit: "%", min: 0, max: 100 } as const;
  return {
    attribute,
    from: (value) => (typeof value === "number" ? Math.round(((value - min) / (max - min)) * 100) : undefined),
    to: (value, name) => Math.round(min + (checked(value, name, attribute) / 100) * (max - min)),
  };
}

/** Kelvin of a device that speaks in mired, from `coolest` to `warmest`. */
export function kelvinOf(coolest: number, warmest: number): Conversion {
  const kelvin = (mired: number): number => Math.round(1_000_000 / mired);
  const attribute = { type: "number", unit: "K", min: kelvin(warmest), max: kelvin(coolest) } as const;
  return {
    attribute,
    from: (value) => (typeof value === "number" && value > 0 ? kelvin(value) : undefined),
    to(value, name) {
      const mired = Math.round(1_000_000 / checked(value, name, attribute));
      return Math.min(warmest, Math.max(coolest, mired));
    },
  };
}

/** `#rrggbb` of a colour as x and y, hue and saturation (0–100), or red, green and blue. */
export const RGB: Conversion = {
  attribute: { type: "string" },
  from(value) {
    if (!isObject(value)) return undefined;
    const { x, y, hue = value.h, saturation = value.s, r, g, b } = value;
    if (typeof r === "number" && typeof g === "number" && typeof b === "number") return hex([r, g, b]);
    if (typeof x === "number" && typeof y === "number") return rgbOfXy({ x, y });
    return typeof hue === "number" && typeof saturation === "number" ? rgbOfHue(hue, saturation) : undefined;
  },
  to(value, name) {
    const rgb = typeof value === "string" ? readRgb(value) : undefined;
    if (!rgb) throw wrong(name, 'must be a colour such as "#ff8800"');
    return { ...rgb };
  },
};
