// What an attribute is called: by the value that it is picked from, never by the name that people see, which they change.
import { type Json, parseJson } from "../../../../../kit/schema/json.ts";
import { SAME } from "../../../words.ts";
import type { DescribedAttribute, Options, Reading } from "../entity.ts";

/** `state_l1` of what can be switched is `on_l1`. */
export function switchName(name: string, word = "on"): string {
  return name === "state" || name.startsWith("state_") ? word + name.slice("state".length) : name;
}

/** What turns a thing on and off, or locks it: under the word for it, or with that beside the device's own name. */
export function inOwnWord(one: DescribedAttribute, word = "on"): DescribedAttribute {
  const { attribute, also = [] } = one;
  const { name } = attribute;
  if (name === word) return { ...one, attribute: { ...attribute, word } };
  if (name.startsWith(`${word}_`))
    return { ...one, attribute: { ...attribute, word, part: name.slice(word.length + 1) } };
  return { ...one, also: [...also, { word, conversion: SAME }] };
}

/** The last name of a pick; else the end of the topic, or of the entity's own id. */
export function nameOf(options: Options, reading: Reading | undefined, commandKey = "command_topic"): string {
  const picked = reading?.path?.at(-1);
  if (picked !== undefined) return picked;
  return nameInTopic(options.topic(commandKey)) ?? ownId(options);
}

/** zigbee2mqtt's `…/set/PROPERTY`. */
function nameInTopic(topic: string | undefined): string | undefined {
  return topic === undefined ? undefined : /\/set\/([^/]+)$/.exec(topic)?.[1];
}

/** `sensor_temperature` of the component sensor is `temperature`. */
export function ownId({ entity: { component, id } }: Options): string {
  return id.replace(new RegExp(`^${component}[_-]`), "") || id;
}

/** What a template has written as JSON, or picked as such. */
export function jsonIn(value: Json | undefined): Json | undefined {
  if (typeof value !== "string") return value;
  const parsed = parseJson(value);
  return parsed.ok ? parsed.value : undefined;
}
