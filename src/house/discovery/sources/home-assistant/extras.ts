// What entities send beside their value, as a JSON object on a topic of its own (`json_attributes_topic`): further attributes of
// the device, as they are. People rarely look at them, so they are marked as hidden and diagnostic.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, AttributeType, Message } from "../../described.ts";
import { type Options, quietly, type Reading } from "./entity.ts";
import { jsonIn, ownId } from "./naming/names.ts";

export interface Extras {
  topic: string;
  /** Whose keys are the same things: of two that make objects of one topic by templates, each has its own. */
  origin: string;
  /** Before the names of those whose name is taken. */
  prefix: string;
  object(message: Message): JsonObject | undefined;
  /** Where the keys of its object are those of the message. */
  isWhole: boolean;
}

/** One that a message has brought. */
export interface KnownExtra {
  type: AttributeType;
  topic: string;
  origin: string;
  key: string;
}

const MAX_EXTRAS = 50;
const MAX_NAME = 100;
const MAX_VALUE = 4096;

/** Undefined where the entity has none. */
export function extrasOf(options: Options): Extras | undefined {
  const reading = attributesReading(options);
  return (
    reading && {
      ...{ topic: reading.topic, origin: originOf(reading), prefix: ownId(options) },
      isWhole: reading.template === undefined,
      object(message) {
        const value = jsonIn(quietly(() => reading.read(message)));
        return isObject(value) ? value : undefined;
      },
    }
  );
}

function originOf({ topic, template }: Reading): string {
  return template === undefined
    ? topic
    : `${topic} ${new Bun.CryptoHasher("sha256").update(template).digest("base64url").slice(0, 16)}`;
}

export function attributesReading(options: Options): Reading | undefined {
  return options.reading("json_attributes_topic", "json_attributes_template");
}

/**
 * Adds them to what was read; true where one is new. `isTaken`: names of announced attributes. `claimed`: keys of the message
 * that are attributes already.
 */
export function readExtras(
  { topic, origin, prefix, object, isWhole }: Extras,
  message: Message,
  into: {
    read: JsonObject;
    /** See `DeviceMemory`. */
    undescribed: JsonObject;
    isDescribed: (name: string) => boolean;
    known: Map<string, KnownExtra>;
    isTaken: (name: string) => boolean;
    claimed: ReadonlySet<string>;
  },
): boolean {
  const { read, undescribed, isDescribed, known, isTaken, claimed } = into;
  let isNew = false;
  for (const [key, value] of Object.entries(object(message) ?? {})) {
    if (isWhole && claimed.has(key)) continue;
    const isOthers = (known.get(key)?.origin ?? origin) !== origin;
    const name = isTaken(key) || isOthers ? `${prefix}_${key}` : key;
    if (name.length > MAX_NAME || key === "" || isTaken(name) || Object.hasOwn(read, name)) continue;
    const type = typeOf(value);
    if (type !== undefined && !known.has(name)) {
      if (known.size >= MAX_EXTRAS) continue;
      known.set(name, { type, topic, origin, key });
      isNew = true;
    }
    if (!known.has(name) || JSON.stringify(value).length > MAX_VALUE) continue;
    // Before that, its topic alone would say whose it is.
    if (origin === topic || isDescribed(name)) read[name] = value;
    else undescribed[name] = value;
  }
  return isNew;
}

export function describedExtras(known: ReadonlyMap<string, KnownExtra>): Attribute[] {
  return [...known].map(([name, { type, topic, origin, key }]) => ({
    // The second is what it was known by before templates were distinguished.
    ids: [...(origin === topic ? [] : [`${origin} ${key}`]), `${topic} ${name}`],
    ...{ name, type, category: "diagnostic", hidden: true, readable: true, writable: false },
  }));
}

function typeOf(value: Json): AttributeType | undefined {
  if (value === null) return undefined;
  return Array.isArray(value) ? "array" : (typeof value as AttributeType);
}
