// What a Homie device says of itself, the same for each version of the convention: nodes, and of each its properties.
import type { Hardware } from "../../described.ts";

export type Datatype = "integer" | "float" | "boolean" | "string" | "enum" | "color" | "datetime" | "duration" | "json";

export const DATATYPES: ReadonlySet<string> = new Set<Datatype>([
  ...(["integer", "float", "boolean", "string", "enum"] as const),
  ...(["color", "datetime", "duration", "json"] as const),
]);

export interface HomieProperty {
  id: string;
  name: string | undefined;
  datatype: Datatype;
  format: string;
  unit: string | undefined;
  settable: boolean;
  retained: boolean;
}

export interface HomieNode {
  id: string;
  name: string | undefined;
  type: string;
  properties: readonly HomieProperty[];
}

export interface HomieDescription {
  version: 3 | 4 | 5;
  name: string | undefined;
  model: string | undefined;
  hardware: Hardware;
  nodes: readonly HomieNode[];
  /** Ids of devices: the one that holds the connection of all, and the one behind which it is. Version 5. */
  root: string | undefined;
  parent: string | undefined;
  hasChildren: boolean;
  /** What it says of itself beside its nodes, by its id below `$stats/`. Versions 3 and 4. */
  stats: readonly string[];
  /** Its `$retained` may say false of what is a state. */
  isRetainedUnsure: boolean;
  /** What of it cannot be used, in whole sentences' halves. */
  problems: readonly string[];
}

/** Of one device. */
export const MAX_PROPERTIES = 1000;
const MAX_TEXT_LENGTH = 100;

/** Wider than the convention, which takes small letters, digits and hyphens: many devices go by their own. */
export function isHomieId(id: string): boolean {
  return /^[\w.:-]{1,100}$/.test(id);
}

export const ID_RULE = "an id is 1 to 100 letters, digits, hyphens and underscores";

/** For a name that people read. */
export function shortText(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const clean = text.replace(/\p{Cc}+/gu, " ").trim();
  if (clean === "") return undefined;
  return clean.length > MAX_TEXT_LENGTH ? `${clean.slice(0, MAX_TEXT_LENGTH - 1)}…` : clean;
}

/** For an id in a message to people. */
export const quoted = (id: string): string => `"${id.slice(0, 60)}"`;
