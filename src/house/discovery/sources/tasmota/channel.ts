// One attribute of a Tasmota that is read from its states, or commanded, or both.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";
import { numberIn, within } from "../../numbers.ts";
import type { Conversion } from "../../words.ts";

/** `["POWER1", "ON"]` */
export type Command = readonly [name: string, argument: string];

export interface Channel {
  attribute: Attribute;
  /** Undefined where the state says nothing of it. `state`: of STATE, RESULT or SENSOR. */
  decode?(state: JsonObject): Json | undefined;
  /** `wanted`: all that is to be brought about at once. Throws HubError `invalid`. */
  encode?(value: Json, wanted: JsonObject): Command[];
}

export const WRITABLE = { readable: true, writable: true } as const;
export const READABLE = { readable: true, writable: false } as const;

/** A whole number that has the same name in states and as a command. */
export function ranged(
  attribute: Pick<Attribute, "name"> & Partial<Attribute> & { min: number; max: number },
  { key, command = key }: { key: string; command?: string },
): Channel {
  const { name } = attribute;
  return {
    attribute: { ...WRITABLE, type: "number", ...attribute },
    decode: (state) => numberIn(state[key]),
    encode: (value) => [[command, String(Math.round(within(name, value, attribute)))]],
  };
}

/** Which word an attribute is by its name, and of which part: `on_2` is `on` of the second. */
export function wordAndPart(name: string): Pick<Attribute, "word" | "part"> {
  const [, word = name, part] = /^(.+?)(?:_(\d+))?$/.exec(name) ?? [];
  return { word, ...(part !== undefined && { part }) };
}

/** The channel, and beside it the same in one of the words that all devices share. */
export function withWord(channel: Channel, name: string, conversion: Conversion): Channel[] {
  const { attribute, decode, encode } = channel;
  const { unit, min, max } = attribute;
  const range = { ...(unit && { unit }), ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  const derived: Channel = {
    attribute: {
      ...(Object.keys(conversion.attribute).length === 0 && range),
      ...{ type: attribute.type, ...conversion.attribute, name, ...wordAndPart(name), of: attribute.name },
      ...{ readable: attribute.readable, writable: attribute.writable, derived: true },
    },
    ...(decode && {
      decode(state) {
        const own = decode(state);
        return own === undefined ? undefined : conversion.from(own);
      },
    }),
    ...(encode && { encode: (value, wanted) => encode(conversion.to(value, name), wanted) }),
  };
  return [channel, derived];
}
