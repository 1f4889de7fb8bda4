// One device of a zigbee2mqtt bridge, described from its element of `bridge/devices`.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, DescribedDevice } from "../../described.ts";
import { entityOf, onlineIn, setMessage } from "./entity.ts";
import { readExposes } from "./expose.ts";
import { isSpecific, propertiesOf } from "./exposes.ts";
import type { Member } from "./group.ts";
import { isTopicName, type Place } from "./place.ts";
import { commandsBeside, deviceRequests } from "./requests.ts";

/** As far as it is checked. What a bridge sends may hold anything. */
export interface BridgeDevice extends JsonObject {
  ieee_address: string;
  friendly_name: string;
  definition: JsonObject;
}

/** Undefined for the coordinator, which is the bridge itself, for one that is disabled, and for one that is still being interviewed. */
export function readBridgeDevice(one: Json): BridgeDevice | undefined {
  if (!isObject(one)) return undefined;
  const { ieee_address: ieee, friendly_name: name, type, disabled, definition } = one;
  if (typeof ieee !== "string" || !/^[\w:.-]{1,64}$/.test(ieee) || !isTopicName(name)) return undefined;
  if (type === "Coordinator" || disabled === true || !isObject(definition)) return undefined;
  return { ...one, ieee_address: ieee, friendly_name: name, definition };
}

export interface DescribedBridgeDevice {
  device: DescribedDevice;
  /** For groups that it is a member of. */
  member: Member;
  problem: string | undefined;
}

export function describeBridgeDevice(
  { base, parent, reachable }: Place,
  {
    ieee_address: ieee,
    friendly_name: name,
    definition,
    manufacturer,
    model_id,
    endpoints,
    software_build_id,
  }: BridgeDevice,
): DescribedBridgeDevice {
  const topic = `${base}/${name}`;
  const { exposes, isCut } = readExposes(definition.exposes);
  const properties = propertiesOf(exposes);
  const accepted = new Set(readExposes(definition.options).exposes.flatMap(({ property }) => property ?? []));
  const entity = entityOf(exposes, properties, accepted);
  const own = new Set(entity.attributes.map((one) => one.name));
  const hasOta = definition.supports_ota === true;
  const firmware = hasOta ? firmwareOf(own) : undefined;
  const commands = commandsBeside(entity.attributes, base, deviceRequests(ieee, { hasOta }));
  const attributes: Attribute[] = [...commands.attributes, ...(firmware?.attributes ?? [])];
  const device: DescribedDevice = {
    identity: ieee,
    identities: [ieee, `zigbee2mqtt_${ieee}`],
    name,
    deviceType: entity.deviceType,
    manufacturer: textOr(definition.vendor) ?? textOr(manufacturer),
    model: textOr(definition.model) ?? textOr(model_id),
    ...(textOr(software_build_id) && { hardware: { sw_version: textOr(software_build_id) ?? "" } }),
    area: undefined,
    parent,
    attributes,
    topics: [topic, `${topic}/availability`],
    read(from, { json, text }) {
      if (from !== topic) {
        const online = onlineIn(text, json);
        return { attributes: {}, actions: [], ...(online !== undefined && { available: reachable(ieee, online) }) };
      }
      if (!isObject(json)) return { attributes: {}, actions: [] };
      const report = entity.read(json);
      firmware?.read(report.attributes);
      return report;
    },
    write(wanted) {
      const asked = firmware && wanted.install_update === true ? { command: "ota_update" } : wanted;
      return [commands.requestOf(asked) ?? setMessage(topic, entity.write(wanted))];
    },
    assume: entity.assume,
  };
  const member = { name, exposes: exposes.filter(isSpecific), accepted, endpointName: endpointNames(endpoints) };
  return { device, member, problem: isCut ? "it exposes too much: what comes last is left out" : undefined };
}

function endpointNames(endpoints: Json | undefined): Member["endpointName"] {
  const names = new Map<string, string>();
  for (const [number, one] of isObject(endpoints) ? Object.entries(endpoints) : [])
    if (isObject(one) && typeof one.name === "string") names.set(number, one.name);
  return (endpoint) => names.get(endpoint);
}

const textOr = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const UPDATE: Attribute = {
  ...{ name: "update", type: "object", readable: true, writable: false, category: "diagnostic" },
  description: "What is known of new firmware",
};
const INSTALL: Attribute = {
  ...{ name: "install_update", type: "boolean", readable: false, writable: true, category: "config" },
  description: "Set to true, it is updated",
};
const PARTS: readonly { attribute: Attribute; of(update: JsonObject): Json | undefined }[] = [
  part({ name: "update_available", type: "boolean" }, ({ state }) =>
    state === undefined ? undefined : state === "available",
  ),
  part({ name: "update_state", type: "string" }, ({ state }) => state),
  part({ name: "update_in_progress", type: "boolean" }, ({ state }) =>
    state === undefined ? undefined : state === "updating",
  ),
  // Only while it is being updated.
  part({ name: "update_progress", type: "number", unit: "%", min: 0, max: 100 }, ({ progress = null }) => progress),
  part({ name: "installed_version", type: "number" }, ({ installed_version: version }) => version),
  part({ name: "latest_version", type: "number" }, ({ latest_version: version }) => version),
];

function part(
  attribute: Pick<Attribute, "name" | "type"> & Partial<Attribute>,
  of: (update: JsonObject) => Json | undefined,
) {
  return {
    attribute: { ...attribute, readable: true, writable: false, category: "diagnostic", derived: true } as Attribute,
    of,
  };
}

interface Firmware {
  attributes: Attribute[];
  /** Adds to what was read of a state. */
  read(read: JsonObject): void;
}

/** `own`: names of attributes that the device has itself. */
function firmwareOf(own: ReadonlySet<string>): Firmware {
  const parts = PARTS.filter(({ attribute }) => !own.has(attribute.name));
  return {
    attributes: [...[UPDATE, INSTALL].filter(({ name }) => !own.has(name)), ...parts.map(({ attribute }) => attribute)],
    read(read) {
      const { update } = read;
      if (!isObject(update)) return;
      for (const { attribute, of } of parts) {
        const value = of(update);
        if (value !== undefined) read[attribute.name] = value;
      }
    },
  };
}
