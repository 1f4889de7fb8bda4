// A word that all devices share, made of what one zigbee2mqtt device calls its own.
import type { Json, JsonObject } from "../../../../../kit/schema/json.ts";
import type { Attribute } from "../../../described.ts";
import { type Conversion, percentOf, SAME, wrong } from "../../../words.ts";
import type { Property } from "../exposes.ts";

/** The decoded values of one message, by zigbee2mqtt's names. */
export type Own = Readonly<JsonObject>;

export interface Derived {
  attribute: Attribute;
  /** Undefined where the message says nothing about it. */
  read(own: Own): Json | undefined;
  /** What zigbee2mqtt is to be sent. Throws HubError `invalid`. */
  write(value: Json): JsonObject;
  /** An own attribute of the same name says it already, and is only set right. */
  corrects?: true;
  /** The device never reports it: what it was commanded is what it is. */
  assumed?: true;
}

/** What of one kind is of one part, by the name of the feature. */
export interface Part {
  suffix: string;
  features: ReadonlyMap<string, Property>;
  /** Beside it, of the same part: exposed alone, or as a feature of another `kind`. */
  beside(name: string, kind?: string): Property | undefined;
}

export function partsOf(properties: ReadonlyMap<string, Property>, kind: string): Part[] {
  const features = [...properties.values()].filter(({ of }) => of === kind);
  return [...Map.groupBy(features, ({ suffix }) => suffix)].map(([suffix, list]) => ({
    suffix,
    features: new Map(list.map((one) => [one.feature, one])),
    beside(name, other) {
      const found = properties.get(name + suffix);
      return found?.of === other ? found : undefined;
    },
  }));
}

interface Shared {
  /** The word; its attribute bears the part behind it. */
  word: string;
  suffix: string;
  conversion?: Conversion;
  /** Where it cannot bear the word's name. */
  name?: string;
}

/** Of one property. */
export function derive(property: Property, { word, suffix, conversion = SAME, name = word + suffix }: Shared): Derived {
  const { attribute: particular, from, to } = conversion;
  const { attribute } = property;
  const { readable, writable, type, unit, min, max, step, options } = attribute;
  const same = { type, ...(unit && { unit }), ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  const listed = { ...(step !== undefined && { step }), ...(options && { options }) };
  return {
    attribute: {
      ...(Object.keys(particular).length === 0 ? { ...same, ...listed } : { type }),
      ...particular,
      ...{ name, readable, writable, ...originOf(property, word, suffix) },
    },
    read(own) {
      const value = own[property.property];
      return value === undefined || value === null ? value : from(value as Json);
    },
    write(value) {
      const converted = to(value, name);
      return { [property.property]: type === "object" ? converted : property.encode(converted) };
    },
  };
}

/** What a derived attribute says of where it is from. */
export function originOf(
  { attribute }: Pick<Property, "attribute">,
  word: string,
  suffix: string,
): Pick<Attribute, "derived" | "of" | "word" | "part"> {
  const part = attribute.part ?? (suffix === "" ? undefined : suffix.slice(1));
  return { derived: true, of: attribute.name, word, ...(part !== undefined && { part }) };
}

/** 0–100 % of what a property ranges over; of a scale with one step there is only that. */
export function shareOf({ min = 0, max = 100 }: Pick<Attribute, "min" | "max">): Conversion {
  if (min !== max) return percentOf(min, max);
  const { attribute } = percentOf(0, 1);
  return { attribute, from: (value) => (typeof value === "number" ? 100 : undefined), to: () => max };
}

/** `position` of what is open or closed: 0 or 100. `open`, `close`: as the property calls it. */
export function endsOf(state: Property, { suffix, open, close }: { suffix: string; open: Json; close: Json }): Derived {
  const conversion: Conversion = {
    attribute: { type: "number", unit: "%", min: 0, max: 100, step: 100 },
    from: (value) => (value === open ? 100 : value === close ? 0 : null),
    to(value, name) {
      if (value !== 0 && value !== 100) throw wrong(name, "must be 0 (closed) or 100 (open): it knows nothing between");
      return value === 100 ? open : close;
    },
  };
  return derive(state, { word: "position", suffix, conversion });
}
