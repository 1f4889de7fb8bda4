// A device as the hub describes it: its values, and what its schema says of them.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Attributes = Record<string, Json>;

/** A property of a device's schema, as far as pages use it. */
export interface Property {
  type?: string;
  unit?: string;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  enum?: string[];
  anyOf?: { const?: Json }[];
  title?: string;
  description?: string;
  readOnly?: boolean;
  writeOnly?: boolean;
  category?: "config" | "diagnostic";
  class?: string;
  derived?: boolean;
  hidden?: boolean;
}

export interface Device {
  id: string;
  name: string;
  plugin_id: string;
  area: string | null;
  device_type: string | null;
  available: boolean;
  attributes: Attributes;
  last_seen: string | null;
  last_changed: Record<string, string>;
  schema: { properties?: Record<string, Property> } | null;
  /** What a plugin has declared, in the place of a schema. */
  capabilities?: { properties?: Record<string, Property> } | null;
  manufacturer: string | null;
  model: string | null;
  sw_version: string | null;
  parent_device_id: string | null;
}

export function propertyOf(device: Device, attribute: string): Property {
  return propertiesOf(device)?.[attribute] ?? {};
}

/** Undefined where the device has not said what it is. */
export function propertiesOf({ schema, capabilities }: Device): Record<string, Property> | undefined {
  return schema?.properties ?? capabilities?.properties;
}

/** The words that an attribute may be. */
export function optionsOf({ enum: words, anyOf }: Property): readonly string[] {
  return words ?? (anyOf ?? []).flatMap(({ const: word }) => (typeof word === "string" ? word : []));
}
