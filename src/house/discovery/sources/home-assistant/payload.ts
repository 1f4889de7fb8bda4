// Discovery messages as Home Assistant reads them: the topic, both forms of the payload, short keys, `~`, shared options. What comes
// out is one entity after another, in full.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import { keysOfDevice, keysOfEntity, keysOfOrigin } from "./abbreviations.ts";

/** `<prefix>/<component>/[<node>/]<object>/config`. */
export interface ConfigTopic {
  component: string;
  /** `node object`, or `object`. */
  id: string;
}

export interface Entity {
  component: string;
  /** Within its device, in whichever form it is announced: by its own id, else by the topic. */
  key: string;
  /** Where it is announced, of one that goes by an id of its own. */
  where: string | undefined;
  /** Another entity of the device that is something else says that it has the same id. */
  isShared?: true;
  /** The name of it within its message; empty where it is the whole message. */
  part: string;
  /** What it is called where nothing else names it: the end of the topic, or its part. */
  id: string;
  /** Complete: no short keys, no `~`, with what the message shares. */
  config: JsonObject;
}

/** What one message announces. */
export interface Announcement {
  device: JsonObject | undefined;
  origin: JsonObject | undefined;
  entities: Entity[];
  /** Parts that are taken back. */
  removed: string[];
  /** Only says that the same entities will come in another form. */
  isMigration: boolean;
}

const TOPIC = /^(\w+)\/(?:([\w-]+)\/)?([\w-]+)\/config$/;

/** Undefined for a topic that announces nothing. */
export function parseConfigTopic(prefix: string, topic: string): ConfigTopic | undefined {
  if (!topic.startsWith(`${prefix}/`)) return undefined;
  const [, component, node, object] = TOPIC.exec(topic.slice(prefix.length + 1)) ?? [];
  if (component === undefined || object === undefined) return undefined;
  return { component, id: node === undefined ? object : `${node} ${object}` };
}

/** Throws Error with what is wrong with it. */
export function readAnnouncement({ component, id }: ConfigTopic, payload: Json | undefined): Announcement {
  if (!isObject(payload)) throw new Error("the payload is no JSON object");
  const whole = expand(payload, keysOfEntity());
  if (whole.migrate_discovery === true)
    return { device: undefined, origin: undefined, entities: [], removed: [], isMigration: true };
  const device = blockOf(whole.device, keysOfDevice());
  const origin = blockOf(whole.origin, keysOfOrigin());
  if (component !== "device") {
    const { device: _device, origin: _origin, ...config } = whole;
    const entity = entityOf({ component, part: "", id: id.split(" ").at(-1) ?? id, config: finished(config) }, id);
    return { device, origin, entities: [entity], removed: [], isMigration: false };
  }
  return { ...readDevice(id, whole, { device, origin }), device, origin, isMigration: false };
}

// What a device's message says once for all its components.
const SHARED = [
  ...["availability", "availability_mode", "availability_template", "availability_topic", "command_topic"],
  ...["payload_available", "payload_not_available", "state_topic", "qos", "encoding", "~"],
];

function readDevice(
  id: string,
  whole: JsonObject,
  { device, origin }: Pick<Announcement, "device" | "origin">,
): Pick<Announcement, "entities" | "removed"> {
  if (!device || (device.identifiers === undefined && device.connections === undefined))
    throw new Error("device: needs identifiers or connections");
  if (typeof origin?.name !== "string") throw new Error("origin: needs a name");
  if (!isObject(whole.components)) throw new Error("components: must be an object of components");
  const shared = Object.fromEntries(
    SHARED.flatMap((key) => (whole[key] === undefined ? [] : [[key, whole[key] as Json]])),
  );
  const found: Pick<Announcement, "entities" | "removed"> = { entities: [], removed: [] };
  for (const [name, given] of Object.entries(whole.components)) {
    if (!isObject(given)) throw new Error(`components.${name}: must be an object`);
    const { platform, ...config } = expand(given, keysOfEntity());
    if (typeof platform !== "string") throw new Error(`components.${name}: needs a platform`);
    if (Object.keys(config).length === 0) {
      found.removed.push(name);
      continue;
    }
    if (!NEEDS_NO_ID.has(platform) && config.unique_id === undefined)
      throw new Error(`components.${name}: needs a unique_id`);
    const entity = { component: platform, part: name, id: name, config: finished({ ...shared, ...config }) };
    found.entities.push(entityOf(entity, `${id} ${name}`));
  }
  return found;
}

// They are no entities in Home Assistant.
const NEEDS_NO_ID: ReadonlySet<string> = new Set(["device_automation", "tag"]);

/** `otherwise`: what distinguishes it from others where it has no id of its own. */
function entityOf(entity: Omit<Entity, "key" | "where">, otherwise: string): Entity {
  const { component, config } = entity;
  const { unique_id: unique } = config;
  const isKnown = (typeof unique === "string" && unique !== "") || typeof unique === "number";
  return isKnown
    ? { ...entity, key: `${component} #${unique}`, where: otherwise }
    : { ...entity, key: `${component} ${otherwise}`, where: undefined };
}

const IS_OF_SOURCE = /^(?!availability|json_attributes).*(?:topic|template)$/;

/** What it reads and commands. */
export function sourceOf({ config }: Pick<Entity, "config">): string {
  const source = Object.entries(config).filter(([key]) => IS_OF_SOURCE.test(key));
  return JSON.stringify(source.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Where it is announced with this source: so known, it is the same under another id. Undefined where it has no id of its own. */
export function placeOf(entity: Pick<Entity, "component" | "config" | "where">): string | undefined {
  const { component, where } = entity;
  if (where === undefined) return undefined;
  const hash = new Bun.CryptoHasher("sha256").update(`${component}\n${where}\n${sourceOf(entity)}`).digest();
  return `@${hash.subarray(0, 12).toString("base64url")}`;
}

function expand(given: JsonObject, table: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [table.get(key) ?? key, value as Json]));
}

function blockOf(given: Json | undefined, table: ReadonlyMap<string, string>): JsonObject | undefined {
  return isObject(given) ? expand(given, table) : undefined;
}

/** Short keys in `availability` too, and `~` put in. */
function finished(config: JsonObject): JsonObject {
  const { "~": base, ...rest } = config;
  const whole = withBase(rest, base);
  const { availability } = whole;
  const finishedOne = (one: Json): Json => (isObject(one) ? withBase(expand(one, keysOfEntity()), base) : one);
  if (Array.isArray(availability)) whole.availability = availability.map(finishedOne);
  else if (availability !== undefined) whole.availability = finishedOne(availability);
  return whole;
}

function withBase(config: JsonObject, base: Json | undefined): JsonObject {
  if (typeof base !== "string") return { ...config };
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      key.endsWith("topic") && typeof value === "string" ? replaceBase(value, base) : (value as Json),
    ]),
  );
}

// At its beginning or its end, never between.
function replaceBase(topic: string, base: string): string {
  if (topic.startsWith("~")) return base + topic.slice(1);
  return topic.endsWith("~") ? topic.slice(0, -1) + base : topic;
}
