// One device of a zigbee2mqtt bridge, described from its element of `bridge/devices`.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Attribute, DescribedDevice, Outgoing, Report } from "../../described.ts";
import { wrong } from "../../words.ts";
import { derivedOf } from "./derived.ts";
import { type Expose, propertiesOf } from "./exposes.ts";

/** As far as it is read. What a bridge sends may hold anything. */
export interface BridgeDevice {
  ieee_address: string;
  friendly_name: string;
  manufacturer?: Json;
  model_id?: Json;
  definition?: { model?: Json; vendor?: Json; description?: Json; exposes?: Expose[]; options?: Expose[] } | null;
}

// The time of the message, which the hub knows itself, and what it reads elsewhere.
const IGNORED = new Set(["last_seen", "device", "elapsed"]);

/** `base`: the bridge's topic. */
export function describeBridgeDevice(base: string, device: BridgeDevice): DescribedDevice {
  const { ieee_address: ieee, friendly_name: name, definition } = device;
  const topic = `${base}/${name}`;
  const properties = propertiesOf(definition?.exposes ?? []);
  const derived = derivedOf(properties);
  const byAttribute = new Map([...properties.values()].map((one) => [one.attribute.name, one]));
  const options = new Set((definition?.options ?? []).flatMap(({ property }) => property ?? []));
  const attributes: Attribute[] = [
    ...[...properties.values()].map(({ attribute }) => attribute),
    ...derived.map(({ attribute }) => attribute),
  ];

  function readState(state: JsonObject): Report {
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
  }

  return {
    identity: ieee,
    identities: [ieee],
    name,
    deviceType: typeOf(definition?.exposes ?? []),
    manufacturer: textOr(definition?.vendor) ?? textOr(device.manufacturer),
    model: textOr(definition?.model) ?? textOr(device.model_id),
    area: undefined,
    parent: undefined,
    attributes,
    topics: [topic, `${topic}/availability`],
    read(from, { json, text }) {
      if (from !== topic) return { attributes: {}, actions: [], available: isOnline(json, text) };
      return isObject(json) ? readState(json) : { attributes: {}, actions: [] };
    },
    write(wanted): Outgoing[] {
      const payload: JsonObject = {};
      for (const [key, value] of Object.entries(wanted)) {
        const property = byAttribute.get(key);
        const other = derived.find(({ attribute }) => attribute.name === key);
        if (property?.attribute.writable) payload[property.property] = property.encode(value);
        else if (other?.attribute.writable) Object.assign(payload, other.write(value));
        else if (options.has(key)) payload[key] = value;
        else throw wrong(key, property || other ? "the device only reports it" : "the device has no such attribute");
      }
      return [{ topic: `${topic}/set`, payload: JSON.stringify(payload), qos: 1, retain: false }];
    },
  };
}

function isOnline(json: Json | undefined, text: string): boolean {
  return (isObject(json) ? json.state : text.trim()) === "online";
}

const textOr = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

// The richest part says what it is.
const TYPES = ["climate", "cover", "lock", "light", "fan", "switch"];

function typeOf(exposes: readonly Expose[]): string {
  const specific = TYPES.find((type) => exposes.some((one) => one.type === type));
  if (specific) return specific;
  if (exposes.some(({ property }) => property === "action")) return "button";
  return exposes.some(({ type }) => type === "binary") ? "binary_sensor" : "sensor";
}
