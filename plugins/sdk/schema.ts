// Values against TypeBox schemas: defaults filled in, every problem named by its path, never by its value, which may
// be a password.
import type { Static, TSchema } from "@sinclair/typebox";
import { Value, ValueErrorType } from "@sinclair/typebox/value";

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: string[] };

export function checkValue<S extends TSchema>(schema: S, value: unknown): Checked<Static<S>> {
  const filled = Value.Default(schema, Value.Clone(value));
  const problems = new Map<string, string>();
  for (const error of Value.Errors(schema, filled)) {
    const path = error.path.slice(1).replaceAll("/", ".") || "the whole";
    const said = error.type === ValueErrorType.ObjectAdditionalProperties ? "unknown key" : error.message.toLowerCase();
    // A missing key is reported a second time as being of the wrong type.
    if (!problems.has(path)) problems.set(path, `${path}: ${said}`);
  }
  return problems.size > 0 ? { ok: false, problems: [...problems.values()] } : { ok: true, value: filled as Static<S> };
}
