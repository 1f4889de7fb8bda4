// One thing of a device as both sides have it: Home Assistant's announcement of it and what it says now, and the hub's device.

import type { Model } from "../corpus/lines.ts";
import { isRecord } from "../corpus/referee.ts";
import type { EntityState } from "./home-assistant.ts";

export interface Entity {
  model: Model;
  component: string;
  uniqueId: string;
  /** Its announcement. */
  config: Record<string, unknown>;
  /** The device's own property that it shows, where it shows one. */
  property: string | undefined;
  /** The part of the device, as its topics name it. */
  part: string | undefined;
  device: readonly Entity[];
}

export interface Property {
  unit?: string;
  word?: string;
  of?: string;
  part?: string;
  class?: string;
  readOnly?: boolean;
  enum?: unknown[];
  type?: unknown;
}

export interface HubDevice {
  id: string;
  attributes: Record<string, unknown>;
  schema: { properties?: Record<string, Property> } | null;
  capabilities: unknown;
}

export const keyOf = ({ component, uniqueId }: Entity): string => `${component} ${uniqueId}`;

export function entitiesOf(model: Model): Entity[] {
  const device: Entity[] = [];
  for (const { topic, payload } of model.discovery) {
    const component = topic.split("/")[1] ?? "";
    const uniqueId = String(payload.unique_id);
    const one = {
      model,
      component,
      uniqueId,
      config: payload,
      property: propertyOf(payload),
      part: partOf(model, payload),
    };
    device.push({ ...one, device });
  }
  return device;
}

const TEMPLATES = ["value_template", "state_value_template"];

/** A property's name in a template that shows it alone. */
export function inTemplate(template: unknown): string | undefined {
  const names = String(template ?? "").matchAll(/value_json(?:\["([^"]+)"\]|\.(\w+))/g);
  const found = new Set([...names].map(([, quoted, dotted]) => quoted ?? dotted));
  return found.size === 1 ? [...found][0] : undefined;
}

function propertyOf(config: Record<string, unknown>): string | undefined {
  return TEMPLATES.map((name) => inTemplate(config[name])).find((one) => one !== undefined);
}

function partOf(model: Model, config: Record<string, unknown>): string | undefined {
  const topics = [config.state_topic, config.command_topic, config.mode_command_topic, config.position_topic];
  for (const topic of topics) {
    const [, part] = String(topic ?? "").split(`zigbee2mqtt/${model.name}/`);
    const [first] = (part ?? "").split("/");
    if (first !== undefined && first !== "" && first !== "set") return first;
  }
  return undefined;
}

export const propertiesOf = ({ schema }: HubDevice): Record<string, Property> =>
  isRecord(schema?.properties) ? (schema.properties as Record<string, Property>) : {};

/** What an entity says and has. */
export interface Seen {
  entity: Entity;
  says: EntityState;
  hub: HubDevice;
  /** What the device reported last. */
  reported: Record<string, unknown>;
}

/** What a word is looked for by. */
export interface Origin {
  entity: Entity;
  /** The device's property that says it. */
  property: string | undefined;
  /** Whether nothing else of the device has the same word. */
  isAlone: boolean;
}

/** The hub's attributes that are the word of that property, best first; none where the hub has no such word of it. */
export function namesOfWord(hub: HubDevice, word: string, { entity, property, isAlone }: Origin): string[] {
  const { part, component } = entity;
  const known = propertiesOf(hub);
  const isWord = (name: string): boolean => known[name]?.word === word || name === word || name.startsWith(`${word}_`);
  const names = [...new Set([...Object.keys(known), ...Object.keys(hub.attributes)])].filter(isWord);
  const found = (is: (name: string) => boolean): string[] => names.filter(is);
  const ways = [
    () => found((name) => property !== undefined && known[name]?.of === property && known[name]?.word === word),
    // The light of a fan that has one: the fan has the whole.
    () => found((name) => name === `${word}_${component}` && known[name]?.part === component),
    // A word of the whole may have the name of another part's property: `color_rgb` of the part `rgb`.
    () => found((name) => property !== undefined && (known[name]?.of ?? name) === property),
    () => found((name) => part !== undefined && name === `${word}_${part}`),
    () => found((name) => part !== undefined && known[name]?.part === part),
    // What is announced without a part is the whole.
    () => (part === undefined && property !== undefined && isWhole(property) ? found((name) => name === word) : []),
    () => found((name) => name !== word && property?.endsWith(name.slice(word.length)) === true),
    () => (isAlone ? found((name) => name === word) : []),
  ];
  for (const way of ways) {
    const by = way();
    if (by.length > 0) return by;
  }
  return [];
}

const isWhole = (property: string): boolean =>
  ["state", "brightness", "color_temp", "color", "position", "tilt"].includes(property);
