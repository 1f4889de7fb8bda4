// What lights of all forms have in common: their ranges, and their colours in the form that they take.
import type { Json, JsonObject } from "../../../core/json.ts";
import { hueOfRgb, xyOfRgb } from "../../colors.ts";
import type { Attribute } from "../../described.ts";
import { type Conversion, kelvinOf, percentOf, RGB } from "../../words.ts";
import type { Options } from "./entity.ts";

export interface LightRange {
  /** Of the brightness. */
  scale: number;
  /** Mired. */
  coolest: number;
  warmest: number;
  inKelvin: boolean;
}

export function rangeOf(options: Options): LightRange {
  const mired = (key: string): number | undefined => {
    const kelvin = options.number(key);
    return kelvin ? Math.round(1_000_000 / kelvin) : undefined;
  };
  return {
    scale: options.number("brightness_scale") ?? 255,
    coolest: options.number("min_mireds") ?? mired("max_kelvin") ?? 153,
    warmest: options.number("max_mireds") ?? mired("min_kelvin") ?? 500,
    inKelvin: options.is("color_temp_kelvin"),
  };
}

type Value = Pick<Attribute, "name" | "type"> & Partial<Attribute>;

/** The attribute of the brightness, and its shared word. `suffix`: of a lamp of several. */
export function brightnessOf({ scale }: LightRange, suffix = ""): [Value, Also] {
  const attribute = { name: `brightness${suffix}`, type: "number", min: 0, max: scale } as const;
  return [attribute, { name: `brightness_pct${suffix}`, conversion: percentOf(0, scale) }];
}

/** In mired, with kelvin as its shared word; or in kelvin. */
export function warmthOf({ coolest, warmest, inKelvin }: LightRange, suffix = ""): [Value, Also | undefined] {
  const conversion = kelvinOf(coolest, warmest);
  const name = `color_temp_k${suffix}`;
  if (inKelvin) return [{ ...conversion.attribute, name, type: "number" }, undefined];
  const attribute = { name: `color_temp${suffix}`, type: "number", unit: "mired", min: coolest, max: warmest } as const;
  return [attribute, { name, conversion }];
}

export interface Also {
  name: string;
  conversion: Conversion;
}

export type ColorMode = "rgb" | "rgbw" | "rgbww" | "hs" | "xy";
const COLOR_MODES = ["rgb", "xy", "hs", "rgbw", "rgbww"] as const;

/** The one that a light takes best; undefined where it has no colours. */
export function colorModeOf(modes: readonly string[]): ColorMode | undefined {
  return COLOR_MODES.find((mode) => modes.includes(mode));
}

/** `#rrggbb` as the object that a light of this mode takes. Throws HubError `invalid`. */
export function colorIn(mode: ColorMode): Conversion {
  return { ...RGB, to: (value, name) => shaped(mode, RGB.to(value, name) as unknown as Rgb) };
}

interface Rgb {
  r: number;
  g: number;
  b: number;
}

function shaped(mode: ColorMode, rgb: Rgb): JsonObject {
  switch (mode) {
    case "xy":
      return { ...xyOfRgb(rgb) };
    case "hs": {
      const { hue, saturation } = hueOfRgb(rgb);
      return { h: hue, s: saturation };
    }
    case "rgbw":
      return { ...rgb, w: 0 };
    case "rgbww":
      return { ...rgb, c: 0, w: 0 };
    default:
      return { ...rgb };
  }
}

/** The numbers of a colour, as one topic carries them: `255,128,0`. */
export function colorText(color: JsonObject): string {
  return Object.values(color).join(",");
}

/** `255,128,0` as a colour of this mode. */
export function colorOfText(mode: ColorMode, value: Json | undefined): Json | undefined {
  if (value === null || value === "None") return null;
  const numbers =
    typeof value === "string" ? value.split(",").map(Number) : Array.isArray(value) ? value.map(Number) : [];
  const [a, b, c] = numbers;
  if (a === undefined || b === undefined || numbers.some(Number.isNaN)) return undefined;
  if (mode === "xy") return RGB.from({ x: a, y: b });
  if (mode === "hs") return RGB.from({ h: a, s: b });
  return c === undefined ? undefined : RGB.from({ r: a, g: b, b: c });
}
