// Validates values with TypeBox schemas and adds defaults. Problems name the path, never the value, which may be a password.
import type { Static, TSchema } from "@sinclair/typebox";
import { Value, ValueErrorType } from "@sinclair/typebox/value";

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: string[] };

export function checkValue<S extends TSchema>(schema: S, value: unknown): Checked<Static<S>> {
  const filled = Value.Default(schema, Value.Clone(value));
  const problems = new Map<string, string>();
  for (const error of Value.Errors(schema, filled)) {
    const path = error.path.slice(1).replaceAll("/", ".") || "the whole";
    const problem =
      error.type === ValueErrorType.ObjectAdditionalProperties ? "unknown key" : error.message.toLowerCase();
    // TypeBox reports a missing key a second time, as having the wrong type.
    if (!problems.has(path)) problems.set(path, `${path}: ${problem}`);
  }
  return problems.size > 0 ? { ok: false, problems: [...problems.values()] } : { ok: true, value: filled as Static<S> };
}
