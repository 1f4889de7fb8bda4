// One value of an entity that has several: read from a topic of its own, commanded on another.
import type { Json } from "../../../../kit/schema/json.ts";
import type { AttributeType } from "../../described.ts";
import { type Conversion, percentOf, SAME } from "../../words.ts";
import { attributeOf, withReset } from "./components/simple.ts";
import {
  type CommandKeys,
  type DescribedAttribute,
  numberOf,
  type Options,
  oneOf,
  type Reading,
  textOf,
  within,
} from "./entity.ts";

export interface Value {
  /** The shared word for it, and the name where the device has none of its own. */
  word: string;
  type: AttributeType;
  /** Keys of the topics and templates. */
  state?: [topic: string, template: string];
  command?: CommandKeys;
  options?: readonly string[] | undefined;
  min?: number | undefined;
  max?: number | undefined;
  step?: number | undefined;
  unit?: string | undefined;
  conversion?: Conversion | undefined;
  /** See `madeInto`. */
  isMade?: true;
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
  const { type, unit } = value;
  const { min, max, step } = rangeOf(value);
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
  return [
    value.isMade && value.conversion
      ? madeInto(one, value.word, value.conversion)
      : inWord(one, value.word, value.conversion),
  ];
}

// Those that mean the same of every device; what else a component has is its own.
const SHARED: ReadonlySet<string> = new Set([
  ...["on", "brightness_pct", "color_temp_k", "color_rgb", "locked", "lock_state", "position", "moving", "command"],
  ...["tilt_pct", "current_temperature", "target_temperature", "mode", "action", "speed_pct", "alarm"],
]);

export function isShared(word: string): boolean {
  return SHARED.has(word);
}

/** With its shared word: it is that itself where it bears the name, and needs no conversion. */
function inWord(one: DescribedAttribute, word: string, conversion: Conversion = SAME): DescribedAttribute {
  const { attribute, also = [] } = one;
  if (attribute.name !== word || conversion !== SAME) return { ...one, also: [...also, { word, conversion }] };
  return isShared(word) ? { ...one, attribute: { ...attribute, word } } : one;
}

/** The same of a value that is made into the shared one. What no message names so is that itself, once it is made. */
export function madeInto(one: DescribedAttribute, word: string, conversion: Conversion): DescribedAttribute {
  const isNamed = one.readings.some(({ path }) => path !== undefined);
  if (isNamed || one.attribute.name !== word) return inWord(one, word, conversion);
  const { from } = conversion;
  const readings = one.readings.map(
    (reading): Reading => ({
      ...reading,
      read(message) {
        const value = reading.read(message);
        return value === undefined || value === null ? value : from(value);
      },
    }),
  );
  return { ...one, readings, attribute: { ...one.attribute, ...conversion.attribute, word } };
}

/** 0–100 % from one end to the other, which may be less; what lies beyond an end is there. */
export function percentBetween(nothing: number, all: number): Conversion {
  const { from, ...conversion } = percentOf(nothing, all);
  return {
    ...conversion,
    from(value) {
      const share = from(value);
      // Upside down, nothing would be -0.
      return typeof share === "number" ? Math.min(100, Math.max(0, share)) + 0 : share;
    },
  };
}

/** Upside down, it is turned; a step of nothing is none. */
function rangeOf({ min, max, step }: Pick<Value, "min" | "max" | "step">): Pick<Value, "min" | "max" | "step"> {
  const isUpsideDown = min !== undefined && max !== undefined && min > max;
  return {
    ...(isUpsideDown ? { min: max, max: min } : { min, max }),
    step: step !== undefined && step > 0 ? step : undefined,
  };
}

const anything = (value: Json): Json => value;

export const stateAnd = (name: string): Pick<Value, "state" | "command"> => ({
  state: [`${name}_state_topic`, `${name}_state_template`],
  command: { topic: `${name}_command_topic`, template: `${name}_command_template` },
});
