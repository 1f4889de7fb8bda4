// The words that all devices share, in one unit, beside what each calls its own: brightness_pct, color_temp_k, color_rgb, position, …

import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type Json } from "../../kit/schema/json.ts";
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

/** 0 is off, and more is from the slowest speed on: 10 % of three speeds is the first of them. `from` takes 0 for off as well. */
export function speedOf(min: number, max: number): Conversion {
  const attribute = { type: "number", unit: "%", min: 0, max: 100 } as const;
  const steps = max - min + 1;
  return {
    attribute,
    from(value) {
      if (typeof value !== "number") return undefined;
      return value < min ? 0 : Math.round((Math.min(value - min + 1, steps) / steps) * 100);
    },
    to(value, name) {
      const share = checked(value, name, attribute) / 100;
      // Up to the next speed, unless the percent are those of one, rounded.
      const speed = Math.ceil(share * steps - Math.min(0.5, steps / 200));
      return share === 0 ? min - 1 : min - 1 + Math.min(steps, Math.max(1, speed));
    },
  };
}

/** °C of a device that speaks in °F. */
export function celsiusOf({ min, max }: Pick<Attribute, "min" | "max">): Conversion {
  const celsius = (fahrenheit: number): number => Math.round(((fahrenheit - 32) / 1.8) * 10) / 10;
  const bounds = { ...(min !== undefined && { min: celsius(min) }), ...(max !== undefined && { max: celsius(max) }) };
  return {
    attribute: { type: "number", unit: "°C", ...bounds },
    from: (value) => (typeof value === "number" ? celsius(value) : undefined),
    to(value, name) {
      if (typeof value !== "number") throw wrong(name, "must be a number of °C");
      return Math.round(value * 1.8 + 32);
    },
  };
}

// A lamp down to 370 mired is one down to 2,700 K on its box, which is 370.37.
const ROUND_KELVIN = 10;

/** Kelvin of a device that speaks in mired, from `coolest` to `warmest`. Takes what lies within one mired of that range. */
export function kelvinOf(coolest: number, warmest: number): Conversion {
  const [min, max] = [1_000_000 / warmest, 1_000_000 / coolest];
  const attribute = {
    ...({ type: "number", unit: "K" } as const),
    min: Math.floor(min / ROUND_KELVIN) * ROUND_KELVIN,
    max: Math.ceil(max / ROUND_KELVIN) * ROUND_KELVIN,
  };
  return {
    attribute,
    from: (value) => (typeof value === "number" && value > 0 ? Math.round(1_000_000 / value) : undefined),
    to(value, name) {
      const mired = typeof value === "number" && value > 0 ? Math.round(1_000_000 / value) : Number.NaN;
      if (!(mired >= coolest - 1 && mired <= warmest + 1)) checked(value, name, attribute);
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
