// A device as the hub describes it: its values, and what its schema says of them.
import type { Attributes } from "./json.ts";
import { type Property, propertiesIn } from "./schema.ts";

export interface Device {
  id: string;
  name: string;
  plugin_id: string;
  area: string | null;
  device_type: string | null;
  /** Words that a person gave it, for rules. */
  tags?: string[];
  available: boolean;
  attributes: Attributes;
  last_seen: string | null;
  last_changed: Record<string, string>;
  /** JSON Schemas, as its source wrote them: read them with `propertyOf` and `propertiesOf`. */
  schema: unknown;
  capabilities: unknown;
  manufacturer: string | null;
  model: string | null;
  sw_version: string | null;
  hw_version?: string;
  serial_number?: string;
  configuration_url?: string;
  parent_device_id: string | null;
  /** Whether its changes are recorded. */
  history: boolean;
}

/** Whether it stands for several others; its type is theirs. */
export function isGroup({ plugin_id, model }: Device): boolean {
  return plugin_id === "core" && model === "group";
}

const NOTHING: Property = {};

/** What its source says of its attributes, in the order it says it. */
export function propertiesOf({ schema, capabilities }: Device): ReadonlyMap<string, Property> {
  return propertiesIn(schema ?? capabilities);
}

export function propertyOf(device: Device, attribute: string): Property {
  return propertiesOf(device).get(attribute) ?? NOTHING;
}

/** The words that an attribute may be. */
export function optionsOf({ enum: values = [] }: Property): readonly string[] {
  return values.filter((value) => typeof value === "string");
}
