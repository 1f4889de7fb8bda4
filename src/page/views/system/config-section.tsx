// One section of hub.toml as a form: its keys, its limits folded away, and its lists of entries.

import { withWords } from "../../model/config/config-words.ts";
import type { FormSchema } from "../../model/config/form-schema.ts";
import { ConfigEntries } from "../../parts/config/config-entries.tsx";
import { ConfigFields } from "../../parts/config/config-fields.tsx";
import type { ConfigDraft } from "../../parts/config/use-config-draft.ts";
import { t } from "../../texts/index.ts";

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

function isListOfTables({ type, items }: FormSchema): boolean {
  return type === "array" && (items?.properties !== undefined || items?.anyOf?.[0]?.properties !== undefined);
}

function isLimit([key]: readonly [string, FormSchema]): boolean {
  return key.startsWith("max_");
}
