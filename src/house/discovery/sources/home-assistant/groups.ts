// Which announcements are of the same device: those that share an identifier or a connection, or have the same id of their own.
import { type Json, type JsonObject, jsonEqual } from "../../../../kit/schema/json.ts";
import type { Incoming, Sender } from "../../source.ts";
import type { DeviceMemory } from "./memory.ts";
import { type Announcement, type Entity, placeOf, sourceOf } from "./payload.ts";

/** What one topic says. */
export interface Announced {
  readonly topic: string;
  identities: readonly string[];
  block: JsonObject | undefined;
  /** Each another part. */
  entities: readonly Entity[];
  /** Parts that its last message left out, which takes nothing back. */
  vanished: ReadonlySet<string>;
  /** The same is to come in another form. */
  isMigrating: boolean;
  /** Of its last message. */
  bytes: number;
}

/** One device of one account. */
export interface Group {
  sender: Sender;
  readonly key: string;
  /** All it is known by; empty once nothing announces it. */
  identities: readonly string[];
  announced: Set<Announced>;
  /** What each entity was called first: in another form it is called the same. */
  readonly ids: Map<string, string>;
  memory: DeviceMemory | undefined;
}

const MAX_ENTITIES = 5000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_IDENTITIES = 20;
const MAX_IDS = 2000;
const MAX_IDENTITY_LENGTH = 255;
const NONE: ReadonlySet<string> = new Set();

export class Groups {
  readonly #byTopic = new Map<string, { announced: Announced; group: Group }>();
  readonly #byIdentity = new Map<string, Group>();
  readonly #counts = new Map<string, { entities: number; bytes: number }>();

  /** The groups that have changed; one without announcements is none any more. Throws Error for what is too much. */
  take(
    { sender, topic, payload }: Pick<Incoming, "sender" | "topic" | "payload">,
    announcement: Announcement,
  ): Group[] {
    const known = this.#byTopic.get(keyIn(sender, topic));
    const announced = { ...this.#announcedBy(topic, announcement, known?.announced), bytes: payload.length };
    if (announced.entities.length === 0) return this.takeBack(sender, topic);
    this.#count(sender, announced, known?.announced);
    const found = new Set(announced.identities.flatMap((one) => this.#byIdentity.get(keyIn(sender, one)) ?? []));
    const [group = newGroup(sender, announced), ...others] = found;
    group.sender = sender;
    // Those that are none any more come first: what they were known by is free then.
    const changed = new Set(others);
    if (known) {
      known.group.announced.delete(known.announced);
      changed.add(known.group);
    }
    changed.add(group);
    for (const other of others) this.#move(other, group);
    shareBlock(announced, group);
    group.announced.add(announced);
    this.#byTopic.set(keyIn(sender, topic), { announced, group });
    for (const one of changed) this.#index(one);
    return [...changed];
  }

  /** What the topic announced gives way to what comes in another form. */
  migrate(sender: Sender, topic: string): void {
    const known = this.#byTopic.get(keyIn(sender, topic));
    if (known) known.announced.isMigrating = true;
  }

  /** As an empty message does. */
  takeBack(sender: Sender, topic: string): Group[] {
    this.#count(sender, undefined, this.#byTopic.get(keyIn(sender, topic))?.announced);
    return this.#remove(sender, topic);
  }

  partsOf(sender: Sender, topic: string): Iterable<string> {
    return this.#byTopic.get(keyIn(sender, topic))?.announced.entities.map(({ part }) => part) ?? [];
  }

  #announcedBy(
    topic: string,
    { device, entities, removed }: Announcement,
    known: Announced | undefined,
  ): Omit<Announced, "bytes"> {
    const now = new Map(entities.map((one) => [one.part, one]));
    const vanished: string[] = [];
    for (const entity of known?.entities ?? []) {
      const { part } = entity;
      if (now.has(part) || removed.includes(part) || part === "") continue;
      now.set(part, entity);
      vanished.push(part);
    }
    const identities = identitiesOf(device, entities[0]);
    const gone = vanished.length === 0 ? NONE : new Set(vanished);
    return { topic, identities, block: device, entities: [...now.values()], vanished: gone, isMigrating: false };
  }

  #count(sender: Sender, now: Announced | undefined, before: Announced | undefined): void {
    const { entities, bytes } = this.#counts.get(sender.name) ?? { entities: 0, bytes: 0 };
    const count = {
      entities: entities + (now?.entities.length ?? 0) - (before?.entities.length ?? 0),
      bytes: bytes + (now?.bytes ?? 0) - (before?.bytes ?? 0),
    };
    if (count.entities > MAX_ENTITIES && count.entities > entities)
      throw new Error(`an account announces at most ${MAX_ENTITIES} entities`);
    if (count.bytes > MAX_BYTES && count.bytes > bytes)
      throw new Error(`the announcements of an account have at most ${MAX_BYTES} bytes together`);
    this.#counts.set(sender.name, count);
  }

  #remove(sender: Sender, topic: string): Group[] {
    const known = this.#byTopic.get(keyIn(sender, topic));
    if (!known) return [];
    this.#byTopic.delete(keyIn(sender, topic));
    known.group.announced.delete(known.announced);
    this.#index(known.group);
    return [known.group];
  }

  #move(from: Group, to: Group): void {
    for (const announced of from.announced) {
      to.announced.add(announced);
      this.#byTopic.set(keyIn(from.sender, announced.topic), { announced, group: to });
    }
    from.announced = new Set();
  }

  #index(group: Group): void {
    for (const one of group.identities) {
      const key = keyIn(group.sender, one);
      if (this.#byIdentity.get(key) === group) this.#byIdentity.delete(key);
    }
    group.identities = [...new Set([...group.announced].flatMap(({ identities }) => identities))];
    for (const one of group.identities) this.#byIdentity.set(keyIn(group.sender, one), group);
  }
}

/** In an order that does not depend on which came first. */
export function entitiesOf({ announced, ids }: Group): Entity[] {
  const found = new Map<string, { entity: Entity; gives: boolean }[]>();
  for (const { entities, vanished, isMigrating } of announced)
    for (const entity of entities) {
      const one = { entity, gives: isMigrating || vanished.has(entity.part) };
      const known = found.get(entity.key);
      if (known) known.push(one);
      else found.set(entity.key, [one]);
    }
  return [...found.values()]
    .flatMap(apart)
    .map((entity) => {
      const id = ids.get(entity.key) ?? entity.id;
      if (ids.size < MAX_IDS) ids.set(entity.key, id);
      return id === entity.id ? entity : { ...entity, id };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What is announced twice is what was said last; what is something else under the same id is known by its place. */
function apart(all: readonly { entity: Entity; gives: boolean }[]): Entity[] {
  const staying = all.filter(({ gives }) => !gives);
  const last = (staying.length > 0 ? staying : all).map(({ entity }) => entity);
  if (last.length === 1) return last;
  const several = [...new Map(last.map((one) => [sourceOf(one), one])).values()];
  return several.length === 1 ? several : several.map((one) => ({ ...one, key: sharedKey(one), isShared: true }));
}

export const sharedKey = (entity: Entity): string => `${entity.key} ${placeOf(entity)}`;

/** What their messages say of the device itself; undefined where none says anything. */
export function blockOf({ announced }: Group): JsonObject | undefined {
  const blocks = [...announced].flatMap(({ block }) => block ?? []);
  return blocks.length === 0 ? undefined : Object.assign({}, ...blocks);
}

/** Hundreds of entities say the same of their device: it is kept once. */
function shareBlock(announced: Announced, group: Group): void {
  const [first] = group.announced;
  if (!first || !jsonEqual(first.block, announced.block)) return;
  announced.block = first.block;
  if (jsonEqual(first.identities, announced.identities)) announced.identities = first.identities;
}

function newGroup(sender: Sender, { identities: [key = ""] }: Announced): Group {
  return { sender, key, identities: [], announced: new Set(), ids: new Map(), memory: undefined };
}

const keyIn = (sender: Sender, text: string): string => `${sender.name}\n${text}`;

/** All that the device is known by; without a device block, the entity's own id. */
function identitiesOf(block: JsonObject | undefined, entity: Entity | undefined): string[] {
  const identifiers = listIn(block?.identifiers).filter((one) => typeof one === "string" || typeof one === "number");
  const connections = listIn(block?.connections).flatMap((one) =>
    Array.isArray(one) && one.length === 2 ? [`${one[0]}:${one[1]}`.toLowerCase()] : [],
  );
  const found = [...identifiers.map(String), ...connections].filter((one) => one !== "").map(identityOf);
  if (found.length > 0) return found.slice(0, MAX_IDENTITIES);
  const { config: { unique_id: unique } = {}, key = "" } = entity ?? {};
  const place = entity && placeOf(entity);
  const own = typeof unique === "string" && unique !== "" ? unique : key.replaceAll(" ", "_");
  return [identityOf(own), ...(place === undefined ? [] : [place])];
}

/** It is kept, and shown: what is no name for either is known by its hash. */
function identityOf(text: string): string {
  if (text.length <= MAX_IDENTITY_LENGTH && !/\p{Cc}/u.test(text)) return text;
  return new Bun.CryptoHasher("sha256").update(text).digest("base64url");
}

function listIn(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}
