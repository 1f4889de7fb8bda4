// What devices and groups have in common: properties in a state message, and a command that sets them.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Attribute, Outgoing, Report } from "../../described.ts";
import { wrong } from "../../words.ts";
import { derivedOf } from "./derived.ts";
import type { Property } from "./exposes.ts";

export interface Entity {
  attributes: Attribute[];
  read(state: JsonObject): Report;
  /** The payload that sets what is wanted. Throws HubError `invalid`. */
  write(wanted: JsonObject): JsonObject;
}

// The time of the message, which the hub knows itself, and what it reads elsewhere.
const IGNORED = new Set(["last_seen", "device", "elapsed"]);

/** `accepted`: names that a command may hold though they are no attributes: `transition`, … */
export function entityOf(properties: ReadonlyMap<string, Property>, accepted: ReadonlySet<string>): Entity {
  const derived = derivedOf(properties);
  const byAttribute = new Map([...properties.values()].map((one) => [one.attribute.name, one]));
  const derivedByName = new Map(derived.map((one) => [one.attribute.name, one]));
  return {
    attributes: [
      ...[...byAttribute.values()].map(({ attribute }) => attribute),
      ...derived.map(({ attribute }) => attribute),
    ],
    read(state) {
      const read: JsonObject = {};
      const actions: string[] = [];
      for (const key in state) {
        const value = state[key] as Json;
        if (key === "action") {
          if (typeof value === "string" && value !== "") actions.push(value);
          else continue;
        }
        const property = properties.get(key);
        const decoded = property ? property.decode(value) : IGNORED.has(key) ? undefined : value;
        if (decoded !== undefined) read[property?.attribute.name ?? key] = decoded;
      }
      for (const one of derived) one.read(read);
      return { attributes: read, actions };
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
  };
}

export function setMessage(topic: string, payload: JsonObject): Outgoing {
  return { topic: `${topic}/set`, payload: JSON.stringify(payload), qos: 1, retain: false };
}

/** Of `{"state":"online"}`, or of the text that older versions send; undefined for anything else. */
export function onlineIn(text: string, json: Json | undefined): boolean | undefined {
  const state = isObject(json) ? json.state : typeof json === "string" ? json : text.trim();
  return state === "online" ? true : state === "offline" ? false : undefined;
}

// The richest part says what it is.
const TYPES = ["climate", "cover", "lock", "light", "fan", "switch"];

export function deviceTypeOf(properties: ReadonlyMap<string, Property>): string {
  const all = [...properties.values()];
  const specific = TYPES.find((type) => all.some(({ of }) => of === type));
  if (specific) return specific;
  if (properties.has("action")) return "button";
  return all.some(({ attribute }) => attribute.type === "boolean") ? "binary_sensor" : "sensor";
}
