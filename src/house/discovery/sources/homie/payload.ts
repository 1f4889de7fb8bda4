// Between a property's payloads, which are texts, and its values: numbers, booleans, texts, colours, objects.
import { isObject, type Json, parseJson } from "../../../../kit/schema/json.ts";
import { hex, hueOfRgb, readRgb, rgbOfHue, rgbOfXy, xyOfRgb } from "../../colors.ts";
import type { Attribute } from "../../described.ts";
import { wrong } from "../../words.ts";
import type { HomieDescription, HomieProperty } from "./description.ts";

export interface Codec {
  attribute: Pick<Attribute, "type" | "min" | "max" | "step" | "options" | "format"> & { unit?: string };
  /** Undefined for what is none of its values. */
  decode(text: string): Json | undefined;
  /** Throws HubError `invalid`. */
  encode(value: Json, name: string): string;
}

const MAX_TEXT_LENGTH = 10_000;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

export function codecOf(property: HomieProperty, version: HomieDescription["version"]): Codec {
  switch (property.datatype) {
    case "integer":
    case "float":
      return numberCodec(property);
    case "boolean":
      return twoValues("true", "false");
    case "enum":
      return enumCodec(optionsIn(property, version), version);
    case "color":
      return colorCodec(colorFormatIn(property), version);
    case "datetime":
      return DATETIME;
    case "duration":
      return DURATION;
    case "json":
      return jsonCodec(property);
    default:
      return textCodec(version);
  }
}

function numberCodec(property: HomieProperty): Codec {
  const isWhole = property.datatype === "integer";
  const range = rangeIn(property);
  const { min = -Infinity, max = Infinity, step } = range;
  // A step is a multiple in the schema: one that does not begin at a multiple is kept to, and not said.
  const isMultiple = step !== undefined && Math.abs(rounded(0, range)) < step / 1e6;
  const { step: _, ...bounds } = range;
  return {
    attribute: {
      type: "number",
      ...(isMultiple ? range : isWhole && step === undefined ? { ...bounds, step: 1 } : bounds),
    },
    decode: (text) => (NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined),
    encode(value, name) {
      const near = typeof value === "number" && Number.isFinite(value) ? rounded(value, range) : Number.NaN;
      if (!(near >= min && near <= max) || (isWhole && !Number.isSafeInteger(near)))
        throw wrong(name, `must be a ${isWhole ? "whole " : ""}number${rangeText(range)}`);
      return String(near).replace("e+", "e");
    },
  };
}

function rangeText({ min, max }: Range): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  return min !== undefined ? ` of ${min} or more` : max !== undefined ? ` of ${max} or less` : "";
}

function twoValues(yes: string, no: string): Codec {
  return {
    attribute: { type: "boolean" },
    decode: (text) => (text === yes ? true : text === no ? false : undefined),
    encode(value, name) {
      if (typeof value !== "boolean") throw wrong(name, "must be true or false");
      return value ? yes : no;
    },
  };
}

function enumCodec(options: readonly string[] | undefined, version: HomieDescription["version"]): Codec {
  if (!options) return textCodec(version);
  const named = (word: string): string | undefined => options.find((one) => one.toLowerCase() === word);
  for (const [yes, no] of [
    [named("on"), named("off")],
    [named("true"), named("false")],
  ])
    if (options.length === 2 && yes !== undefined && no !== undefined) return twoValues(yes, no);
  const list = options.slice(0, 20).join(", ") + (options.length > 20 ? ", …" : "");
  return {
    attribute: { type: "string", options },
    decode: (text) => (options.includes(text) ? text : undefined),
    encode(value, name) {
      if (typeof value !== "string" || !options.includes(value)) throw wrong(name, `must be one of ${list}`);
      return value;
    },
  };
}

function textCodec(version: HomieDescription["version"]): Codec {
  return {
    attribute: { type: "string" },
    // In the fifth version a text of nothing is one NUL, as a message of nothing takes the topic away.
    decode: (text) => (version === 5 && text === "\0" ? "" : text.length > MAX_TEXT_LENGTH ? undefined : text),
    encode(value, name) {
      if (typeof value !== "string" || value.length > MAX_TEXT_LENGTH || value.includes("\0"))
        throw wrong(name, `must be a text of at most ${MAX_TEXT_LENGTH} characters`);
      return version === 5 && value === "" ? "\0" : value;
    },
  };
}

const DATETIME: Codec = {
  attribute: { type: "string", format: "date-time" },
  decode: (text) => (isDateTime(text) ? text : undefined),
  encode(value, name) {
    if (typeof value !== "string" || !isDateTime(value))
      throw wrong(name, "must be a date and time such as 2026-11-27T18:30:00Z");
    return value;
  },
};

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;

function isDateTime(text: string): boolean {
  const [, date, time = ""] = DATE_TIME.exec(text) ?? [];
  try {
    return date !== undefined && Temporal.PlainDateTime.from(date + time).year > 0;
  } catch {
    return false;
  }
}

/** In seconds. */
const DURATION: Codec = {
  attribute: { type: "number", unit: "s", min: 0 },
  decode(text) {
    const [, days, hours, minutes, seconds] =
      /^P(?=\d|T\d)(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12}(?:\.\d{1,9})?)S)?)?$/.exec(
        text,
      ) ?? [];
    const parts = [days, hours, minutes, seconds];
    if (parts.every((one) => one === undefined)) return undefined;
    return parts.reduce((sum, one, at) => sum + Number(one ?? 0) * ([86_400, 3600, 60, 1][at] ?? 0), 0);
  },
  encode(value, name) {
    if (typeof value !== "number" || !(value >= 0 && value <= 1e9)) throw wrong(name, "must be a number of seconds");
    const [hours, minutes] = [Math.floor(value / 3600), Math.floor((value % 3600) / 60)];
    const seconds = Number((value % 60).toFixed(3));
    return `PT${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${seconds > 0 || value < 60 ? `${seconds}S` : ""}`;
  },
};

function jsonCodec({ format }: HomieProperty): Codec {
  const schema = format === "" || format.length > MAX_TEXT_LENGTH ? undefined : parseJson(format);
  const isList = schema?.ok === true && isObject(schema.value) && schema.value.type === "array";
  const isMeant = (value: Json): boolean => isObject(value) || Array.isArray(value);
  return {
    attribute: { type: isList ? "array" : "object" },
    decode(text) {
      const parsed = text.length > MAX_TEXT_LENGTH ? undefined : parseJson(text);
      return parsed?.ok && isMeant(parsed.value as Json) ? (parsed.value as Json) : undefined;
    },
    encode(value, name) {
      const text = isMeant(value) ? JSON.stringify(value) : undefined;
      if (text === undefined || text.length > MAX_TEXT_LENGTH)
        throw wrong(name, `must be an object or a list, of at most ${MAX_TEXT_LENGTH} characters as JSON`);
      return text;
    },
  };
}

const KEYS = { rgb: ["r", "g", "b"], hsv: ["h", "s", "v"], xyz: ["x", "y"] } as const;
const LIMITS = { rgb: [255, 255, 255], hsv: [360, 100, 100], xyz: [1, 1] } as const;

/** `rgb,255,128,0`; before the fifth version without the word. As a value `{"r":255,"g":128,"b":0}`. */
function colorCodec(preferred: ColorFormat, version: HomieDescription["version"]): Codec {
  return {
    attribute: { type: "object" },
    decode(text) {
      const parts = text.split(",");
      const format = version === 5 ? parts.shift() : preferred;
      if (format !== "rgb" && format !== "hsv" && format !== "xyz") return undefined;
      const limits = LIMITS[format];
      const isColor =
        parts.length === limits.length &&
        parts.every((one, at) => NUMBER.test(one) && Number(one) >= 0 && Number(one) <= (limits[at] ?? 0));
      return isColor ? Object.fromEntries(KEYS[format].map((key, at) => [key, Number(parts[at])])) : undefined;
    },
    encode(value, name) {
      const channels = inFormat(value, preferred);
      if (!channels) throw wrong(name, 'must be a colour such as "#ff8800" or {"r":255,"g":136,"b":0}');
      return [...(version === 5 ? [preferred] : []), ...channels].join(",");
    },
  };
}

function inFormat(value: Json, format: ColorFormat): number[] | undefined {
  if (isObject(value)) {
    const own = KEYS[format].map((key) => value[key]);
    const isOwn = own.every(
      (one, at): one is number => typeof one === "number" && one >= 0 && one <= (LIMITS[format][at] ?? 0),
    );
    if (isOwn) return own as number[];
  }
  const rgb = rgbOf(value);
  if (!rgb) return undefined;
  if (format === "rgb") return [rgb.r, rgb.g, rgb.b];
  const { hue, saturation } = hueOfRgb(rgb);
  if (format === "hsv") return [hue, saturation, Math.round(Math.max(rgb.r, rgb.g, rgb.b) / 2.55)];
  const { x, y } = xyOfRgb(rgb);
  return [x, y];
}

function rgbOf(value: Json): { r: number; g: number; b: number } | undefined {
  const text = typeof value === "string" ? value : isObject(value) ? shownColor(value) : undefined;
  return text === undefined ? undefined : readRgb(text);
}

/** `#rrggbb`; of hue and saturation also how bright it is. */
export function shownColor(value: Json): string | undefined {
  if (!isObject(value)) return undefined;
  const { r, g, b, h, s, v = 100, x, y } = value;
  if (typeof r === "number" && typeof g === "number" && typeof b === "number") return hex([r, g, b]);
  if (typeof x === "number" && typeof y === "number") return rgbOfXy({ x, y });
  if (typeof h !== "number" || typeof s !== "number" || typeof v !== "number") return undefined;
  const full = readRgb(rgbOfHue(h, s));
  return full && hex([full.r, full.g, full.b].map((one) => (one * v) / 100));
}

interface Range {
  min?: number;
  max?: number;
  step?: number;
}

const MAX_FORMAT_LENGTH = 16_384;
const MAX_OPTIONS = 200;
const MAX_OPTION_LENGTH = 100;

/** `min:max:step`, each of which may be missing. Without bounds where it is no range. */
function rangeIn({ format }: Pick<HomieProperty, "format">): Range {
  if (format.length > MAX_OPTION_LENGTH) return {};
  const parts = format.split(":").map((one) => one.trim());
  if (parts.length < 2 || parts.length > 3) return {};
  const [min, max, step] = parts.map((one) => (one === "" ? undefined : Number(one)));
  const numbers = [min, max, step].filter((one) => one !== undefined);
  if (numbers.some((one) => !Number.isFinite(one)) || (step !== undefined && step <= 0)) return {};
  if (min !== undefined && max !== undefined && min >= max) return {};
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...(step !== undefined && { step }) };
}

/** Undefined where it lists none, or more than anybody could choose from. */
function optionsIn({ format }: Pick<HomieProperty, "format">, version: 3 | 4 | 5): string[] | undefined {
  if (format === "" || format.length > MAX_FORMAT_LENGTH) return undefined;
  // In the third version a doubled comma is one of a value.
  const parts = version === 3 ? format.replaceAll(",,", "\0").split(",") : format.split(",");
  const options = parts
    .map((one) => (version === 5 ? one : one.replaceAll("\0", ",").trim()))
    .filter((one) => one !== "");
  const all = [...new Set(options)];
  return all.length === 0 || all.length > MAX_OPTIONS || all.some((one) => one.length > MAX_OPTION_LENGTH)
    ? undefined
    : all;
}

type ColorFormat = "rgb" | "hsv" | "xyz";

/** The one that the device prefers. */
function colorFormatIn({ format }: Pick<HomieProperty, "format">): ColorFormat {
  const known = format
    .slice(0, MAX_OPTION_LENGTH)
    .split(",")
    .map((one) => one.trim());
  return known.find((one): one is ColorFormat => one === "rgb" || one === "hsv" || one === "xyz") ?? "rgb";
}

/** To the nearest step, counted from the begin of the range. */
function rounded(value: number, { min, max, step }: Range): number {
  if (step === undefined) return value;
  const base = min ?? max ?? 0;
  const places = Math.max(
    ...[step, base]
      .map((one) => /(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(one)))
      .map((found) => (found?.[1]?.length ?? 0) + Number(found?.[2] ?? 0)),
  );
  return Number((Math.round((value - base) / step) * step + base).toFixed(Math.min(places, 20)));
}
