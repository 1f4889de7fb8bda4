// The fields of one table of hub.toml. What somebody changes becomes an edit of its key alone.
import { type ConfigPath, editsBetween, isTable, nameOfPath, valueAt } from "../../model/config/config-values.ts";
import type { FormSchema } from "../../model/config/form-schema.ts";
import { SchemaFields } from "../../ui/schema-form/schema-form.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";

interface ConfigFieldsProps {
  of: ConfigDraft;
  path: ConfigPath;
  schema: FormSchema;
}

export function ConfigFields({ of: draft, path, schema }: ConfigFieldsProps) {
  const held = valueAt(draft.values, path);
  const value = isTable(held) ? held : {};
  return (
    <div class="stacked-form">
      <SchemaFields
        schema={schema}
        value={value}
        problems={problemsBelow(draft, nameOfPath(path))}
        onChange={(next) => draft.edit(editsBetween(path, value, next))}
      />
    </div>
  );
}

/** The messages of the problems of a table's keys, by their names below it. */
function problemsBelow({ checked }: ConfigDraft, path: string): Record<string, string> {
  const below = (checked?.problems ?? []).filter((problem) => problem.path.startsWith(`${path}.`));
  return Object.fromEntries(below.map((problem) => [problem.path.slice(path.length + 1), problem.message]));
}
