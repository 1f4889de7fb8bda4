// The tools that every component is described with: options of a config with their defaults, values read from topics, values
// written to topics.
import { type Json, type JsonObject, parseJson } from "../../../../kit/schema/json.ts";
import { printable } from "../../../../kit/text/printable.ts";
import { isTopicFilter, isTopicName } from "../../../../kit/text/topic-filter.ts";
import type { Attribute, Message, Outgoing } from "../../described.ts";
import { type Engine, type Template, TemplateError, type Message as ToRead } from "../../templates/template.ts";
import { fromJson, str } from "../../templates/values.ts";
import { type Conversion, wrong } from "../../words.ts";
import { OwnState } from "./own-state.ts";
import type { Entity } from "./payload.ts";

/** A value that a topic brings. */
export interface Reading {
  topic: string;
  /** Undefined where the message says nothing about it. Throws TemplateError. */
  read(message: Message): Json | undefined;
  /** The key of a JSON object that it is, where it is no more than that. */
  path: readonly string[] | undefined;
  /** See `Template`. */
  picked?: string | undefined;
  /** The text of the template that makes it. */
  template?: string | undefined;
}

/** Attributes that are commanded with one message. */
export interface Commanded {
  /** By the names of attributes. Throws HubError `invalid`. */
  write(wanted: JsonObject): Outgoing[];
}

export interface DescribedAttribute {
  attribute: Attribute;
  readings: readonly Reading[];
  commanded?: Commanded | undefined;
  /** What `commanded` calls it, where that is not its name. */
  key?: string | undefined;
  /** The name it gets where no other attribute has it. */
  prefers?: string;
  /** The same value in the words that all devices share. */
  also?: readonly SharedWord[];
  /** The device never says it: what was sent last is what it is. */
  assumed?: true | undefined;
  /** A command, which leaves nothing behind that is so from then on. */
  momentary?: true;
  /** Becomes another value by itself, a while after a message brought one (all, or the one that is named). */
  expires?: readonly Expires[] | undefined;
}

/** What an attribute is in a word that all devices share; of a part, the part comes behind it. */
export interface SharedWord {
  word: string;
  /** Of which part, where that is not that of the attribute. */
  part?: string;
  conversion: Conversion;
  /** How it is commanded where that is not a command of the attribute itself; in its own values, not in converted ones. */
  commanded?: Commanded | undefined;
  /** What the attribute itself is once that was sent, of a device that never says it. */
  assumes?: ((value: Json) => Json | undefined) | undefined;
}

export interface Expires {
  ms: number;
  becomes: Json;
  /** Undefined: after any value. */
  only?: Json;
}

export interface CommandKeys {
  topic: string;
  template: string;
  variables?: (value: Json) => Readonly<Record<string, Json>>;
}

/** Of a topic with wildcards. */
const MAX_LEVELS = 32;

const IS_COMMANDED = /command_topic$|^set_/;

const MAX_LABEL_LENGTH = 40;
const asItIs = (message: Message): Message => message;

/** Messages as their entity's `encoding` says. Throws Error for one that nobody knows. */
function decoderOf(encoding: Json): (message: Message) => ToRead {
  const label = String(encoding).toLowerCase().replaceAll("_", "-");
  if (label === "utf-8" || label === "utf8") return asItIs;
  // Templates get the bytes.
  if (label === "") return ({ payload, text }) => ({ text, json: undefined, bytes: payload });
  // As Python spells them.
  const decoder = newDecoder(label.replace(/^latin-/, "latin").replace(/^(utf-16)-(le|be)$/, "$1$2"));
  if (!decoder) throw new Error(`encoding: "${printable(label.slice(0, MAX_LABEL_LENGTH))}" is not known`);
  return (message) => {
    const text = message.payload === undefined ? message.text : decoder.decode(message.payload);
    const parsed = parseJson(text);
    return { ...message, text, json: parsed.ok ? (parsed.value as Json) : undefined };
  };
}

function newDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label as Bun.Encoding);
  } catch {
    return undefined;
  }
}

/** A name of what a template may be asked about. */
const ASKS = /\b(?:this|entity_id|name)\b/;

/** The options of an entity. Getters throw Error for an option of the wrong kind. */
export class Options {
  readonly config: JsonObject;
  readonly engine: Engine;
  readonly entity: Entity;
  /** Undefined while none of its templates asks for it. */
  #own: OwnState | undefined;

  constructor(entity: Entity, engine: Engine) {
    this.entity = entity;
    this.config = entity.config;
    this.engine = engine;
  }

  text(key: string): string | undefined {
    const value = this.config[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "object") throw new Error(`${key}: must be a text`);
    // As Home Assistant makes texts of payloads: true is "True".
    return str(fromJson(value));
  }

  number(key: string): number | undefined {
    const value = this.config[key];
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (number === undefined || number === null) return undefined;
    if (typeof number !== "number" || !Number.isFinite(number)) throw new Error(`${key}: must be a number`);
    return number;
  }

  texts(key: string): string[] | undefined {
    const value = this.config[key];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) throw new Error(`${key}: must be a list`);
    return value.map((one) => str(fromJson(one)));
  }

  is(key: string): boolean {
    return this.config[key] === true;
  }

  /** One that the device reports on may be a filter, as of a device that several gateways receive. */
  topic(key: string): string | undefined {
    const topic = this.text(key);
    if (topic === undefined || isTopicName(topic)) return topic;
    if (IS_COMMANDED.test(key) || !isTopicFilter(topic))
      throw new Error(
        `${key}: "${topic}" is no topic that a broker passes on (+ and # are no part of names): let the device, or what announces it, call it otherwise`,
      );
    const levels = topic.split("/");
    if (levels.length > MAX_LEVELS)
      throw new Error(
        `${key}: a topic with wildcards may have ${MAX_LEVELS} levels, and this one has ${levels.length}`,
      );
    const named = levels.filter((level) => level !== "+" && level !== "#" && level !== "");
    if (named.length < 2 || !named.includes(levels.at(-1) ?? ""))
      throw new Error(
        `${key}: "${topic}" would read what is not the device's: it needs two levels without wildcards, its last among them`,
      );
    return topic;
  }

  needsTopic(key: string): string {
    const topic = this.topic(key);
    if (topic === undefined) throw new Error(`${key} is missing`);
    return topic;
  }

  template(key: string): Template | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    try {
      const template = this.engine.compile(text);
      if (template.isAbout) this.#own ??= new OwnState(this.entity);
      return template;
    } catch (error) {
      throw new Error(`${key}: ${(error as Error).message}`);
    }
  }

  /** Whether some template of the entity may ask for its state, also one that is compiled later. */
  #mayAsk(): boolean {
    const isAsking = ([key, value]: [string, Json]) => key.endsWith("template") && ASKS.test(String(value));
    return this.#own !== undefined || Object.entries(this.config).some(isAsking);
  }

  reading(topicKey: string, templateKey: string): Reading | undefined {
    const topic = this.topic(topicKey);
    if (topic === undefined) return undefined;
    const template = this.template(templateKey);
    const decoded = decoderOf(this.config.encoding ?? "utf-8");
    const found = { topic, path: template?.path, picked: template?.picked, template: this.text(templateKey) };
    // Nearly all: each message of a device passes here once for each of its values.
    if (template && decoded === asItIs && !this.#mayAsk()) return { ...found, read: template.read };
    return {
      ...found,
      read: (received) => {
        const message = decoded(received);
        const read = template ? template.read(message, this.#own?.about) : message.text;
        this.#own?.receive(topicKey, read);
        return read;
      },
    };
  }

  outgoing(topic: string, payload: string): Outgoing {
    return {
      topic,
      payload,
      qos: this.number("qos") === 0 || this.number("qos") === undefined ? 0 : 1,
      retain: this.is("retain"),
    };
  }

  /** The value as its text, or through a template as `value`, with the `variables` that its component adds. */
  commanded(
    name: string,
    { topic: topicKey, template: templateKey, variables }: CommandKeys,
    encode: (value: Json) => Json,
  ): Commanded | undefined {
    const topic = this.topic(topicKey);
    if (topic === undefined) return undefined;
    const template = this.template(templateKey);
    return {
      write: (wanted) => {
        const value = encode(wanted[name] ?? null);
        const values = { value, ...variables?.(value) };
        return [this.outgoing(topic, template ? template.write(values, this.#own?.about) : str(fromJson(value)))];
      },
    };
  }

  /** Options that say what an attribute is. */
  meta(): Partial<Attribute> {
    return metaOf(this.config);
  }
}

/** A template that misses a value of this message changes nothing: what was known stays. */
export function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/** Two payloads that mean on and off. What is neither is no value. */
export function booleanOf(reading: Reading, on: string, off: string): Reading {
  return {
    ...reading,
    read(message) {
      const value = reading.read(message);
      if (value === undefined) return undefined;
      const text = str(fromJson(value));
      return text === on ? true : text === off ? false : value === null || text === "None" ? null : undefined;
    },
  };
}

/** What is a number becomes one; "None" and nothing are none. */
export function numberOf(reading: Reading): Reading {
  return {
    ...reading,
    read(message) {
      const value = reading.read(message);
      if (typeof value !== "string") return value;
      const text = value.trim();
      if (text === "None" || text === "unknown") return null;
      const number = text === "" ? Number.NaN : Number(text);
      return Number.isFinite(number) ? number : undefined;
    },
  };
}

/** A text; "None" is none unless it is an option, nothing is no message. What is picked of a JSON object is meant as it is. */
export function textOf(reading: Reading, options: readonly string[] = []): Reading {
  if (reading.path) return reading;
  return {
    ...reading,
    read(message) {
      const value = reading.read(message);
      return value === "None" && !options.includes(value) ? null : value === "" ? undefined : value;
    },
  };
}

export function oneOf(name: string, options: readonly string[]): (value: Json) => Json {
  return (value) => {
    const text = typeof value === "string" ? value : String(value);
    if (!options.includes(text)) throw wrong(name, `must be one of ${options.join(", ")}`);
    return text;
  };
}

export function within(
  name: string,
  min: number | undefined,
  max: number | undefined,
  unit = "",
): (value: Json) => Json {
  return (value) => {
    if (typeof value !== "number" || value < (min ?? value) || value > (max ?? value))
      throw wrong(name, `must be a number from ${min ?? "…"} to ${max ?? "…"}${unit && ` ${unit}`}`);
    return value;
  };
}

/** By payloads for true and false. */
export function onOff(name: string, on: string, off: string): (value: Json) => Json {
  return (value) => {
    if (typeof value !== "boolean") throw wrong(name, "must be true or false");
    return value ? on : off;
  };
}

const MAX_PRECISION = 20;
const STATE_CLASSES: ReadonlySet<string> = new Set(["measurement", "measurement_angle", "total", "total_increasing"]);
const FORMATS: Readonly<Record<string, Attribute["format"]>> = { date: "date", timestamp: "date-time" };

/** Of an entity, of each of its attributes. */
function metaOf(config: JsonObject): Partial<Attribute> {
  const { unit_of_measurement: unit, device_class: kind, entity_category: category, name, icon } = config;
  const { suggested_display_precision: precision, state_class: stateClass } = config;
  const format = typeof kind === "string" && Object.hasOwn(FORMATS, kind) ? FORMATS[kind] : undefined;
  return {
    ...(typeof unit === "string" && unit !== "" && { unit }),
    ...(typeof kind === "string" && { class: kind }),
    ...((category === "config" || category === "diagnostic") && { category }),
    ...(typeof name === "string" && name !== "" && { description: name }),
    ...(typeof icon === "string" && /^[\w-]+:[\w-]{1,100}$/.test(icon) && { icon }),
    ...(isPrecision(precision) && { precision }),
    ...(typeof stateClass === "string" && STATE_CLASSES.has(stateClass) && { stateClass }),
    ...(format !== undefined && { format }),
  };
}

const isPrecision = (value: Json | undefined): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_PRECISION;
