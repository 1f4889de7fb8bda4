// What zigbee2mqtt says a device exposes, as attributes: their names and types in the hub's words, and how values go in and out.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Attribute, AttributeType } from "../../described.ts";
import { wrong } from "../../words.ts";
import type { Expose } from "./expose.ts";

/** One property of a device. */
export interface Property {
  /** Its name in zigbee2mqtt's messages. */
  property: string;
  attribute: Attribute;
  /** Undefined for what is no value of it. */
  decode(value: Json): Json | undefined;
  /** Throws HubError `invalid`. */
  encode(value: Json): Json;
  /** The light, cover, … it is a feature of, and its name there. */
  of: string | undefined;
  feature: string;
}

const SPECIFIC = new Set(["light", "switch", "fan", "cover", "lock", "climate"]);
const IN_STATE = 1;
const SETTABLE = 2;

/** A light, a cover, …: what it consists of are its features. */
export function isSpecific({ type }: Expose): boolean {
  return SPECIFIC.has(type);
}

/** Each property once; the first of a name counts. */
export function propertiesOf(exposes: readonly Expose[]): Map<string, Property> {
  const found = new Map<string, Property>();
  for (const expose of exposes) {
    const parts = isSpecific(expose) ? expose.features : [expose];
    const of = isSpecific(expose) ? expose.type : undefined;
    for (const part of parts) {
      const made = propertyOf(part, of);
      const known = made && found.get(made.property);
      if (made) found.set(made.property, known ? both(known, made) : made);
    }
  }
  return found;
}

/** A colour is exposed twice, as x and y and as hue and saturation; a few covers have a state of their own beside the usual one. */
function both(one: Property, other: Property): Property {
  const { options } = one.attribute;
  const all = options && other.attribute.options && [...new Set([...options, ...other.attribute.options])];
  const writable = one.attribute.writable || other.attribute.writable;
  return {
    ...one,
    attribute: { ...one.attribute, writable, ...(all && { options: all }) },
    encode: (value) => (other.attribute.options?.some((option) => option === value) ? other : one).encode(value),
  };
}

function propertyOf(expose: Expose, of: string | undefined): Property | undefined {
  const { property, name = property, access, category, unit, description } = expose;
  if (property === undefined || name === undefined) return undefined;
  const codec = codecOf(expose);
  const attribute: Attribute = {
    name: attributeName(expose, of, property),
    type: codec.type,
    readable: (access & IN_STATE) !== 0,
    writable: (access & SETTABLE) !== 0,
    ...(unit !== undefined && { unit }),
    ...limitsOf(expose),
    ...(codec.options && { options: codec.options }),
    ...(property === "linkquality" ? { category: "diagnostic" } : category && { category }),
    ...(description !== undefined && { description }),
  };
  return {
    property,
    attribute,
    of,
    feature: name,
    decode: codec.decode,
    encode: (value) => codec.encode(value, attribute.name),
  };
}

function limitsOf({ type, value_min: min, value_max: max, value_step: step }: Expose): Partial<Attribute> {
  if (type !== "numeric") return {};
  return {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(step !== undefined && { step }),
  };
}

// In the hub's words: on, locked. What zigbee2mqtt calls `state_l1` is `on_l1`.
const STATE_WORDS: Readonly<Record<string, string>> = { light: "on", switch: "on", fan: "on", lock: "locked" };

function attributeName(expose: Expose, of: string | undefined, property: string): string {
  const rest = /^state(_.+)?$/.exec(property);
  if (!rest || expose.type !== "binary") return property;
  const word = of === undefined ? genericWord(expose, property) : STATE_WORDS[of];
  return word === undefined ? property : `${word}${rest[1] ?? ""}`;
}

/** A valve or a siren is exposed without being called one: what can be switched ON and OFF is `on`. */
function genericWord({ value_on: on, value_off: off, access, endpoint }: Expose, property: string): string | undefined {
  const isState = property === "state" || property === `state_${endpoint}`;
  return isState && on === "ON" && off === "OFF" && (access & SETTABLE) !== 0 ? "on" : undefined;
}

interface Codec {
  type: AttributeType;
  options?: readonly string[];
  decode(value: Json): Json | undefined;
  encode(value: Json, name: string): Json;
}

function codecOf(expose: Expose): Codec {
  switch (expose.type) {
    case "binary":
      return binaryCodec(expose);
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

function binaryCodec({ value_on: on = true, value_off: off = false, value_toggle: toggle }: Expose): Codec {
  return {
    type: "boolean",
    decode: (value) => (value === on ? true : value === off ? false : value === null ? null : undefined),
    encode(value, name) {
      if (value === true) return on;
      if (value === false) return off;
      if (value === "toggle" && toggle !== undefined) return toggle;
      throw wrong(name, `must be true or false${toggle === undefined ? "" : ', or "toggle"'}`);
    },
  };
}

function numericCodec({ value_min: min, value_max: max, unit = "" }: Expose): Codec {
  return {
    type: "number",
    decode: (value) => (typeof value === "number" || value === null ? value : numberIn(value)),
    encode(value, name) {
      if (typeof value !== "number") throw wrong(name, "must be a number");
      if ((min !== undefined && value < min) || (max !== undefined && value > max))
        throw wrong(name, `must be from ${min ?? "…"} to ${max ?? "…"}${unit ? ` ${unit}` : ""}, not ${value}`);
      return value;
    },
  };
}

/** Some devices report texts for a moment. */
function numberIn(value: Json): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
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
