// The schemas of devices, read with care: whoever wrote one may have written anything.
import type { Json } from "./json.ts";

/** A property of a device's schema, as far as pages use it. */
export interface Property {
  type?: string;
  title?: string;
  unit?: string;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  /** How many digits behind the point are of use; not checked. */
  precision?: number;
  /** Finite choice. */
  enum?: readonly Json[];
  description?: string;
  readOnly?: boolean;
  writeOnly?: boolean;
  category?: "config" | "diagnostic";
  class?: string;
  /** JSON `true` is what its class calls off. */
  inverted?: boolean;
  /** Which of several, where a device has several of a kind. */
  part?: string;
  /** The shared word that it is. */
  word?: string;
  derived?: boolean;
  /** The attribute that a derived one is made from. */
  of?: string;
  hidden?: boolean;
}

const MAX_OPTIONS = 500;
const NONE: ReadonlyMap<string, Property> = new Map();
const known = new WeakMap<object, ReadonlyMap<string, Property>>();

/** By attribute: a map, as an attribute may have the name of something every object has. */
export function propertiesIn(schema: unknown): ReadonlyMap<string, Property> {
  if (!isTable(schema)) return NONE;
  let properties = known.get(schema);
  if (!properties) {
    properties = new Map(
      isTable(schema.properties)
        ? Object.entries(schema.properties).map(([name, raw]) => [name, isTable(raw) ? read(raw) : {}])
        : [],
    );
    known.set(schema, properties);
  }
  return properties;
}

const replaced = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/** Attribute → those that are made from it. */
export function replacedIn(properties: ReadonlyMap<string, Property>): ReadonlyMap<string, readonly string[]> {
  let found = replaced.get(properties);
  if (!found) {
    const made = new Map<string, string[]>();
    for (const [name, { derived, of }] of properties)
      if (derived && of !== undefined && of !== name) made.set(of, [...(made.get(of) ?? []), name]);
    found = made;
    replaced.set(properties, made);
  }
  return found;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function read(raw: Record<string, unknown>): Property {
  const found: Record<string, unknown> = {};
  const type = Array.isArray(raw.type) ? raw.type.find((one) => one !== "null") : raw.type;
  if (typeof type === "string") found.type = type;
  for (const name of ["title", "unit", "description", "class", "part", "word", "of"])
    if (typeof raw[name] === "string" && raw[name] !== "") found[name] = raw[name];
  for (const name of ["minimum", "maximum", "precision"])
    if (typeof raw[name] === "number" && Number.isFinite(raw[name])) found[name] = raw[name];
  const step = Number(raw.multipleOf);
  if (step > 0) found.multipleOf = step;
  for (const name of ["readOnly", "writeOnly", "derived", "hidden", "inverted"])
    if (raw[name] === true) found[name] = true;
  if (raw.category === "config" || raw.category === "diagnostic") found.category = raw.category;
  const options = optionsIn(raw);
  if (options.length > 0) found.enum = options.slice(0, MAX_OPTIONS);
  return found;
}

/** Choices are an `enum`, one `const`, or several of them in `anyOf`. */
function optionsIn({ enum: listed, const: only, anyOf }: Record<string, unknown>): Json[] {
  if (Array.isArray(listed)) return listed as Json[];
  if (only !== undefined) return [only as Json];
  if (!Array.isArray(anyOf)) return [];
  const consts = anyOf.map((one) => (isTable(one) ? one.const : undefined));
  return consts.every((one) => one !== undefined) ? (consts as Json[]) : [];
}
