// Tables in a rule: one value for each mode, and names with any value, such as the parameters of a rule.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Attributes, Json } from "../../../model/device/json.ts";
import { t } from "../../../texts/index.ts";
import { known, nameOf } from "../words/rule-names.ts";
import { NamePick } from "./rule-picks.tsx";
import { ValueInput } from "./rule-value.tsx";

interface TableFieldProps {
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

const tableOf = (value: Json | undefined): Attributes =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};

function withRow(table: Attributes, name: string, value: Json | undefined): Json | undefined {
  const { [name]: _, ...others } = table;
  const next = value === undefined ? others : { ...table, [name]: value };
  return Object.keys(next).length === 0 ? undefined : next;
}

interface ByModeProps extends TableFieldProps {
  draw: (row: { label: string; value: Json | undefined; onChange: TableFieldProps["onChange"] }) => JSX.Element;
}

/** A mode that was picked stands there at once, and is written when it has a value. */
export function ByMode({ value, draw, onChange }: ByModeProps) {
  const table = tableOf(value);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const modes = [...new Set([...Object.keys(table), ...picked])];
  return (
    <>
      {modes.map((mode) => (
        <div class="table-row" key={mode}>
          <strong>{nameOf("mode", mode)}</strong>
          {draw({
            label: known.value.mode.get(mode) ?? mode,
            value: table[mode],
            onChange: (next) => onChange(withRow(table, mode, next)),
          })}
        </div>
      ))}
      <NamePick
        key={modes.length}
        kind="mode"
        label={t("guide.add_mode")}
        empty={t("guide.add_mode")}
        value=""
        onChange={(mode) => mode !== undefined && setPicked([...picked, mode])}
      />
    </>
  );
}

export function FreeTable({ value, onChange }: TableFieldProps) {
  const table = tableOf(value);
  const [name, setName] = useState("");
  return (
    <>
      {Object.entries(table).map(([key, one]) => (
        <div class="state-row" key={key}>
          <bdi>{key}</bdi>
          <ValueInput
            label={key}
            about={{ device: undefined, attribute: key }}
            value={one}
            onChange={(next) => onChange(withRow(table, key, next))}
          />
        </div>
      ))}
      <div class="state-row">
        <input
          aria-label={t("guide.row_name")}
          placeholder={t("guide.row_name")}
          autocomplete="off"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <ValueInput
          key={Object.keys(table).length}
          label={t("guide.row_value")}
          about={{ device: undefined, attribute: name }}
          value={undefined}
          onChange={(next) => {
            if (name.trim() === "" || next === undefined) return;
            onChange(withRow(table, name.trim(), next));
            setName("");
          }}
        />
      </div>
    </>
  );
}
