// A value together with its schema: calls back at every place where there is something of both, and puts in what the call
// gives back. Stops where another trigger, condition or action stands: that has a schema of its own.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../core/json.ts";
import { wordsOf } from "./fields.ts";

export interface Place {
  schema: TSchema;
  value: unknown;
  /** Dotted: `else_if[0].condition`. */
  path: string;
}

/** A copy, in which what stands at each place is what `change` made of it. The value itself stays as it is. */
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
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const known = schemaOfKey(schema, key);
    return [key, known ? rewrite({ schema: known, value: item, path: under(path, key) }, change) : item];
  });
  return Object.fromEntries(entries);
}

/** Calls back at every place, changing nothing. */
export function walk(place: Place, visit: (place: Place) => void): void {
  rewrite(place, (at) => {
    visit(at);
    return at.value;
  });
}

export function under(path: string, key: string): string {
  if (/^\d+$/.test(key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** One thing or a list of them: which of both schemas is meant. */
function branchOf(schema: TSchema, value: unknown): TSchema {
  if (schema.anyOf === undefined || wordsOf(schema) !== undefined) return schema;
  const branches: TSchema[] = schema.anyOf;
  return branches.find((branch) => (branch.type === "array") === Array.isArray(value)) ?? schema;
}

function schemaOfKey({ properties, patternProperties }: TSchema, key: string): TSchema | undefined {
  if (properties) return Object.hasOwn(properties, key) ? properties[key] : undefined;
  return patternProperties && (Object.values(patternProperties)[0] as TSchema | undefined);
}
