// The attributes in the words that all devices share, which a profile asks for with `word`.
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Attribute } from "../../described.ts";
import { type Conversion, kelvinOf, percentOf, RGB, SAME } from "../../words.ts";
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
    attribute: { ...own, ...attribute, name, derived: true },
    read(read) {
      const value = read[own.name];
      const converted = value === undefined ? undefined : from(value);
      if (converted !== undefined) read[name] = converted;
    },
    own: (value) => to(value, name),
  };
}

function conversionOf(word: NonNullable<AttributeTable["word"]>, { min = 0, max = 100 }: AttributeTable): Conversion {
  switch (word) {
    case "brightness_pct":
    case "speed_pct":
    case "volume_pct":
    case "position":
      return percentOf(min, max);
    case "color_temp_k":
      return kelvinOf(min, max);
    case "color_rgb":
      return RGB;
    default:
      return SAME;
  }
}
