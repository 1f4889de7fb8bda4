// A field for one value of a device, as its schema describes it; JSON where there is no description.

import { useState } from "preact/hooks";
import type { Json } from "../../model/device/json.ts";
import type { Property } from "../../model/device/schema.ts";
import { t } from "../../texts/index.ts";
import { Toggle } from "../../ui/fields.tsx";

interface ValueFieldProps {
  label: string;
  value: Json;
  property: Property;
  disabled: boolean;
  onChange: (value: Json) => void;
}

export function ValueField(props: ValueFieldProps) {
  const { label, value, property, disabled, onChange } = props;
  if (typeof value === "boolean") return <Toggle label={label} on={value} disabled={disabled} onChange={onChange} />;
  if (typeof value === "number") return <NumberField {...props} value={value} />;
  if (typeof value !== "string") return <JsonField {...props} />;
  if (property.enum && property.enum.length > 0) {
    return (
      <select
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {[...new Set([...property.enum, value])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  }
  const field = {
    "aria-label": label,
    value,
    disabled,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value),
  };
  return /^#[\da-f]{6}$/i.test(value) ? <input type="color" {...field} /> : <input type="text" dir="auto" {...field} />;
}

function NumberField({ label, value, property, disabled, onChange }: ValueFieldProps & { value: number }) {
  const { minimum, maximum, multipleOf, unit } = property;
  return (
    <span class="with-unit">
      <input
        type="number"
        aria-label={unit === undefined ? label : `${label}, ${unit}`}
        value={value}
        min={minimum}
        max={maximum}
        step={multipleOf ?? "any"}
        required
        disabled={disabled}
        onInput={({ currentTarget }) => {
          if (!Number.isNaN(currentTarget.valueAsNumber)) onChange(currentTarget.valueAsNumber);
        }}
      />
      {unit !== undefined && <span class="hint">{unit}</span>}
    </span>
  );
}

function JsonField({ label, value, disabled, onChange }: ValueFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(value));
  const [isWrong, setWrong] = useState(false);
  return (
    <span>
      <input
        class="code"
        dir="ltr"
        aria-label={label}
        aria-invalid={isWrong}
        value={text}
        disabled={disabled}
        ref={(input) => input?.setCustomValidity(isWrong ? t("variable.not_json") : "")}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          try {
            onChange(JSON.parse(currentTarget.value) as Json);
            setWrong(false);
          } catch {
            setWrong(true);
          }
        }}
      />
      {isWrong && (
        <span class="hint act" role="alert">
          {t("variable.not_json")}
        </span>
      )}
    </span>
  );
}
