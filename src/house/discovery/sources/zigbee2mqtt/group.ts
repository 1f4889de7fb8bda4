// A group of a zigbee2mqtt bridge: whatever its members can be commanded, all of them can be commanded at once.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, DescribedDevice } from "../../described.ts";
import { entityOf, onlineIn, setMessage } from "./entity.ts";
import type { Expose } from "./expose.ts";
import { isSpecific, propertiesOf, richest } from "./exposes.ts";
import { isTopicName, type Place } from "./place.ts";
import { commandsBeside, groupRequests } from "./requests.ts";

/** An element of `bridge/groups`, as far as it is read. */
export interface BridgeGroup {
  id: number;
  name: string;
  members: readonly { ieee: string; endpoint: string }[];
}

/** A device that may be a member. */
export interface Member {
  name: string;
  exposes: readonly Expose[];
  /** Names of options that its commands may hold. */
  accepted: ReadonlySet<string>;
  /** The name that its properties bear at their end, by endpoint. */
  endpointName(endpoint: string): string | undefined;
}

// What a group itself can do beside what its members can.
const SCENES = ["scene_recall", "scene_store", "scene_add", "scene_remove", "scene_remove_all", "scene_rename"];
// zigbee2mqtt's own, for bindings.
const INTERNAL_GROUP = 901;
const MEMBERS: Attribute = {
  ...{ name: "members", type: "array", readable: true, writable: false, category: "diagnostic" },
  description: "The devices in it, each as device_id and name",
};

export function readBridgeGroup(one: Json): BridgeGroup | undefined {
  if (!isObject(one) || !isTopicName(one.friendly_name)) return undefined;
  const { id, friendly_name: name, members } = one;
  if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id === INTERNAL_GROUP) return undefined;
  const read = (Array.isArray(members) ? members : []).flatMap((member) =>
    isObject(member) && typeof member.ieee_address === "string"
      ? { ieee: member.ieee_address, endpoint: String(member.endpoint) }
      : [],
  );
  return { id, name, members: read };
}

export function groupIdentity(base: string, id: number): string {
  return `${base}_group_${id}`;
}

/** `memberOf`: undefined for a device that is not described. */
export function describeGroup(
  { base, parent, reachable }: Place,
  { id, name, members }: BridgeGroup,
  memberOf: (ieee: string) => Member | undefined,
): { device: DescribedDevice; state: JsonObject } {
  const topic = `${base}/${name}`;
  const identity = groupIdentity(base, id);
  const known = members.flatMap(({ ieee, endpoint }) => {
    const member = memberOf(ieee);
    return member ? { ...member, ieee, endpoint: member.endpointName(endpoint) } : [];
  });
  const exposes = union(known.flatMap((member) => ofEndpoint(member.exposes, member.endpoint)));
  const properties = propertiesOf(exposes, kindOf(exposes));
  const accepted = new Set([...SCENES, ...known.flatMap((member) => [...member.accepted])]);
  const entity = entityOf(exposes, properties, accepted);
  const commands = commandsBeside([...entity.attributes, MEMBERS], base, groupRequests(name));
  const device: DescribedDevice = {
    identity,
    // The other is what its messages for Home Assistant call it.
    identities: [identity, `zigbee2mqtt_${[...base].map((one) => one.charCodeAt(0)).join("")}_${id}`],
    name,
    deviceType: entity.deviceType,
    manufacturer: "Zigbee2MQTT",
    model: "Group",
    area: undefined,
    parent,
    attributes: commands.attributes,
    topics: [topic, `${topic}/availability`],
    read(from, { json, text }) {
      if (from === topic) return isObject(json) ? entity.read(json) : { attributes: {}, actions: [] };
      const online = onlineIn(text, json);
      return { attributes: {}, actions: [], ...(online !== undefined && { available: reachable(identity, online) }) };
    },
    write: (wanted) => [commands.requestOf(wanted) ?? setMessage(topic, entity.write(wanted))],
  };
  const named = [...new Map(known.map(({ ieee, name: member }) => [ieee, { device_id: ieee, name: member }])).values()];
  return { device, state: { members: named } };
}

/** zigbee2mqtt switches the lamps of a group by its `state`: a ceiling fan among them makes no fan of it. */
function kindOf(exposes: readonly Expose[]): string | undefined {
  const kinds = new Set(exposes.map(({ type }) => type));
  return kinds.has("light") ? "light" : richest(kinds);
}

/** What a member's endpoint exposes: a group has no endpoints, so `state_l1` of a member is its `state`. */
function ofEndpoint(exposes: readonly Expose[], endpoint: string | undefined): Expose[] {
  return exposes.filter(isSpecific).flatMap((expose) => {
    if (expose.endpoint === undefined) return expose;
    if (expose.endpoint !== endpoint) return [];
    const suffix = `_${endpoint}`;
    const features = expose.features.map(({ endpoint: _, ...feature }) => {
      const { property } = feature;
      return property?.endsWith(suffix) ? { ...feature, property: property.slice(0, -suffix.length) } : feature;
    });
    return { ...expose, features };
  });
}

/** Each feature once, with the widest limits. */
function union(exposes: readonly Expose[]): Expose[] {
  const byType = new Map<string, Map<string, Expose>>();
  for (const { type, features } of exposes) {
    const found = byType.get(type) ?? new Map<string, Expose>();
    byType.set(type, found);
    for (const feature of features) {
      const key = `${feature.name}\n${feature.property}`;
      const known = found.get(key);
      found.set(key, known ? widest(known, feature) : feature);
    }
  }
  return [...byType].map(([type, found]) => ({ type, access: 0, values: [], features: [...found.values()] }));
}

function widest(one: Expose, other: Expose): Expose {
  const { value_min: min, value_max: max } = one;
  return {
    ...one,
    access: one.access | other.access,
    values: [...new Set([...one.values, ...other.values])],
    ...(min !== undefined && other.value_min !== undefined && { value_min: Math.min(min, other.value_min) }),
    ...(max !== undefined && other.value_max !== undefined && { value_max: Math.max(max, other.value_max) }),
  };
}
