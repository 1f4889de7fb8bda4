// The attributes in the words that all devices share, which a profile asks for with `word`.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";
import { type Conversion, celsiusOf, kelvinOf, percentOf, RGB, SAME, speedOf } from "../../words.ts";
import type { AttributeTable } from "./schema.ts";

export interface Word {
  attribute: Attribute;
  /** Adds it to what was read. */
  read(read: JsonObject): void;
  /** In the attribute's own words. Throws HubError `invalid`. */
  own(value: Json): Json;
}

/** `own`: the attribute that it is made of. */
export function wordOf(table: AttributeTable, own: Attribute): Word | undefined {
  const { word: name } = table;
  if (name === undefined) return undefined;
  const { attribute, from, to } = conversionOf(name, table);
  return {
    attribute: { ...own, ...attribute, name, word: name, of: own.name, derived: true },
    read(read) {
      const value = read[own.name];
      const converted = value === undefined ? undefined : from(value);
      if (converted !== undefined) read[name] = converted;
    },
    own: (value) => to(value, name),
  };
}

function conversionOf(word: NonNullable<AttributeTable["word"]>, table: AttributeTable): Conversion {
  const { min = 0, max = 100, unit } = table;
  switch (word) {
    case "brightness_pct":
    case "volume_pct":
    case "position":
      return percentOf(min, max);
    case "speed_pct":
      // 0 is off, also where the range begins with it.
      return speedOf(Math.max(1, min), max);
    case "color_temp_k":
      return kelvinOf(Math.max(1, min), max);
    case "color_rgb":
      return RGB;
    case "current_temperature":
    case "target_temperature":
      return unit === "°F" ? celsiusOf(table) : SAME;
    default:
      return SAME;
  }
}

// By the type of the device.
const NAMED: Readonly<Record<string, readonly string[]>> = {
  light: ["brightness_pct", "color_temp_k", "color_rgb"],
  cover: ["position", "moving", "command", "tilt_pct"],
  valve: ["position", "moving", "command"],
  climate: ["current_temperature", "target_temperature", "mode", "action"],
  lock: ["locked", "lock_state"],
  fan: ["speed_pct"],
  vacuum: ["command", "state"],
  media: ["volume_pct"],
};

/** What a profile calls by the very name of a word is that word. */
export function namedWord(name: string, deviceType: string | undefined): Pick<Attribute, "word"> {
  return name === "on" || NAMED[deviceType ?? ""]?.includes(name) ? { word: name } : {};
}
