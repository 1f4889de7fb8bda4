// Walks a value together with its schema. Does not go into an inner trigger, condition or action, which has its own schema.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../../kit/schema/json.ts";
import { wordsOf } from "../model/fields.ts";

export interface Place {
  schema: TSchema;
  value: unknown;
  /** Dotted: `else_if[0].condition`. */
  path: string;
}

/** A copy in which every value with a schema is replaced by the result of `change`. */
export function rewrite(place: Place, change: (place: Place) => unknown): unknown {
  const { schema, path } = place;
  const value = change(place);
  const branch = branchOf(schema, value);
  if (branch !== schema) return rewrite({ schema: branch, value, path }, change);
  if (Array.isArray(value) && schema.items) {
    return value.map((item, index) =>
      rewrite({ schema: schema.items, value: item, path: `${path}[${index}]` }, change),
    );
  }
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const known = schemaOfKey(schema, key);
    const item = value[key];
    put(copy, key, known ? rewrite({ schema: known, value: item, path: under(path, key) }, change) : item);
  }
  return copy;
}

/** Also `__proto__` becomes a key like any other. */
function put(into: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") into[key] = value;
  else Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Calls `visit` for every value with a schema. */
export function walk(place: Place, visit: (place: Place) => void): void {
  const { schema, value, path } = place;
  visit(place);
  const branch = branchOf(schema, value);
  if (branch !== schema) walk({ schema: branch, value, path }, visit);
  else if (Array.isArray(value) && schema.items)
    for (const [index, item] of value.entries())
      walk({ schema: schema.items, value: item, path: `${path}[${index}]` }, visit);
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const known = schemaOfKey(schema, key);
      if (known) walk({ schema: known, value: value[key], path: under(path, key) }, visit);
    }
  }
}

export function under(path: string, key: string): string {
  if (isDigit(key.charCodeAt(0)) && /^\d+$/.test(key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Of a schema for one value or a list, the branch that applies. */
export function branchOf(schema: TSchema, value: unknown): TSchema {
  if (schema.anyOf === undefined || wordsOf(schema) !== undefined) return schema;
  const branches: TSchema[] = schema.anyOf;
  return branches.find((branch) => (branch.type === "array") === Array.isArray(value)) ?? schema;
}

export function schemaOfKey({ properties, patternProperties }: TSchema, key: string): TSchema | undefined {
  if (properties) return Object.hasOwn(properties, key) ? properties[key] : undefined;
  return patternProperties && (Object.values(patternProperties)[0] as TSchema | undefined);
}
