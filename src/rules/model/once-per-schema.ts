// What follows from a schema alone is computed once: thousands of rules are read by the same few schemas.
import type { TSchema } from "@sinclair/typebox";

/** Schemas must not change, and neither must what `compute` returns. */
export function oncePerSchema<T>(compute: (schema: TSchema) => T): (schema: TSchema) => T {
  const known = new WeakMap<TSchema, { readonly result: T }>();
  return function ofSchema(schema) {
    const found = known.get(schema);
    if (found) return found.result;
    const result = compute(schema);
    known.set(schema, { result });
    return result;
  };
}
