// What devices and groups have in common: properties in a state message, and a command that sets them.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, Outgoing, Report } from "../../described.ts";
import { besideAction } from "../../presses.ts";
import { wrong } from "../../words.ts";
import type { Expose } from "./expose.ts";
import { type Property, richest } from "./exposes.ts";
import type { Derived } from "./words/derived.ts";
import { derivedOf, named } from "./words/index.ts";

export interface Entity {
  attributes: Attribute[];
  deviceType: string;
  read(state: JsonObject): Report;
  /** The payload that sets what is wanted. Throws HubError `invalid`. */
  write(wanted: JsonObject): JsonObject;
  /** What is known once it has been sent. */
  assume(wanted: JsonObject): JsonObject;
}

// The time of the message, which the hub knows itself, and what it reads elsewhere.
const IGNORED = new Set(["last_seen", "device", "elapsed"]);

/** `accepted`: names that a command may hold though they are no attributes: `transition`, … */
export function entityOf(
  exposes: readonly Expose[],
  described: ReadonlyMap<string, Property>,
  accepted: ReadonlySet<string>,
): Entity {
  const words = derivedOf(exposes, described);
  const properties = named(described, words);
  const derived = words.filter(({ corrects }) => !corrects);
  const byAttribute = new Map([...properties.values()].map((one) => [one.attribute.name, one]));
  const derivedByName = new Map(derived.map((one) => [one.attribute.name, one]));
  return {
    attributes: [
      ...[...byAttribute.values()].map(({ attribute }) => attribute),
      ...derived.map(({ attribute }) => ({ ...attribute, ...nowOf(attribute, described, properties) })),
    ],
    deviceType: deviceTypeOf(properties, derivedByName),
    read(state) {
      const read: JsonObject = {};
      const own: JsonObject = {};
      const actions: string[] = [];
      for (const key in state) {
        const value = state[key] as Json;
        if (key === "action") {
          if (typeof value === "string" && value !== "") actions.push(value);
          else continue;
        }
        const property = properties.get(key);
        const decoded = property ? property.decode(value) : IGNORED.has(key) ? undefined : value;
        if (decoded === undefined) continue;
        own[key] = decoded;
        // What it never announced bears no shared word's name.
        read[property?.attribute.name ?? (derivedByName.has(key) ? `${key}_own` : key)] = decoded;
      }
      for (const { attribute, read: readOf } of words) {
        const value = readOf(own);
        if (value !== undefined) read[attribute.name] = value;
      }
      return { attributes: read, actions: actions.map((action) => ({ action, data: besideAction(state) })) };
    },
    write(wanted) {
      const payload: JsonObject = {};
      for (const [key, value] of Object.entries(wanted)) {
        const property = byAttribute.get(key);
        const other = derivedByName.get(key);
        if (property?.attribute.writable) payload[property.property] = property.encode(value);
        else if (other?.attribute.writable) Object.assign(payload, other.write(value));
        else if (accepted.has(key)) payload[key] = value;
        else throw wrong(key, property || other ? "the device only reports it" : "the device has no such attribute");
      }
      return payload;
    },
    assume: (wanted) =>
      Object.fromEntries(Object.entries(wanted).filter(([key]) => derivedByName.get(key)?.assumed === true)),
  };
}

/** The name by now of what a derived attribute is made from. */
function nowOf(
  { of }: Attribute,
  described: ReadonlyMap<string, Property>,
  properties: ReadonlyMap<string, Property>,
): Pick<Attribute, "of"> {
  for (const [key, { attribute }] of described)
    if (attribute.name === of) return { of: properties.get(key)?.attribute.name ?? of };
  return {};
}

export function setMessage(topic: string, payload: JsonObject): Outgoing {
  return { topic: `${topic}/set`, payload: JSON.stringify(payload), qos: 1, retain: false };
}

/** Of `{"state":"online"}`, or of the text that older versions send; undefined for anything else. */
export function onlineIn(text: string, json: Json | undefined): boolean | undefined {
  const state = isObject(json) ? json.state : typeof json === "string" ? json : text.trim();
  return state === "online" ? true : state === "offline" ? false : undefined;
}

/** The richest part says what it is; a siren is one also where it senses smoke. */
function deviceTypeOf(properties: ReadonlyMap<string, Property>, derived: ReadonlyMap<string, Derived>): string {
  const all = [...properties.values()];
  // A fan among lamps that are switched together is none.
  const switched = all.find(({ attribute }) => attribute.name === "on")?.of;
  const specific = richest(new Set(all.map(({ of }) => of)));
  if (specific) return specific === "fan" ? (switched ?? specific) : specific;
  if (derived.has("on")) return derived.get("on")?.attribute.of === "state" ? "valve" : "siren";
  if (all.some(({ attribute }) => attribute.name === "locked")) return "lock";
  if (all.some(({ attribute }) => attribute.word === "on")) return "switch";
  if (properties.has("action")) return "button";
  return all.some(({ attribute }) => attribute.type === "boolean") ? "binary_sensor" : "sensor";
}
