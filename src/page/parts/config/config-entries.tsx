// A list of tables in hub.toml, such as [[plugins]]: each entry a form of its own, with ways to add and to remove one.

import { useState } from "preact/hooks";
import { type ConfigPath, isTable, nameOfPath, valueAt } from "../../model/config/config-values.ts";
import { withWords } from "../../model/config/config-words.ts";
import type { FormSchema } from "../../model/config/form-schema.ts";
import type { Json } from "../../model/device/json.ts";
import { t, textFor } from "../../texts/index.ts";
import { ConfigFields } from "./config-fields.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";

interface ConfigEntriesProps {
  of: ConfigDraft;
  path: ConfigPath;
  schema: FormSchema;
}

export function ConfigEntries({ of: draft, path, schema: { items = {} } }: ConfigEntriesProps) {
  const held = valueAt(draft.values, path);
  const entries = Array.isArray(held) ? held : [];
  const [opened, setOpened] = useState<number>();
  const name = nameOfPath(path);

  function add(start: Record<string, Json>): void {
    draft.edit([{ path: [...path, entries.length], value: start }]);
    setOpened(entries.length);
  }

  return (
    <section class="config-entries">
      {path.length > 1 && <h3>{textFor(`section.${name}`) ?? name}</h3>}
      {entries.length === 0 && <p class="hint">{t("config.no_entry")}</p>}
      {entries.map((entry, index) => (
        <details
          key={index}
          class="config-entry"
          open={opened === index}
          onToggle={({ currentTarget: { open } }) =>
            setOpened((now) => (open ? index : now === index ? undefined : now))
          }
        >
          <summary dir="auto">{nameOf(entry, items) || t("config.entry", { number: index + 1 })}</summary>
          <ConfigFields of={draft} path={[...path, index]} schema={entrySchema(items, entry, name)} />
          <div class="buttons">
            <button type="button" class="danger" onClick={() => draft.edit([{ path: [...path, index] }])}>
              {t("config.remove_entry")}
            </button>
          </div>
        </details>
      ))}
      <AddEntry items={items} onAdd={add} />
    </section>
  );
}

function AddEntry({ items, onAdd }: { items: FormSchema; onAdd: (start: Record<string, Json>) => void }) {
  const kinds = items.anyOf ?? [];
  return (
    <div class="buttons">
      {kinds.length === 0 && (
        <button type="button" onClick={() => onAdd(startOf(items))}>
          {t("config.add_entry")}
        </button>
      )}
      {kinds.map((kind) => (
        <button key={kind.title} type="button" onClick={() => onAdd(startOf(kind))}>
          {t("config.add_kind", { kind: kind.title ?? "" })}
        </button>
      ))}
    </div>
  );
}

/** What a new entry begins with: the keys it needs, empty, and what kind it is. */
export function startOf({ properties = {}, required = [] }: FormSchema): Record<string, Json> {
  return Object.fromEntries(
    namesFirst(properties).flatMap(([key, property]): [string, Json][] => {
      if (property.const !== undefined) return [[key, property.const]];
      if (!required.includes(key) || property.default !== undefined) return [];
      if (property.properties) return [[key, startOf(property)]];
      if (property.type === "array") return [[key, []]];
      return property.type === "string" ? [[key, ""]] : [];
    }),
  );
}

/** The schema of the kind that an entry is of; what says the kind is not a field. */
export function entrySchema(items: FormSchema, entry: Json | undefined, at: string): FormSchema {
  const kind = items.anyOf?.find((one) => kindOf(one) === (isTable(entry) ? entry.type : undefined)) ?? items;
  const worded = withWords(kind, at);
  const fields = namesFirst(worded.properties ?? {}).filter(([, { const: only }]) => only === undefined);
  return { ...worded, properties: Object.fromEntries(fields) };
}

const NAMES = ["id", "name", "username", "type"];

function namesFirst(properties: Record<string, FormSchema>): [string, FormSchema][] {
  const isName = ([key]: [string, FormSchema]): boolean => NAMES.includes(key);
  return Object.entries(properties).sort((a, b) => Number(isName(b)) - Number(isName(a)));
}

function kindOf({ properties }: FormSchema): Json | undefined {
  return properties?.type?.const;
}

/** `phone · Telegram` */
function nameOf(entry: Json, items: FormSchema): string {
  if (!isTable(entry)) return "";
  const name = [entry.id, entry.name, entry.username].find((one) => typeof one === "string" && one !== "");
  const kind = items.anyOf?.find((one) => kindOf(one) === entry.type)?.title;
  return [typeof name === "string" ? name : "", kind ?? ""].filter(Boolean).join(" · ");
}
