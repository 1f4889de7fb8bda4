// A described device at work: what its messages say, and what it is sent.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import { hasWildcard, matchesFilter } from "../../../../kit/text/topic-filter.ts";
import type { Attribute, DescribedDevice, Message, Outgoing, Report } from "../../described.ts";
import { type Engine, TemplateError } from "../../templates/template.ts";
import { wrong } from "../../words.ts";
import type { Availability } from "./availability.ts";
import type { Happening } from "./components/events.ts";
import { type Commanded, type DescribedAttribute, quietly, type Reading } from "./entity.ts";
import { describedExtras, type Extras, readExtras } from "./extras.ts";
import type { DeviceMemory } from "./memory.ts";
import type { Named, NamedWord } from "./naming/naming.ts";
import { isShared } from "./several.ts";

export interface RuntimeOptions {
  happenings: readonly Happening[];
  extras: readonly Extras[];
  availability: Availability | undefined;
  memory: DeviceMemory;
  engine: Engine;
  onExtras: () => void;
  /** The templates for one message take too many steps together: the last of them were not worked out. */
  onCostly: () => void;
}

const MAX_WHOLE = 65_536;
// About 10 ms.
const MAX_STEPS = 300_000;
const MAX_NAME = 100;

type Runtime = Pick<DescribedDevice, "attributes" | "topics" | "isOfSeveralTopics" | "read" | "write"> &
  Required<Pick<DescribedDevice, "assume">>;

export function runtimeOf(
  { attributes, words: namedWords }: Named,
  { happenings, extras, availability, memory, engine, onExtras, onCostly }: RuntimeOptions,
): Runtime {
  const words = wordsOf(attributes, namedWords);
  const topics = byTopic(attributes, { happenings, extras });
  const hasParts = new Set([...attributes.values()].flatMap((one) => one.availability ?? [])).size > 1;
  const isTaken = (name: string): boolean => attributes.has(name) || words.has(name);
  memory.expiry.keep(new Set(attributes.keys()));
  for (const name of [...memory.extras.keys()].filter(isTaken)) memory.extras.delete(name);
  const described = new Set(memory.extras.keys());
  const isDescribed = (name: string): boolean => described.has(name);
  const extrasInto = { known: memory.extras, undescribed: memory.undescribed, isDescribed, isTaken };

  function readAttributes(at: AtTopic, message: Message): JsonObject {
    const read: JsonObject = {};
    let isNew = false;
    for (const one of at.extras)
      isNew = readExtras(one, message, { ...extrasInto, read, claimed: at.claimed }) || isNew;
    if (isNew) onExtras();
    if (at.isObject && isObject(message.json) && message.text.length <= MAX_WHOLE) readRest(at, message.json, read);
    for (const { name, reading } of at.readings) {
      const value = readQuietly(reading, message);
      if (value !== undefined) read[name] = value;
    }
    expire(at, read);
    addWords(read);
    return read;
  }

  /** Keys that no entity names are attributes as they are. */
  function readRest({ claimed }: AtTopic, json: JsonObject, read: JsonObject): void {
    for (const key in json) {
      if (claimed.has(key) || key.length > MAX_NAME) continue;
      const { attribute, readings = [] } = attributes.get(key) ?? {};
      // A word that all devices share means the same of each, whatever this one calls so.
      const isWord = words.has(key) || attribute?.derived === true || attribute?.word !== undefined;
      if (isWord) read[`${key}_own`] ??= json[key] as Json;
      else if (readings.length === 0) read[key] = json[key] as Json;
    }
  }

  function addWords(read: JsonObject): void {
    for (const [name, { of, from }] of words) {
      const value = read[of];
      const converted = value === undefined ? undefined : value === null ? null : from(value);
      if (converted !== undefined) read[name] = converted;
    }
  }

  function expire({ expiring }: AtTopic, read: JsonObject): void {
    for (const { name, ms, becomes, only } of expiring) {
      const key = `${name} ${only ?? ""}`;
      const value = read[name];
      if (value === undefined) continue;
      if (value !== null && (only === undefined || value === only)) {
        const values = { [name]: becomes };
        addWords(values);
        memory.expiry.after(ms, key, { name, values });
      } else memory.expiry.cancel(key);
    }
  }

  const filters = [...topics].filter(([topic]) => hasWildcard(topic));

  function readMessage(topic: string, message: Message): Report {
    const own = topics.get(topic);
    const isOfAvailability = availability?.topics.includes(topic) ?? false;
    // Nearly all messages are that.
    if (own && own.happenings.length === 0 && filters.length === 0 && !isOfAvailability)
      return { attributes: readAttributes(own, message), actions: [] };
    const matched = filters.filter(([filter]) => matchesFilter(filter, topic)).map(([, at]) => at);
    const all = own ? [own, ...matched] : matched;
    const actions = all.flatMap((at) => at.happenings.flatMap((one) => quietly(() => one.action(message)) ?? []));
    const available = isOfAvailability ? availability?.read(topic, message) : undefined;
    const [only, ...others] = all.map((at) => readAttributes(at, message));
    const read = others.flatMap((one) => Object.entries(one));
    return {
      attributes: read.length === 0 ? (only ?? {}) : Object.fromEntries([...Object.entries(only ?? {}), ...read]),
      actions,
      ...(available !== undefined && { available }),
      ...(available !== undefined && hasParts && { unavailable: available ? unavailableNow() : [] }),
    };
  }

  /** It is there, and they are not. */
  function unavailableNow(): string[] {
    const names = [...attributes].filter(([, one]) => one.availability?.last() === false).map(([name]) => name);
    const made = [...words.values()].filter(({ of }) => names.includes(of)).map(({ attribute }) => attribute.name);
    return [...names, ...made];
  }

  return {
    attributes: [
      ...[...attributes.values()].map(({ attribute, assumed }) =>
        assumed ? { ...attribute, readable: true } : attribute,
      ),
      ...[...words.values()].map(({ attribute }) => attribute),
      ...describedExtras(memory.extras),
    ],
    topics: [...new Set([...topics.keys(), ...(availability?.topics ?? [])])],
    // At least from the next announcement on.
    isOfSeveralTopics: true,

    read: (topic, message) => engine.within(MAX_STEPS, () => readMessage(topic, message), onCostly),

    write(wanted): Outgoing[] {
      const groups = new Map<Commanded, JsonObject>();
      for (const [name, value] of Object.entries(wanted)) {
        const word = words.get(name);
        const target = attributes.get(word?.of ?? name);
        if (!target) throw wrong(name, "the device has no such attribute");
        const commanded = word?.commanded ?? target.commanded;
        if (!commanded || (word && !word.attribute.writable)) throw wrong(name, "the device only reports it");
        const group = groups.get(commanded) ?? {};
        if (word?.commanded) group[word.word] = value as Json;
        else group[target.key ?? target.attribute.name] = word ? word.to(value as Json, name) : (value as Json);
        groups.set(commanded, group);
      }
      return [...groups].flatMap(([commanded, values]) => commanded.write(values));
    },

    assume(wanted) {
      const read: JsonObject = {};
      for (const [name, value] of Object.entries(wanted)) {
        const word = words.get(name);
        const target = attributes.get(word?.of ?? name);
        if (!target?.assumed) continue;
        const own = !word
          ? (value as Json)
          : word.commanded
            ? word.assumes?.(value as Json)
            : word.to(value as Json, name);
        if (own !== undefined) read[target.attribute.name] = own;
        else if (word?.attribute.readable) read[name] = value as Json;
      }
      addWords(read);
      return read;
    },
  };
}

/** As `quietly`, without a function for each value. */
function readQuietly(reading: Reading, message: Message): Json | undefined {
  try {
    return reading.read(message);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

interface Word extends Pick<NamedWord, "word" | "of" | "commanded" | "assumes"> {
  attribute: Attribute;
  from(value: Json): Json | undefined;
  to(value: Json, name: string): Json;
}

function wordsOf(
  attributes: ReadonlyMap<string, DescribedAttribute>,
  named: ReadonlyMap<string, NamedWord>,
): Map<string, Word> {
  const words = new Map<string, Word>();
  for (const { name, word, part, of, ids, places, conversion, commanded, assumes } of named.values()) {
    const own = attributes.get(of);
    if (!own) continue;
    const { attribute: particular, from, to } = conversion;
    const { type, readable, writable, options, unit, min, max, step } = own.attribute;
    const same = {
      ...{ type, ...(options && { options }), ...(unit !== undefined && { unit }) },
      ...{ ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...(step !== undefined && { step }) },
    };
    words.set(name, {
      attribute: {
        ...{ readable: readable || own.assumed === true, writable: writable || commanded !== undefined },
        ...(Object.keys(particular).length === 0 ? same : { type, ...particular }),
        ...{
          name,
          ids,
          places,
          derived: true,
          of,
          ...(isShared(word) && { word }),
          ...(part !== undefined && { part }),
        },
      },
      ...{ word, of, commanded, assumes, from, to },
    });
  }
  return words;
}

/** What a topic is read for. */
interface AtTopic {
  readings: { name: string; reading: Reading }[];
  expiring: { name: string; ms: number; becomes: Json; only?: Json }[];
  happenings: Happening[];
  extras: Extras[];
  /** Keys of its JSON object that are attributes already. */
  claimed: Set<string>;
  /** Something is picked of a JSON object. */
  isObject: boolean;
}

function byTopic(
  attributes: ReadonlyMap<string, DescribedAttribute>,
  { happenings, extras }: Pick<RuntimeOptions, "happenings" | "extras">,
): Map<string, AtTopic> {
  const topics = new Map<string, AtTopic>();
  const at = (topic: string): AtTopic => {
    const known = topics.get(topic) ?? {
      ...{ readings: [], expiring: [], happenings: [], extras: [] },
      ...{ claimed: new Set<string>(), isObject: false },
    };
    topics.set(topic, known);
    return known;
  };
  for (const [name, { readings, expires = [] }] of attributes) {
    for (const reading of readings) {
      const one = at(reading.topic);
      one.readings.push({ name, reading });
      const [key, ...more] = reading.path ?? [];
      if (key !== undefined) one.isObject = true;
      if (key !== undefined && more.length === 0) one.claimed.add(key);
    }
    for (const topic of new Set(readings.map((one) => one.topic)))
      at(topic).expiring.push(...expires.map((one) => ({ name, ...one })));
  }
  for (const one of happenings) at(one.topic).happenings.push(one);
  for (const one of extras)
    if (!at(one.topic).extras.some((known) => isAlike(known, one))) at(one.topic).extras.push(one);
  // The whole object once, with its keys described.
  for (const one of topics.values()) if (one.extras.some(({ isWhole }) => isWhole)) one.isObject = false;
  return topics;
}

const isAlike = (a: Extras, b: Extras): boolean => a.isWhole && b.isWhole;
