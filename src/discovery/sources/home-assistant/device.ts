// One device of Home Assistant's discovery: all its entities together, as attributes of one thing.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Attribute, DescribedDevice, Message, Outgoing, Report } from "../../described.ts";
import { type Engine, TemplateError } from "../../templates/template.ts";
import { wrong } from "../../words.ts";
import { type Availability, availabilityOf } from "./availability.ts";
import { COMPONENTS, HAPPENINGS, NOT_KEPT, RICHEST } from "./components.ts";
import { type DescribedAttribute, Options, type Reading } from "./entity.ts";
import type { Happening } from "./events.ts";
import type { Entity } from "./payload.ts";

export interface EntityProblem {
  /** See `Entity`. */
  key: string;
  problem: string;
}

export interface DeviceOfEntities extends DescribedDevice {
  /** Entities that are left out, and why. */
  problems: readonly EntityProblem[];
}

const MOST_ENTITIES = 500;

/** `block`: the `device` block that the entities share; undefined for one entity by itself. */
export function describeEntities(
  entities: readonly Entity[],
  { block, identities, engine }: { block: JsonObject | undefined; identities: readonly string[]; engine: Engine },
): DeviceOfEntities {
  const problems: EntityProblem[] = [];
  const found: DescribedAttribute[] = [];
  const happenings: Happening[] = [];
  const objects = new Set<string>();
  let availability: Availability | undefined;
  for (const entity of entities.slice(0, MOST_ENTITIES)) {
    try {
      const options = new Options(entity, engine);
      found.push(...(COMPONENTS.get(entity.component)?.(options) ?? []).map((one) => hiddenAs(one, entity.config)));
      happenings.push(...(HAPPENINGS.get(entity.component)?.(options) ?? []));
      const more = options.topic("json_attributes_topic");
      if (more !== undefined && options.text("json_attributes_template") === undefined) objects.add(more);
      availability ??= availabilityFor(entity.config, engine);
      if (!isKnown(entity.component))
        problems.push({ key: entity.key, problem: `${entity.component} is not understood` });
    } catch (error) {
      problems.push({ key: entity.key, problem: `${entity.component}: ${(error as Error).message}` });
    }
  }
  for (const { key } of entities.slice(MOST_ENTITIES))
    problems.push({ key, problem: `a device has at most ${MOST_ENTITIES} entities` });
  const attributes = named(found);
  return {
    ...described(block, entities, identities),
    ...runtime(attributes, { happenings, objects, availability }),
    problems,
  };
}

const isKnown = (component: string): boolean =>
  COMPONENTS.has(component) || HAPPENINGS.has(component) || NOT_KEPT.has(component);

function hiddenAs(one: DescribedAttribute, config: JsonObject): DescribedAttribute {
  return config.enabled_by_default === false ? { ...one, attribute: { ...one.attribute, hidden: true } } : one;
}

/** Of the first entity that says something about it: those of one device say the same. */
function availabilityFor(config: JsonObject, engine: Engine): Availability | undefined {
  const found = availabilityOf(config, engine);
  return found.topics.length > 0 ? found : undefined;
}

/** Two that read the same value under one name are one; any other gets a name of its own. */
function named(found: readonly DescribedAttribute[]): Map<string, DescribedAttribute> {
  const attributes = new Map<string, DescribedAttribute>();
  const taken = new Set(found.map(({ attribute }) => attribute.name));
  for (const given of found) {
    const { prefers } = given;
    const one = prefers !== undefined && !taken.has(prefers) ? renamed(given, prefers) : given;
    const { name } = one.attribute;
    const known = attributes.get(name);
    if (!known) attributes.set(name, one);
    else if (isSame(known, one)) attributes.set(name, merged(known, one));
    else attributes.set(freeName(attributes, name), renamed(one, freeName(attributes, name)));
  }
  return attributes;
}

function isSame(a: DescribedAttribute, b: DescribedAttribute): boolean {
  const [first, second] = [a.readings[0], b.readings[0]];
  if (!first || !second) return true;
  return first.topic === second.topic && first.path?.join("/") === second.path?.join("/");
}

/** What can be commanded, and what is a boolean, says more. */
function merged(a: DescribedAttribute, b: DescribedAttribute): DescribedAttribute {
  const richer = rank(b) > rank(a) ? b : a;
  const other = richer === a ? b : a;
  const readings = richer.readings.length > 0 ? richer.readings : other.readings;
  const commanded = richer.commanded ?? other.commanded;
  const attribute = {
    ...other.attribute,
    ...richer.attribute,
    readable: readings.length > 0,
    writable: commanded !== undefined,
  };
  const also = richer.also ?? other.also;
  return { attribute, readings, commanded, ...(also && { also }) };
}

const rank = ({ attribute, commanded, also }: DescribedAttribute): number =>
  Number(attribute.type === "boolean") * 4 + Number(commanded !== undefined) * 2 + Number(also !== undefined);

function freeName(attributes: ReadonlyMap<string, DescribedAttribute>, name: string): string {
  for (let number = 2; ; number++) if (!attributes.has(`${name}_${number}`)) return `${name}_${number}`;
}

function renamed(one: DescribedAttribute, name: string): DescribedAttribute {
  const { attribute, commanded } = one;
  return {
    ...one,
    attribute: { ...attribute, name },
    commanded: commanded && { write: (wanted) => commanded.write({ [attribute.name]: wanted[name] as Json }) },
  };
}

function described(block: JsonObject | undefined, entities: readonly Entity[], identities: readonly string[]) {
  const textOf = (value: Json | undefined): string | undefined =>
    typeof value === "string" && value !== "" ? value : undefined;
  const components = new Set(entities.map(({ component }) => component));
  const [only] = entities;
  return {
    identity: identities[0] ?? "",
    identities,
    name: textOf(block?.name) ?? textOf(only?.config.name),
    deviceType: RICHEST.find((one) => components.has(one)) ?? only?.component ?? "sensor",
    manufacturer: textOf(block?.manufacturer),
    model: textOf(block?.model) ?? textOf(block?.model_id),
    area: textOf(block?.suggested_area),
    parent: textOf(block?.via_device),
  };
}

function runtime(
  attributes: ReadonlyMap<string, DescribedAttribute>,
  {
    happenings,
    objects,
    availability,
  }: {
    happenings: readonly Happening[];
    /** Topics whose JSON objects are attributes as they are. */
    objects: ReadonlySet<string>;
    availability: Availability | undefined;
  },
): Pick<DescribedDevice, "attributes" | "topics" | "read" | "write"> {
  const words = wordsOf(attributes);
  const topics = byTopic(attributes);
  for (const topic of objects) topics.set(topic, { ...(topics.get(topic) ?? emptyTopic()), isObject: true });
  for (const { topic } of happenings) if (!topics.has(topic)) topics.set(topic, emptyTopic());

  function read(topic: string, message: Message): Report {
    const read: JsonObject = {};
    const actions: string[] = [];
    const { readings, claimed, isObject: whole } = topics.get(topic) ?? NOTHING;
    // Keys that no entity names are attributes as they are.
    if (whole && isObject(message.json))
      for (const key in message.json) if (!claimed.has(key)) read[key] = message.json[key] as Json;
    for (const { name, reading } of readings) {
      const value = pickedOf(reading, message);
      if (value !== undefined) read[name] = value;
    }
    for (const [name, { of, from }] of words) {
      const value = read[of];
      const converted = value === undefined ? undefined : from(value);
      if (converted !== undefined) read[name] = converted;
    }
    for (const one of happenings) {
      const action = one.topic === topic ? quietly(() => one.action(message)) : undefined;
      if (action !== undefined) actions.push(action);
    }
    const available = quietly(() => availability?.read(topic, message));
    return { attributes: read, actions, ...(available !== undefined && { available }) };
  }

  function write(wanted: JsonObject): Outgoing[] {
    const groups = new Map<NonNullable<DescribedAttribute["commanded"]>, JsonObject>();
    for (const [name, value] of Object.entries(wanted)) {
      const word = words.get(name);
      const target = attributes.get(word?.of ?? name);
      if (!target) throw wrong(name, "the device has no such attribute");
      if (!target.commanded) throw wrong(name, "the device only reports it");
      const group = groups.get(target.commanded) ?? {};
      group[target.attribute.name] = word ? word.to(value as Json, name) : (value as Json);
      groups.set(target.commanded, group);
    }
    return [...groups].flatMap(([commanded, values]) => commanded.write(values));
  }

  return {
    attributes: [...attributes.values()]
      .flatMap(({ attribute }) => attribute)
      .concat([...words].map(([, { attribute }]) => attribute)),
    topics: [...new Set([...topics.keys(), ...(availability?.topics ?? [])])],
    read,
    write,
  };
}

interface Word {
  attribute: Attribute;
  /** The attribute of the device's own. */
  of: string;
  from(value: Json): Json | undefined;
  to(value: Json, name: string): Json;
}

function wordsOf(attributes: ReadonlyMap<string, DescribedAttribute>): Map<string, Word> {
  const words = new Map<string, Word>();
  for (const { attribute, also } of attributes.values()) {
    if (!also || attributes.has(also.name) || words.has(also.name)) continue;
    const { attribute: particular, from, to } = also.conversion;
    const { type, readable, writable, options, unit, min, max, step } = attribute;
    const same = {
      ...{ type, ...(options && { options }), ...(unit !== undefined && { unit }) },
      ...{ ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...(step !== undefined && { step }) },
    };
    const kind = Object.keys(particular).length === 0 ? same : { type, ...particular };
    words.set(also.name, {
      attribute: { ...kind, name: also.name, readable, writable, derived: true },
      of: attribute.name,
      from,
      to,
    });
  }
  return words;
}

interface TopicReadings {
  readings: { name: string; reading: Reading }[];
  /** Keys of its JSON object that are attributes already. */
  claimed: Set<string>;
  /** Something is picked of a JSON object. */
  isObject: boolean;
}

const emptyTopic = (): TopicReadings => ({ readings: [], claimed: new Set(), isObject: false });
const NOTHING = emptyTopic();

function byTopic(attributes: ReadonlyMap<string, DescribedAttribute>): Map<string, TopicReadings> {
  const topics = new Map<string, TopicReadings>();
  for (const [name, { readings }] of attributes) {
    for (const reading of readings) {
      const one = topics.get(reading.topic) ?? emptyTopic();
      topics.set(reading.topic, one);
      one.readings.push({ name, reading });
      const [key, ...more] = reading.path ?? [];
      if (key !== undefined) one.isObject = true;
      if (key !== undefined && more.length === 0) one.claimed.add(key);
    }
  }
  return topics;
}

function pickedOf(reading: Reading, message: Message): Json | undefined {
  return quietly(() => reading.read(message));
}

/** A template that misses a value of this message changes nothing: what was known stays. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
