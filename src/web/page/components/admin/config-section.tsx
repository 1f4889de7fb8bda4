// One section of hub.toml as a form: its keys, its limits folded away, and its lists of entries.
import { editsBetween, isTable, nameOfPath, valueAt } from "../../state/config-values.ts";
import type { ConfigPath } from "../../state/hub-config.ts";
import { t } from "../../texts/index.ts";
import { ConfigEntries } from "./config-entries.tsx";
import { withWords } from "./config-words.ts";
import { SchemaFields } from "./schema-form.tsx";
import type { FormSchema } from "./schema-input.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";

interface ConfigSectionProps {
  of: ConfigDraft;
  name: string;
}

export function ConfigSection({ of: draft, name }: ConfigSectionProps) {
  const schema = draft.schema.properties?.[name];
  if (!schema) return null;
  if (isListOfTables(schema)) return <ConfigEntries of={draft} path={[name]} schema={schema} />;
  const worded = withWords(schema, name);
  const all = Object.entries(worded.properties ?? {});
  const lists = all.filter(([, property]) => isListOfTables(property));
  const keys = all.filter(([, property]) => !isListOfTables(property));
  const [limits, others] = [keys.filter(isLimit), keys.filter((one) => !isLimit(one))];
  const part = (some: typeof all): FormSchema => ({ ...worded, properties: Object.fromEntries(some) });
  return (
    <>
      <ConfigFields of={draft} path={[name]} schema={part(others)} />
      {lists.map(([key, list]) => (
        <ConfigEntries key={key} of={draft} path={[name, key]} schema={list} />
      ))}
      {limits.length > 0 && (
        <details>
          <summary>{t("config.limits")}</summary>
          <ConfigFields of={draft} path={[name]} schema={part(limits)} />
        </details>
      )}
    </>
  );
}

interface ConfigFieldsProps {
  of: ConfigDraft;
  path: ConfigPath;
  schema: FormSchema;
}

/** The fields of one table; what somebody changes becomes an edit of its key alone. */
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

function isListOfTables({ type, items }: FormSchema): boolean {
  return type === "array" && (items?.properties !== undefined || items?.anyOf?.[0]?.properties !== undefined);
}

function isLimit([key]: readonly [string, FormSchema]): boolean {
  return key.startsWith("max_");
}
