// Home Assistant's MQTT discovery. Entities come one by one, or all of a device at once; here they become devices again.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Heard, Sender, Source, SourceHost } from "../../source.ts";
import { describeEntities } from "./device.ts";
import { type Announcement, type Entity, parseConfigTopic, readAnnouncement } from "./payload.ts";

const LARGEST_CONFIG_BYTES = 65_536;
const MOST_ENTITIES = 5000;
// Entities of one device come in many messages: it is described when they have come.
const SETTLE_MS = 100;

interface Group {
  sender: Sender;
  key: string;
  identities: string[];
  block: JsonObject | undefined;
  entities: Map<string, Entity>;
}

interface Announced {
  group: Group;
  entities: string[];
}

/** `prefix`: `homeassistant`. `isElsewhere`: devices that a better source describes. */
export function createHomeAssistantSource(
  host: SourceHost,
  { prefix, isElsewhere }: { prefix: string; isElsewhere: (sender: Sender, origin: string) => boolean },
): Source {
  /** By sender and topic: what it announced last. */
  const announced = new Map<string, Announced>();
  /** By sender and identity. */
  const groups = new Map<string, Group>();
  const counts = new Map<string, number>();
  const changed = new Set<Group>();
  let settling = false;

  const keyIn = (sender: Sender, text: string): string => `${sender.name}\n${text}`;

  function settle(): void {
    settling = false;
    const [group] = changed;
    if (!group) return;
    changed.delete(group);
    describeGroup(group);
    if (changed.size > 0) soon(0);
  }

  function soon(ms: number): void {
    if (settling) return;
    settling = true;
    host.clock.after("home assistant discovery", ms, settle);
  }

  function describeGroup({ sender, key, identities, block, entities }: Group): void {
    if (entities.size === 0) {
      for (const identity of identities) groups.delete(keyIn(sender, identity));
      host.withdraw(sender, key);
      return;
    }
    const device = describeEntities([...entities.values()], { block, identities, engine: host.engine });
    for (const { key: entity, problem } of device.problems) host.broken(sender, entity, problem);
    host.describe(sender, key, device);
  }

  function groupOf(sender: Sender, { device }: Announcement, entity: Entity | undefined): Group {
    const identities = identitiesOf(device, entity);
    const known = identities.map((one) => groups.get(keyIn(sender, one))).find((one) => one !== undefined);
    const group: Group = known ?? {
      sender,
      key: identities[0] ?? "",
      identities: [],
      block: undefined,
      entities: new Map(),
    };
    for (const one of identities) {
      if (!group.identities.includes(one)) group.identities.push(one);
      groups.set(keyIn(sender, one), group);
    }
    if (device) group.block = { ...group.block, ...device };
    return group;
  }

  function take(sender: Sender, topic: string, announcement: Announcement): void {
    const { entities, removed } = announcement;
    for (const entity of entities) refuseForeignTopics(sender, entity);
    const group = groupOf(sender, announcement, entities[0]);
    const count = (counts.get(sender.name) ?? 0) + entities.filter(({ key }) => !group.entities.has(key)).length;
    if (count > MOST_ENTITIES) throw new Error(`an account announces at most ${MOST_ENTITIES} entities`);
    counts.set(sender.name, count);
    for (const entity of entities) group.entities.set(entity.key, entity);
    for (const key of removed) forget(group, key);
    announced.set(keyIn(sender, topic), {
      group,
      entities: [
        ...new Set([...(announced.get(keyIn(sender, topic))?.entities ?? []), ...entities.map(({ key }) => key)]),
      ],
    });
    changed.add(group);
    soon(SETTLE_MS);
  }

  function forget(group: Group, key: string): void {
    if (!group.entities.delete(key)) return;
    counts.set(group.sender.name, (counts.get(group.sender.name) ?? 1) - 1);
    host.broken(group.sender, key, undefined);
  }

  function takeBack(sender: Sender, topic: string): void {
    const known = announced.get(keyIn(sender, topic));
    announced.delete(keyIn(sender, topic));
    host.broken(sender, topic, undefined);
    if (!known) return;
    for (const key of known.entities) forget(known.group, key);
    changed.add(known.group);
    soon(SETTLE_MS);
  }

  return {
    name: "homeassistant",
    hear({ sender, topic, payload, message }: Heard) {
      if (!topic.startsWith(`${prefix}/`)) return false;
      const parsed = parseConfigTopic(prefix, topic);
      if (!parsed) {
        if (topic.endsWith("/config")) host.broken(sender, topic, "the topic is none of Home Assistant's discovery");
        return true;
      }
      if (payload.length === 0) {
        takeBack(sender, topic);
        return true;
      }
      try {
        if (payload.length > LARGEST_CONFIG_BYTES)
          throw new Error(`it has ${payload.length} bytes; at most ${LARGEST_CONFIG_BYTES} are read`);
        const announcement = readAnnouncement(parsed, message().json);
        const origin = announcement.origin?.name;
        if (typeof origin === "string" && isElsewhere(sender, origin)) return true;
        if (!announcement.isMigration) take(sender, topic, announcement);
        host.broken(sender, topic, undefined);
      } catch (error) {
        host.broken(sender, topic, (error as Error).message);
      }
      return true;
    },
  };
}

/** A message may make the hub listen and publish: only where its sender may publish itself. Throws Error. */
function refuseForeignTopics(sender: Sender, entity: Entity): void {
  const topics = (config: JsonObject): string[] =>
    Object.entries(config).flatMap(([key, value]) =>
      key.endsWith("topic") && typeof value === "string"
        ? [value]
        : Array.isArray(value)
          ? value.filter(isObject).flatMap(topics)
          : [],
    );
  const foreign = topics(entity.config).find((topic) => !sender.mayPublish(topic));
  if (foreign !== undefined)
    throw new Error(`${sender.name} announces the topic ${foreign}, which it may not publish to itself`);
}

/** All that the device is known by; without a device block, the entity's own id. */
function identitiesOf(block: JsonObject | undefined, entity: Entity | undefined): string[] {
  const identifiers = listIn(block?.identifiers).map(String);
  const connections = Array.isArray(block?.connections)
    ? block.connections.flatMap((one) =>
        Array.isArray(one) && one.length === 2 ? [`${one[0]}:${one[1]}`.toLowerCase()] : [],
      )
    : [];
  const found = [...identifiers, ...connections].filter((one) => one !== "" && one.length <= 255);
  if (found.length > 0) return found;
  const unique = entity?.config.unique_id;
  return [typeof unique === "string" && unique !== "" ? unique : (entity?.key ?? "").replaceAll(" ", "_")];
}

function listIn(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}
