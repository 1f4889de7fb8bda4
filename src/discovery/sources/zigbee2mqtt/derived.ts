// Which shared words a zigbee2mqtt device gets beside its own: `brightness_pct` for a light's brightness, …
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Attribute } from "../../described.ts";
import { type Conversion, kelvinOf, percentOf, RGB, SAME } from "../../words.ts";
import type { Property } from "./exposes.ts";

export interface Derived {
  attribute: Attribute;
  /** Adds it to what was read, where that says something about it. */
  read(read: JsonObject): void;
  /** What zigbee2mqtt is to be sent. Throws HubError `invalid`. */
  write(value: Json): JsonObject;
}

/** None that the device has an attribute of the same name for. */
export function derivedOf(properties: ReadonlyMap<string, Property>): Derived[] {
  const own = new Set([...properties.values()].map(({ attribute }) => attribute.name));
  const found = new Map<string, Derived>();
  for (const property of properties.values()) {
    const [name, conversion] = wordOf(property) ?? [];
    if (name !== undefined && conversion && !own.has(name) && !found.has(name))
      found.set(name, derive(property, name, conversion));
  }
  return [...found.values()];
}

const CLIMATE: Readonly<Record<string, string>> = {
  local_temperature: "current_temperature",
  occupied_heating_setpoint: "target_temperature",
  current_heating_setpoint: "target_temperature",
  system_mode: "mode",
  running_state: "action",
};

function wordOf(property: Property): [string, Conversion] | undefined {
  const { of, feature, attribute } = property;
  const { min, max } = attribute;
  const named = (word: string) => word + suffixOf(property);
  switch (of) {
    case "light":
      if (feature === "brightness") return [named("brightness_pct"), percentOf(min ?? 0, max ?? 254)];
      if (feature === "color_temp") return [named("color_temp_k"), kelvinOf(min ?? 150, max ?? 500)];
      return feature.startsWith("color_") && attribute.type === "object" ? [named("color_rgb"), RGB] : undefined;
    case "fan":
      return feature === "speed" ? [named("speed_pct"), percentOf(min ?? 0, max ?? 254)] : undefined;
    case "climate":
      return CLIMATE[feature] === undefined ? undefined : [named(CLIMATE[feature]), SAME];
    default:
      return undefined;
  }
}

/** `brightness_l1` makes `brightness_pct_l1`; the property of `color_xy` is `color`. */
function suffixOf({ property, feature }: Property): string {
  const stem =
    feature.startsWith("color_") && property.startsWith("color") && !property.startsWith(feature) ? "color" : feature;
  return property.startsWith(`${stem}_`) ? property.slice(stem.length) : "";
}

function derive(property: Property, name: string, { attribute: particular, from, to }: Conversion): Derived {
  const { attribute } = property;
  const { readable, writable, type, unit, min, max, step, options } = attribute;
  const same = { type, ...(unit && { unit }), ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  const listed = { ...(step !== undefined && { step }), ...(options && { options }) };
  return {
    attribute: {
      ...(Object.keys(particular).length === 0 ? { ...same, ...listed } : { type }),
      ...particular,
      ...{ name, readable, writable, derived: true },
    },
    read(read) {
      const value = read[attribute.name];
      const converted = value === undefined ? undefined : from(value);
      if (converted !== undefined) read[name] = converted;
    },
    write(value) {
      const converted = to(value, name);
      return { [property.property]: attribute.type === "object" ? converted : property.encode(converted) };
    },
  };
}
