// What a bridge says a device exposes, read from what may hold anything: what is of the wrong type is left out, and there are bounds.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";

/** An element of `exposes`, or a feature of one. */
export interface Expose {
  type: string;
  name?: string;
  property?: string;
  description?: string;
  /** Bits: 1 in the state, 2 can be set, 4 can be asked for. */
  access: number;
  category?: "config" | "diagnostic";
  /** Home Assistant's, where it says so itself. */
  deviceClass?: string;
  unit?: string;
  endpoint?: string;
  value_min?: number;
  value_max?: number;
  value_step?: number;
  value_on?: Json;
  value_off?: Json;
  value_toggle?: Json;
  values: Json[];
  features: Expose[];
}

// The largest real device has 221, three deep.
const MAX_EXPOSES = 500;
const DEEPEST = 8;
const MAX_VALUES = 500;
const MAX_NAME = 128;
const MAX_DESCRIPTION = 500;
const FORBIDDEN_NAMES = new Set(["__proto__", "constructor", "prototype"]);

/** `isCut`: there were more than a device may have. */
export function readExposes(value: Json | undefined): { exposes: Expose[]; isCut: boolean } {
  let left = MAX_EXPOSES;

  function readAll(list: Json | undefined, depth: number): Expose[] {
    const read: Expose[] = [];
    if (!Array.isArray(list) || depth > DEEPEST) return read;
    for (const one of list) {
      if (left <= 0) break;
      if (!isObject(one) || typeof one.type !== "string") continue;
      left--;
      read.push({ ...readOne(one, one.type), features: readAll(one.features, depth + 1) });
    }
    return read;
  }

  const exposes = readAll(value, 1);
  return { exposes, isCut: left === 0 };
}

function readOne(from: JsonObject, type: string): Omit<Expose, "features"> {
  const { name, property, description, access, category, unit, endpoint, values } = from;
  const { value_min: min, value_max: max, value_step: step, value_on: on, value_off: off, value_toggle: toggle } = from;
  const { deviceClass } = isObject(from.homeassistant) ? from.homeassistant : {};
  return {
    type,
    access: typeof access === "number" ? access : 0,
    values: Array.isArray(values) ? values.filter((one) => !isObject(one)).slice(0, MAX_VALUES) : [],
    ...(isName(name) && { name }),
    ...(isName(property) && { property }),
    ...(typeof description === "string" && { description: description.slice(0, MAX_DESCRIPTION) }),
    ...((category === "config" || category === "diagnostic") && { category }),
    ...(isName(deviceClass) && { deviceClass }),
    ...(isName(unit) && { unit }),
    ...(isName(endpoint) && { endpoint }),
    ...(typeof min === "number" && { value_min: min }),
    ...(typeof max === "number" && { value_max: max }),
    ...(typeof step === "number" && { value_step: step }),
    ...(on !== undefined && { value_on: on }),
    ...(off !== undefined && { value_off: off }),
    ...(toggle !== undefined && { value_toggle: toggle }),
  };
}

function isName(value: Json | undefined): value is string {
  if (typeof value !== "string" || value === "" || value.length > MAX_NAME) return false;
  return !FORBIDDEN_NAMES.has(value) && !/\p{Cc}/u.test(value);
}
