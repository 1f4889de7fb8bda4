// Home Assistant's MQTT discovery. Entities come one by one, or all of a device at once; here they become devices again.
import { edenGC } from "bun:jsc";
import { messageOf } from "../../../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../../../kit/schema/json.ts";
import { hasWildcard, matchesFilter } from "../../../../kit/text/topic-filter.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import type { Outgoing } from "../../described.ts";
import type { Incoming, Sender, Source, SourceHost } from "../../source.ts";
import { describeEntities } from "./device.ts";
import { type Announced, blockOf, entitiesOf, type Group, Groups, sharedKey } from "./groups.ts";
import { createDeviceMemory } from "./memory.ts";
import { type Entity, parseConfigTopic, readAnnouncement } from "./payload.ts";

const MAX_CONFIG_BYTES = 65_536;
// Entities of one device come in many messages: it is described when they have come, as its names are given then.
const SETTLE_MS = 100;
const MAX_SETTLE_MS = 2000;

export interface HomeAssistantOptions {
  /** `homeassistant`. */
  prefix: string;
  /** Devices that a better source describes. */
  isElsewhere: (sender: Sender, origin: string) => boolean;
}

export function createHomeAssistantSource(host: SourceHost, { prefix, isElsewhere }: HomeAssistantOptions): Source {
  const problems = createProblems(host);
  const inbox = createInbox();
  const early = createEarlyMessages();
  const groups = new Groups();
  /** Since when, and the last time. */
  const changed = new Map<Group, { since: number; last: number }>();
  const reading = createSlices(host.clock, "home assistant discovery", readNext);
  const describing = createSlices(host.clock, "home assistant devices", describeNext);

  const isSettled = (): boolean => inbox.size === 0 && changed.size === 0;

  function readNext(): boolean {
    const incoming = inbox.next();
    if (!incoming) return false;
    const { sender, topic } = incoming;
    try {
      change(readConfig(incoming));
    } catch (error) {
      problems.set(sender, topic, messageOf(error));
    }
    if (isSettled()) early.clear();
    return inbox.size > 0;
  }

  function readConfig(incoming: Incoming): Group[] {
    const { sender, topic, payload, message } = incoming;
    const parsed = parseConfigTopic(prefix, topic);
    if (!parsed) throw new Error("the topic is none of Home Assistant's discovery");
    if (payload.length === 0) {
      for (const part of ["", ...groups.partsOf(sender, topic)]) problems.set(sender, labelOf(topic, part), undefined);
      return groups.takeBack(sender, topic);
    }
    if (payload.length > MAX_CONFIG_BYTES)
      throw new Error(`it has ${payload.length} bytes; at most ${MAX_CONFIG_BYTES} are read`);
    const announcement = readAnnouncement(parsed, message().json);
    const origin = announcement.origin?.name;
    if (typeof origin === "string" && isElsewhere(sender, origin)) return [];
    for (const entity of announcement.entities) refuseForeignTopics(sender, entity);
    const found = announcement.isMigration ? [] : groups.take(incoming, announcement);
    if (announcement.isMigration) groups.migrate(sender, topic);
    for (const part of announcement.removed) problems.set(sender, labelOf(topic, part), undefined);
    // What is wrong with an entity by itself is known when its device is described.
    if (parsed.component === "device" || announcement.isMigration) problems.set(sender, topic, undefined);
    return found;
  }

  function change(found: readonly Group[]): void {
    const last = host.clock.mono();
    for (const group of found) changed.set(group, { since: changed.get(group)?.since ?? last, last });
    if (found.length > 0) describing.soon(SETTLE_MS);
  }

  function describeNext(): boolean {
    const now = host.clock.mono();
    const isSettledSince = ({ since, last }: { since: number; last: number }): boolean =>
      now - last >= SETTLE_MS || now - since >= MAX_SETTLE_MS;
    const group = changed.entries().find(([, times]) => isSettledSince(times))?.[0];
    if (!group) {
      if (changed.size > 0) describing.soon(SETTLE_MS / 2);
      return false;
    }
    changed.delete(group);
    describeGroup(group);
    if (isSettled()) early.clear();
    return changed.size > 0;
  }

  function withdraw(group: Group): void {
    group.memory?.[Symbol.dispose]();
    group.memory = undefined;
    host.withdraw(group.sender, group.key);
  }

  function describeGroup(group: Group): void {
    const { sender, key, identities, announced } = group;
    if (announced.size === 0) {
      withdraw(group);
      return;
    }
    problems.set(sender, key, undefined);
    const known = group.memory?.topics ?? new Set<string>();
    group.memory ??= createDeviceMemory(host.clock, (attributes) =>
      host.report(group.sender, key, { attributes, actions: [] }),
    );
    const entities = entitiesOf(group);
    const { undescribed } = group.memory;
    group.memory.undescribed = {};
    const device = describeEntities(entities, {
      ...{ block: blockOf(group), identities, engine: host.engine, memory: group.memory },
      onExtras: () => change([group]),
      onCostly: () =>
        problems.set(sender, key, "its templates take too many steps for one message: the last are left out"),
    });
    group.memory.topics = new Set(device.topics);
    listProblems(sender, announced, new Map(device.problems.map((one) => [one.key, one.problem])));
    // Nothing of it can be used: an available device without anything would say otherwise.
    if (device.problems.length >= entities.length) {
      withdraw(group);
      return;
    }
    host.describe(sender, key, { ...device, forget: () => [...announced].map(({ topic }) => emptied(topic)) });
    if (Object.keys(undescribed).length > 0) host.report(sender, key, { attributes: undescribed, actions: [] });
    for (const topic of device.topics) {
      for (const incoming of known.has(topic) ? [] : early.of(sender, topic)) host.receive(sender, key, incoming);
    }
  }

  function listProblems(sender: Sender, all: Iterable<Announced>, found: ReadonlyMap<string, string>): void {
    for (const { topic, entities, vanished } of all)
      for (const entity of entities) {
        const { part } = entity;
        const gone = vanished.has(part)
          ? "no longer announced: the last message of its device leaves it out"
          : undefined;
        problems.set(
          sender,
          labelOf(topic, part),
          gone ?? found.get(entity.key) ?? (found.size > 0 ? found.get(sharedKey(entity)) : undefined),
        );
      }
  }

  return {
    name: "homeassistant",
    receive(incoming) {
      const { sender, topic } = incoming;
      if (!topic.startsWith(`${prefix}/`) || !topic.endsWith("/config")) {
        if (!isSettled()) early.keep(incoming);
        return false;
      }
      if (inbox.put(incoming)) reading.soon(0);
      else problems.set(sender, topic, "too much was announced at once: announce it again");
      return true;
    },
    birth: () => [{ topic: `${prefix}/status`, payload: "online", qos: 0, retain: false }],
    will: () => [{ topic: `${prefix}/status`, payload: "offline", qos: 0, retain: false }],
  };
}

const labelOf = (topic: string, part: string): string => (part === "" ? topic : `${topic} ${part}`);

const emptied = (topic: string): Outgoing => ({ topic, payload: "", qos: 0, retain: true });

/** A message may make the hub listen and publish: only where its sender may publish itself. Throws Error. */
function refuseForeignTopics(sender: Sender, entity: Entity): void {
  const topics = (config: JsonObject): string[] =>
    Object.entries(config).flatMap(([key, value]) => {
      if (key.endsWith("topic")) return typeof value === "string" ? [value] : [];
      return key === "availability" ? [value].flat().filter(isObject).flatMap(topics) : [];
    });
  // Of what a filter matches only its own messages are read: these it may publish.
  const foreign = topics(entity.config).find((topic) => !hasWildcard(topic) && !sender.mayPublish(topic));
  if (foreign !== undefined)
    throw new Error(`${sender.name} announces the topic ${foreign}, which it may not publish to itself`);
}

const MAX_EARLY_BYTES = 8 * 1024 * 1024;
// Of a message, beside its payload.
const OVERHEAD_BYTES = 300;

/** States that come right behind an announcement, before it has been read: many devices send a state only once. */
interface EarlyMessages {
  keep(incoming: Incoming): void;
  /** The last message of this sender on each topic that matches. */
  of(sender: Sender, filter: string): readonly Incoming[];
  clear(): void;
}

function createEarlyMessages(): EarlyMessages {
  const kept = new Map<string, Incoming>();
  let bytes = 0;
  const keyOf = (sender: Sender, topic: string): string => `${sender.name}\n${topic}`;
  const sizeOf = ({ topic, payload }: Incoming): number => OVERHEAD_BYTES + topic.length + payload.length;
  return {
    keep(incoming) {
      const key = keyOf(incoming.sender, incoming.topic);
      const known = kept.get(key);
      const more = sizeOf(incoming) - (known ? sizeOf(known) : 0);
      if (bytes + more > MAX_EARLY_BYTES) return;
      bytes += more;
      kept.set(key, incoming);
    },
    of(sender, filter) {
      const known = kept.get(keyOf(sender, filter));
      if (known || !hasWildcard(filter)) return known ? [known] : [];
      return [...kept.values()].filter((one) => one.sender.name === sender.name && matchesFilter(filter, one.topic));
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
  };
}

const MAX_INBOX_BYTES = 16 * 1024 * 1024;

/** Announcements that wait to be read: the last one of each topic, in the order in which they came. */
interface Inbox {
  /** False where no more can wait. */
  put(incoming: Incoming): boolean;
  next(): Incoming | undefined;
  readonly size: number;
}

function createInbox(): Inbox {
  const waiting = new Map<string, Incoming>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= waiting.get(key)?.payload.length ?? 0;
    waiting.delete(key);
  }

  return {
    put(incoming) {
      const key = `${incoming.sender.name}\n${incoming.topic}`;
      // An empty one always finds room: what it takes back must not stay.
      if (incoming.payload.length > 0 && bytes + incoming.payload.length > MAX_INBOX_BYTES) return false;
      remove(key);
      waiting.set(key, incoming);
      bytes += incoming.payload.length;
      return true;
    },
    next() {
      const [first] = waiting;
      if (!first) return undefined;
      remove(first[0]);
      return first[1];
    },
    get size() {
      return waiting.size;
    },
  };
}

const MAX_LISTED = 200;
const MAX_KEY = 300;

/** Lists some of what cannot be used: a client that announces nothing else must leave room for the devices of others. */
interface Problems {
  /** Undefined where it can be used by now. */
  set(sender: Sender, key: string, problem: string | undefined): void;
}

function createProblems(host: Pick<SourceHost, "broken">): Problems {
  const listed = new Map<string, Set<string>>();

  return {
    set(sender, key, problem) {
      const known = listed.get(sender.name) ?? new Set();
      const short = key.slice(0, MAX_KEY);
      if (problem === undefined) {
        if (!known.delete(short)) return;
        host.broken(sender, short, undefined);
        if (known.size < MAX_LISTED) host.broken(sender, "more", undefined);
        return;
      }
      listed.set(sender.name, known);
      if (known.size < MAX_LISTED || known.has(short)) {
        known.add(short);
        host.broken(sender, short, problem);
      } else host.broken(sender, "more", `only the first ${MAX_LISTED} announcements that cannot be used are listed`);
    },
  };
}

const SLICE_MS = 10;
const PAUSE_MS = 5;
// What stays of an announcement lies where garbage was, not between it: the engine waits for much more, and never moves what stays.
const SLICES_A_COLLECTION = 2;

/** Work done bit by bit, so that a house of thousands of entities keeps nothing else waiting while it is read. */
interface Slices {
  /** Begins after `ms`, unless it is to begin already. */
  soon(ms: number): void;
}

/** `step` does one bit; false once nothing is left. */
function createSlices(clock: Clock, name: string, step: () => boolean): Slices {
  let isWaiting = false;
  let slices = 0;

  function soon(ms: number): void {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(name, ms, run);
  }

  function run(): void {
    isWaiting = false;
    const end = clock.mono() + SLICE_MS;
    while (step()) {
      if (clock.mono() < end) continue;
      if (++slices % SLICES_A_COLLECTION === 0) edenGC();
      soon(PAUSE_MS);
      return;
    }
  }

  return { soon };
}
