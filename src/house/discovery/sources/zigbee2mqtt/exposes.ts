// What zigbee2mqtt says a device exposes, as attributes: their names and types in the hub's words, and how values go in and out.
import type { Json } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";
import { isOfLock } from "./binary.ts";
import { classOf, isContact } from "./classes.ts";
import { codecOf } from "./codecs.ts";
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
  /** The two that it says, of a property with two values. */
  words: readonly Json[];
  /** What ends the names of all that is of the same part: `_l1`, or nothing. */
  suffix: string;
}

/** The richest first: a ceiling fan with a lamp is a fan. */
const SPECIFIC = ["climate", "cover", "lock", "fan", "light", "switch"] as const;
const IN_STATE = 1;
const SETTABLE = 2;

/** A light, a cover, …: what it consists of are its features. */
export function isSpecific({ type }: Expose): boolean {
  return SPECIFIC.some((one) => one === type);
}

/** Which of the kinds a device is that has several. */
export function richest(kinds: ReadonlySet<string | undefined>): string | undefined {
  return SPECIFIC.find((one) => kinds.has(one));
}

/** Each property once; the first of a name counts. `kind`: what the whole is, whose `state` is its `on`. */
export function propertiesOf(
  exposes: readonly Expose[],
  kind = richest(new Set(exposes.map(({ type }) => type))),
): Map<string, Property> {
  const found = new Map<string, Property>();
  for (const expose of exposes) {
    const parts = isSpecific(expose) ? expose.features : [expose];
    const of = isSpecific(expose) ? expose.type : undefined;
    for (const part of parts) {
      const made = propertyOf(part, { of, kind });
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
  // What is exposed alone as well is a feature all the same.
  const { of, feature, suffix } = one.of === undefined ? other : one;
  return {
    ...{ ...one, of, feature, suffix },
    attribute: { ...one.attribute, writable, ...(all && { options: all }) },
    encode: (value) => (other.attribute.options?.some((option) => option === value) ? other : one).encode(value),
  };
}

interface Within {
  /** The light, cover, … that it is a feature of. */
  of: string | undefined;
  /** What the whole device is. */
  kind: string | undefined;
}

function propertyOf(expose: Expose, within: Within): Property | undefined {
  const { property, name = property, access, category, unit, description } = expose;
  if (property === undefined || name === undefined) return undefined;
  const { of } = within;
  const { type, options, min, max, decode, encode } = codecOf(expose, of);
  const named = nameOf(expose, property, within);
  const attribute: Attribute = {
    type,
    readable: (access & IN_STATE) !== 0,
    writable: (access & SETTABLE) !== 0 && !isContact(expose),
    ...(unit !== undefined && { unit }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(type === "number" && expose.value_step !== undefined && { step: expose.value_step }),
    ...(options && { options }),
    ...classOf(expose, of),
    ...(category && { category }),
    ...(property === "linkquality" && { category: "diagnostic" as const }),
    ...(description !== undefined && { description }),
    ...named,
    ids: [property],
  };
  return {
    ...{ property, attribute, of, feature: name, suffix: suffixOf(expose, property, name), decode },
    words: [expose.value_on, expose.value_off].filter((one) => one !== undefined),
    encode: (value) => encode(value, attribute.name),
  };
}

// What zigbee2mqtt calls `state_l1` is `on_l1`.
const STATE_WORDS: Readonly<Record<string, string>> = { light: "on", switch: "on", fan: "on", lock: "locked" };

/** In the hub's words: on, locked. */
function nameOf(expose: Expose, property: string, { of, kind }: Within): Pick<Attribute, "name" | "word" | "part"> {
  const [, part] = /^state(_.+)?$/.exec(property) ?? [undefined, ""];
  const isState = expose.type === "binary" && /^state(_.+)?$/.test(property);
  if (isPosition(expose, of)) return { name: property, word: "position" };
  const word = !isState ? undefined : of === undefined ? genericWord(expose, property) : STATE_WORDS[of];
  if (word === undefined) return { name: property };
  // The lamp of a ceiling fan: what turns the fan off is not what turns the lamp off.
  const isBeside = word === "on" && part === undefined && kind === "fan" && of !== undefined && of !== kind;
  return isBeside ? { name: `${word}_${of}`, word, part: of } : { name: `${word}${part ?? ""}`, word };
}

/** Of a cover, 100 is open. */
function isPosition({ name, type, value_min: min, value_max: max }: Expose, of: string | undefined): boolean {
  return of === "cover" && name === "position" && type === "numeric" && min === 0 && max === 100;
}

/** A valve or a siren is exposed without being called one: what can be switched ON and OFF is `on`. So are locks that only report. */
function genericWord(expose: Expose, property: string): string | undefined {
  const { value_on: on, value_off: off, access, endpoint } = expose;
  if (property !== "state" && property !== `state_${endpoint}`) return undefined;
  if (isOfLock(expose)) return "locked";
  return on === "ON" && off === "OFF" && (access & SETTABLE) !== 0 ? "on" : undefined;
}

/** `brightness_l1` is of `_l1`; the property of `color_xy` is `color`. */
function suffixOf({ endpoint }: Expose, property: string, name: string): string {
  if (endpoint !== undefined && property.endsWith(`_${endpoint}`)) return `_${endpoint}`;
  const isColor = name.startsWith("color_") && property.startsWith("color") && !property.startsWith(name);
  const stem = isColor ? "color" : name;
  return property.startsWith(`${stem}_`) ? property.slice(stem.length) : "";
}
