// A device as a source describes it: what it is, what it reports on which topics, and how it is commanded. Every source makes
// this, and nothing behind it knows where a description came from.
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { Press } from "./presses.ts";

export type AttributeType = "boolean" | "number" | "string" | "object" | "array";

export interface Attribute {
  /** As it is proposed by what is announced now; what it is called is decided in given-names.ts. */
  name: string;
  /** What it is of, as its source distinguishes it from others for ever: the entity, and which of its values. Its name, where there is none. */
  ids?: readonly string[];
  /** Where it is announced, and from what it is read: by these it is found under another id, or where it has none of its own. */
  places?: readonly string[];
  type: AttributeType;
  /** As the device names it: `°C`, `%`, `lx`, … */
  unit?: string;
  min?: number;
  max?: number;
  step?: number;
  /** The values it may be commanded, where it can be commanded; else those that it may have. */
  options?: readonly string[];
  /** Values that it only reports. */
  reported?: readonly string[];
  /** Other words for its options, which it takes as well. */
  accepts?: readonly string[];
  /** Of a text, as JSON Schema names them. The values of a `password` are passed to the device, and kept nowhere. */
  format?: "date" | "time" | "date-time" | "password";
  /** Of a text, in characters. */
  minLength?: number;
  maxLength?: number;
  /** A regular expression of a text. */
  pattern?: string;
  /** How many digits behind the point are of use to people. */
  precision?: number;
  /** `measurement`, `total`, `total_increasing`: what sums and averages of it mean. */
  stateClass?: string;
  /** `mdi:lamp`. */
  icon?: string;
  /** What it is the version of. */
  title?: string;
  /** Neither what the device does nor what it measures: a setting of it, or how it fares. */
  category?: "config" | "diagnostic";
  /** Home Assistant's device class: `temperature`, `door`, … */
  class?: string;
  /** JSON `true` is what its class calls off: a `contact` of class `door` that is true is closed. */
  inverted?: true;
  /** Which of several, where a device has several of a kind: `l1`. */
  part?: string;
  /** The device announced it as of no use to most people. */
  hidden?: true;
  description?: string;
  /** The device reports it. */
  readable: boolean;
  /** It can be commanded. */
  writable: boolean;
  /** Made from another one, in the words that all devices share. */
  derived?: true;
  /** The device's own attribute that a derived one is made from. */
  of?: string;
  /** The shared word that it is. */
  word?: string;
}

/** What one message says. */
export interface Report {
  attributes: JsonObject;
  /** Presses and the like: each is one, however often the same value comes. */
  actions: readonly Press[];
  available?: boolean;
  /** All attributes that cannot be reached while the device is there; undefined where the message says nothing of it. */
  unavailable?: readonly string[];
}

export interface Outgoing {
  topic: string;
  payload: string;
  qos: 0 | 1;
  retain: boolean;
}

export interface Message {
  text: string;
  /** Undefined where the text is no JSON. */
  json: Json | undefined;
  /** What the text is made of. */
  payload?: Uint8Array;
}

/** What a device says of itself, for people. */
export interface Hardware {
  sw_version?: string;
  hw_version?: string;
  serial_number?: string;
  /** Its own page: http or https, without a password. */
  configuration_url?: string;
  /** Pairs of a kind and an address: `["mac", "02:5b:…"]`. */
  connections?: [string, string][];
}

/** What a message shows: the picture itself, as it came, or where it is. */
export type Shown = { readonly bytes: Uint8Array } | { readonly address: string };

/** A topic on which pictures come. */
export interface PictureTopic {
  /** One of the device's topics. */
  topic: string;
  /** Which of its pictures, as it calls it; empty where it distinguishes none. A function, where that is in the topic. */
  of: string | ((topic: string) => string);
  /** Undefined where the message brings none. Throws TemplateError. */
  shows(payload: Uint8Array, message: () => Message): Shown | undefined;
}

export interface DescribedDevice {
  /** What the hub's id is made of; stable over renames. */
  identity: string;
  /** All it is known by: two descriptions that share one are of the same device. */
  identities: readonly string[];
  name: string | undefined;
  deviceType: string;
  manufacturer: string | undefined;
  model: string | undefined;
  hardware?: Hardware;
  /** The name of an area, where it was announced with one. */
  area: string | undefined;
  /** The identity of the device behind which it is. */
  parent: string | undefined;
  attributes: readonly Attribute[];
  /** By their ids, what its attributes were called before names were kept; as now, where its source does not say. */
  formerNames?(): ReadonlyMap<string, string>;
  /** Topics it reports on, or filters with `+` that they match. */
  topics: readonly string[];
  /** What it shows, on some of its topics. */
  pictures?: readonly PictureTopic[];
  /** What is named alike on two of them may be two things. */
  isOfSeveralTopics?: true;
  /** What a message on one of its topics says. */
  read(topic: string, message: Message): Report;
  /** Messages that bring about what is wanted. Throws HubError `invalid` with the attribute and what is wrong with it. */
  write(wanted: JsonObject): Outgoing[];
  /** Messages that make it report its whole state, for when a person has let it in. */
  refresh?(): Outgoing[];
  /** What is known once they have been sent, of a device that never says it itself. */
  assume?(wanted: JsonObject): JsonObject;
  /** Messages that take its announcement back, for when a person removes it. Without, it comes back by itself. */
  forget?(): Outgoing[];
}
