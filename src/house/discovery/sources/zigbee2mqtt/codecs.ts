// How the values of what zigbee2mqtt exposes go in and out, by the kind of expose.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { AttributeType } from "../../described.ts";
import { numberIn } from "../../numbers.ts";
import { wrong } from "../../words.ts";
import { wordsOf } from "./binary.ts";
import type { Expose } from "./expose.ts";

export interface Codec {
  type: AttributeType;
  options?: readonly string[];
  min?: number;
  max?: number;
  /** Undefined for what is no value of it. */
  decode(value: Json): Json | undefined;
  /** Throws HubError `invalid`. */
  encode(value: Json, name: string): Json;
}

/** `kind`: the light, cover, … that it is a feature of. */
export function codecOf(expose: Expose, kind: string | undefined): Codec {
  switch (expose.type) {
    case "binary":
      return binaryCodec(expose, kind);
    case "numeric":
      return numericCodec(expose);
    case "enum":
      return enumCodec(expose);
    case "text":
      return { type: "string", decode: (value) => value, encode: textOf };
    case "list":
      return { type: "array", decode: (value) => value, encode: listOf };
    default:
      return { type: "object", decode: (value) => value, encode: objectOf };
  }
}

/** JSON `true` and `false` stay what they are, whatever the device calls on: a `contact` that is true is closed. */
function binaryCodec(expose: Expose, kind: string | undefined): Codec {
  const { value_toggle: toggle } = expose;
  const { yes, no } = wordsOf(expose, kind);
  return {
    type: "boolean",
    decode(value) {
      if (value === null || typeof value === "boolean") return value;
      return value === yes ? true : value === no ? false : undefined;
    },
    encode(value, name) {
      if (value === true) return yes;
      if (value === false) return no;
      if (value === "toggle" && toggle !== undefined) return toggle;
      throw wrong(name, `must be true or false${toggle === undefined ? "" : ', or "toggle"'}`);
    },
  };
}

// Of what names no step: a whole number beyond a range of many.
const MIN_SPAN_OF_WHOLE = 10;

/** A range upside down is turned, and one of nothing is none; what lies within a step of it is taken. */
function numericCodec({ value_min: from, value_max: to, value_step: step, unit = "" }: Expose): Codec {
  const isTurned = from !== undefined && to !== undefined && from > to;
  const [min = -Infinity, max = Infinity] = from === 0 && to === 0 ? [] : isTurned ? [to, from] : [from, to];
  const margin = step !== undefined && step > 0 ? step : max - min >= MIN_SPAN_OF_WHOLE ? 1 : 0;
  return {
    type: "number",
    ...(min !== -Infinity && { min }),
    ...(max !== Infinity && { max }),
    decode: (value) => (typeof value === "number" || value === null ? value : numberIn(value)),
    encode(value, name) {
      if (typeof value !== "number") throw wrong(name, "must be a number");
      if (value >= min - margin && value <= max + margin) return Math.min(max, Math.max(min, value));
      const [least, most] = [min, max].map((one) => (Number.isFinite(one) ? one : "…"));
      throw wrong(name, `must be from ${least} to ${most}${unit ? ` ${unit}` : ""}, not ${value}`);
    },
  };
}

function enumCodec({ values }: Expose): Codec {
  const options = values.map(String);
  return {
    type: "string",
    options,
    decode: (value) => value,
    encode(value, name) {
      const at = typeof value === "string" ? options.indexOf(value) : values.indexOf(value);
      if (at < 0) throw wrong(name, `must be one of ${options.join(", ")}`);
      return values[at] ?? null;
    },
  };
}

function textOf(value: Json, name: string): Json {
  if (typeof value !== "string") throw wrong(name, "must be a text");
  return value;
}

function listOf(value: Json, name: string): Json {
  if (!Array.isArray(value)) throw wrong(name, "must be a list");
  return value;
}

function objectOf(value: Json, name: string): Json {
  if (!isObject(value)) throw wrong(name, "must be an object");
  return value as JsonObject;
}
