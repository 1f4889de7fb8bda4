// The input for a list of small tables of texts, such as a webhook's headers: a row for each, with ways to add and to remove one.

import { useId, useRef } from "preact/hooks";
import { isTable } from "../../model/config/config-values.ts";
import type { FormSchema } from "../../model/config/form-schema.ts";
import type { Json } from "../../model/device/json.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../icon.tsx";
import { SchemaInput } from "./schema-input.tsx";

const MAX_COLUMNS = 3;

/** The columns of such a list; undefined for a value of any other schema. */
export function columnsOf({ type, items }: FormSchema): [string, FormSchema][] | undefined {
  if (type !== "array" || items?.type !== "object") return undefined;
  const columns = Object.entries(items.properties ?? {});
  const isSmall = columns.length > 0 && columns.length <= MAX_COLUMNS;
  return isSmall && columns.every(([, column]) => column.type === "string") ? columns : undefined;
}

interface SchemaRowsProps {
  columns: readonly [string, FormSchema][];
  required: readonly string[] | undefined;
  value: Json | undefined;
  /** What is wrong, by `[0].name`. */
  problems: Readonly<Record<string, string>>;
  onChange: (value: Json | undefined) => void;
}

export function SchemaRows({ columns, required = [], value, problems, onChange }: SchemaRowsProps) {
  const rows = Array.isArray(value) ? value.map((row) => (isTable(row) ? row : {})) : [];
  const keys = useKeys(rows.length);
  const id = useId();
  const titleOf = ([name, { title = name }]: [string, FormSchema]): string => title;

  function add(): void {
    keys.added();
    onChange([...rows, Object.fromEntries(required.map((name) => [name, ""]))]);
  }
  function remove(index: number): void {
    keys.removed(index);
    onChange(rows.toSpliced(index, 1));
  }
  return (
    <>
      {rows.length > 0 && (
        <table class="schema-rows">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column[0]} scope="col" dir="auto">
                  {titleOf(column)}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={keys.of(index)}>
                {columns.map((column) => {
                  const [name, schema] = column;
                  const field = `${id}-${keys.of(index)}-${name}`;
                  return (
                    <td key={name}>
                      <label class="visually-hidden" for={field}>
                        {titleOf(column)} {index + 1}
                      </label>
                      <SchemaInput
                        id={field}
                        schema={schema}
                        value={row[name]}
                        required={required.includes(name)}
                        onChange={(next) => {
                          const { [name]: _, ...others } = row;
                          onChange(rows.with(index, next === undefined ? others : { ...row, [name]: next }));
                        }}
                      />
                    </td>
                  );
                })}
                <td>
                  <button
                    type="button"
                    class="bare"
                    aria-label={t("form.remove_row", { number: index + 1 })}
                    onClick={() => remove(index)}
                  >
                    <Icon name="close" />
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {Object.entries(problems).map(([path, message]) => (
        <span key={path} class="problem" dir="auto">
          {t("form.row_problem", { number: Number.parseInt(path.slice(1), 10) + 1, problem: message })}
        </span>
      ))}
      <div class="buttons">
        <button type="button" onClick={add}>
          {t("form.add_row")}
        </button>
      </div>
    </>
  );
}

/** Keys that stay with their rows when another one goes, as what is typed into them does. */
function useKeys(count: number) {
  const next = useRef(0);
  const keys = useRef<number[]>([]);
  while (keys.current.length < count) keys.current.push(next.current++);
  return {
    of: (index: number): number => keys.current[index] ?? index,
    added(): void {
      keys.current = [...keys.current.slice(0, count), next.current++];
    },
    removed(index: number): void {
      keys.current = keys.current.toSpliced(index, 1);
    },
  };
}
