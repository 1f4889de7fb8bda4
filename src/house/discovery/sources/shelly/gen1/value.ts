// One attribute of a Shelly of the first generation: it is read from a topic of its own, or from one that holds JSON.
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import type { Attribute, Message } from "../../../described.ts";
import { numberIn } from "../../../numbers.ts";

/** A message below the device's topics. Several settings of one topic are one message. */
export interface Sending {
  path: string;
  payload: string | JsonObject;
}

export interface Value {
  attribute: Attribute;
  /** Undefined where the message says nothing of it. */
  decode?(message: Message): Json | undefined;
  /** `wanted`: all that is to be brought about at once. Throws HubError `invalid`. */
  encode?(value: Json, wanted: JsonObject): Sending;
}

/** What a topic is read as, and the presses that it reports. */
export interface Part {
  values: Value[];
  actions?(message: Message): string[];
}

export type Decode = (message: Message) => Json | undefined;

const READABLE = { readable: true, writable: false } as const;

/** The whole payload. */
export const whole: Decode = ({ text }) => text.trim().slice(0, 100);

/** A value in a payload of JSON. */
export function at(...path: (string | number)[]): Decode {
  return ({ json }) => {
    let value: Json | undefined = json;
    for (const part of path) {
      if (Array.isArray(value) && typeof part === "number") value = value[part];
      else value = isObject(value) && typeof part === "string" && Object.hasOwn(value, part) ? value[part] : undefined;
    }
    return value;
  };
}

export function numeric(name: string, from: Decode, more: Partial<Attribute> = {}): Value {
  return {
    attribute: { ...READABLE, name, type: "number", ...more },
    decode: (message) => numberIn(from(message)),
  };
}

export function truth(name: string, from: Decode, more: Partial<Attribute> = {}): Value {
  return {
    attribute: { ...READABLE, name, type: "boolean", ...more },
    decode: (message) => truthIn(from(message)),
  };
}

export function text(name: string, from: Decode, more: Partial<Attribute> = {}): Value {
  return {
    attribute: { ...READABLE, name, type: "string", ...more },
    decode(message) {
      const value = from(message);
      return typeof value === "string" && value !== "" ? value : undefined;
    },
  };
}

const TRUE: readonly (Json | undefined)[] = [true, 1, "1", "true", "on", "open"];
const FALSE: readonly (Json | undefined)[] = [false, 0, "0", "false", "off", "close", "overpower"];

/** `overpower`: it switched itself off. */
function truthIn(value: Json | undefined): boolean | undefined {
  return TRUE.includes(value) ? true : FALSE.includes(value) ? false : undefined;
}
