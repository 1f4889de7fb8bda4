// What lights of all forms have in common: their ranges, and their colours in the form that they take.
import type { Json, JsonObject } from "../../../../../../kit/schema/json.ts";
import { hueOfRgb, xyOfRgb } from "../../../../colors.ts";
import type { Attribute } from "../../../../described.ts";
import { type Conversion, kelvinOf, RGB } from "../../../../words.ts";
import { type Options, type SharedWord, within } from "../../entity.ts";
import { percentBetween } from "../../several.ts";

export interface LightRange {
  /** Of the brightness. */
  scale: number;
  /** Mired. */
  coolest: number;
  warmest: number;
  /** The same in kelvin, as it was announced; undefined where the light speaks in mired. */
  kelvin: { min: number; max: number } | undefined;
}

const DEFAULT_SCALE = 255;

/** What cannot be is as if it were not said: upside down, or of nothing. */
export function rangeOf(options: Options): LightRange {
  const positive = (key: string): number | undefined => {
    const value = options.number(key) ?? 0;
    return value > 0 ? value : undefined;
  };
  const mired = (kelvin: number | undefined): number | undefined => kelvin && Math.round(1_000_000 / kelvin);
  const [minKelvin, maxKelvin] = [positive("min_kelvin"), positive("max_kelvin")];
  const bounds = [positive("min_mireds") ?? mired(maxKelvin) ?? 153, positive("max_mireds") ?? mired(minKelvin) ?? 500];
  const [coolest, warmest] = [Math.max(1, Math.min(...bounds)), Math.max(1, ...bounds)];
  const scale = positive("brightness_scale") ?? DEFAULT_SCALE;
  const range = [minKelvin ?? 1_000_000 / warmest, maxKelvin ?? 1_000_000 / coolest].map(Math.round);
  const kelvin = options.is("color_temp_kelvin") ? { min: Math.min(...range), max: Math.max(...range) } : undefined;
  return { scale: scale >= 1 ? scale : DEFAULT_SCALE, coolest, warmest, kelvin };
}

type Value = Pick<Attribute, "name" | "type"> & Partial<Attribute>;

/** The attribute of the brightness, and its shared word. `suffix`: of a lamp of several. */
export function brightnessOf({ scale }: LightRange, suffix = ""): [Value, SharedWord] {
  const attribute = { name: `brightness${suffix}`, type: "number", min: 0, max: scale, ...partIn(suffix) } as const;
  return [attribute, { word: "brightness_pct", conversion: percentBetween(0, scale) }];
}

/** A lamp's kelvin are round numbers on its box, and seldom in its announcement. */
const ROUND_KELVIN = 10;

interface Warmth {
  attribute: Value;
  also: SharedWord | undefined;
  /** Throws HubError `invalid`. */
  check: (value: Json) => Json;
}

/** In mired, with kelvin as its shared word; or in kelvin. */
export function warmthOf({ coolest, warmest, kelvin }: LightRange, suffix = ""): Warmth {
  const [part, conversion] = [partIn(suffix), kelvinOf(coolest, warmest)];
  if (!kelvin) {
    const name = `color_temp${suffix}`;
    const attribute = { name, type: "number", unit: "mired", min: coolest, max: warmest, ...part } as const;
    return { attribute, also: { word: "color_temp_k", conversion }, check: within(name, coolest, warmest) };
  }
  const { min, max } = kelvin;
  const name = `color_temp_k${suffix}`;
  const inStep = within(name, min - ROUND_KELVIN, max + ROUND_KELVIN, "K");
  return {
    attribute: { name, type: "number", unit: "K", min, max, word: "color_temp_k", ...part },
    also: undefined,
    check: (value) => Math.min(max, Math.max(min, inStep(value) as number)),
  };
}

export function partIn(suffix: string): Pick<Attribute, "part"> {
  return suffix === "" ? {} : { part: suffix.slice(1) };
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
