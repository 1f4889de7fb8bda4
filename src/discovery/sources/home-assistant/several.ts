// One value of an entity that has several: read from a topic of its own, commanded on another.
import type { Json } from "../../../core/json.ts";
import type { AttributeType } from "../../described.ts";
import { type Conversion, SAME } from "../../words.ts";
import { type DescribedAttribute, numberOf, type Options, oneOf, textOf, within } from "./entity.ts";
import { attributeOf, withReset } from "./simple.ts";

export interface Value {
  /** The shared word for it, and the name where the device has none of its own. */
  word: string;
  type: AttributeType;
  /** Keys of the topics and templates. */
  state?: [topic: string, template: string];
  command?: { topic: string; template: string; also?: string };
  options?: readonly string[] | undefined;
  min?: number | undefined;
  max?: number | undefined;
  step?: number | undefined;
  unit?: string | undefined;
  conversion?: Conversion;
  /** The payload that says it is unknown. */
  reset?: string;
}

/** Nothing where the entity has neither of its topics. */
export function valueAs(options: Options, value: Value): DescribedAttribute[] {
  const given = value.state && options.reading(...value.state);
  const state = given && withReset(given, value.reset);
  const commandTopic = value.command && options.topic(value.command.topic);
  if (!state && commandTopic === undefined) return [];
  // What a template makes of a value is not the value that the device names so.
  const own = state ? state.path?.at(-1) : /\/set\/([^/]+)$/.exec(commandTopic ?? "")?.[1];
  const name = own ?? value.word;
  const { type, min, max, step, unit } = value;
  const check = value.options
    ? oneOf(name, value.options)
    : type === "number"
      ? within(name, min, max, unit)
      : anything;
  const one = attributeOf(
    options,
    {
      ...{ name, type },
      ...(value.options && { options: value.options }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(step !== undefined && { step }),
      ...(unit !== undefined && { unit }),
    },
    {
      readings: [state && (type === "number" ? numberOf(state) : textOf(state))],
      commanded: value.command && options.commanded(name, value.command, check),
    },
  );
  return [name === value.word ? one : { ...one, also: { name: value.word, conversion: value.conversion ?? SAME } }];
}

const anything = (value: Json): Json => value;

export const stateAnd = (name: string): Pick<Value, "state" | "command"> => ({
  state: [`${name}_state_topic`, `${name}_state_template`],
  command: { topic: `${name}_command_topic`, template: `${name}_command_template` },
});
