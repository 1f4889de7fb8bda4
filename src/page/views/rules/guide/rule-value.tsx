// A value of a device's attribute, with the control that fits the device; and a table of several, for commands.

import { senseInWords } from "../../../model/device/attribute-words.ts";
import { optionsOf, propertiesOf, propertyOf } from "../../../model/device/device.ts";
import type { Json } from "../../../model/device/json.ts";
import type { Property } from "../../../model/device/schema.ts";
import { attributeWords, text } from "../../../model/rules/rule-text.ts";
import { devices } from "../../../state/house/devices.ts";
import { t } from "../../../texts/index.ts";
import { TypedInput } from "../../../ui/fields.tsx";

interface ValueProps {
  id?: string;
  label?: string;
  about: { device: string | undefined; attribute: string };
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

/** Without a device that knows better, JSON, or else a text. */
export function ValueInput({ id, label, about: { device, attribute }, value, onChange }: ValueProps) {
  const found = device === undefined ? undefined : devices.value.get(device)?.peek();
  const property: Property = found ? propertyOf(found, attribute) : {};
  // A device that is not there, or an attribute without a schema: what is written says what it is.
  const now = found?.attributes[attribute] ?? value;
  const isSimple = value === undefined || value === null || typeof value !== "object";
  const common = { id, "aria-label": label };
  if (isSimple && (property.type === "boolean" || typeof now === "boolean"))
    return (
      <select
        {...common}
        value={text(value)}
        onChange={({ currentTarget: { value: chosen } }) => onChange(chosen === "" ? undefined : chosen === "true")}
      >
        <option value="">{t("guide.any")}</option>
        {[true, false].map((one) => (
          <option key={String(one)} value={String(one)}>
            {senseInWords(attribute, one, property) ?? t(one ? "state.yes" : "state.no")}
          </option>
        ))}
      </select>
    );
  if (isSimple && optionsOf(property).length > 0)
    return (
      <select
        {...common}
        value={text(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      >
        <option value="">{t("guide.any")}</option>
        {optionsOf(property).map((word) => (
          <option key={word} value={word}>
            {word}
          </option>
        ))}
      </select>
    );
  if (
    isSimple &&
    typeof value !== "string" &&
    (property.type === "number" || property.type === "integer" || typeof now === "number")
  )
    return (
      <span class="with-unit">
        <TypedInput
          {...common}
          type="number"
          step="any"
          min={property.minimum}
          max={property.maximum}
          value={typeof value === "number" ? value : ""}
          onTaken={(typed) => onChange(typed === "" ? undefined : Number(typed))}
        />
        {property.unit}
      </span>
    );
  return (
    <TypedInput
      {...common}
      value={text(value)}
      spellcheck={false}
      onTaken={(typed) => onChange(typed === "" ? undefined : jsonOf(typed))}
    />
  );
}

interface TableProps {
  device: string | undefined;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

export function StateTable({ device, value, onChange }: TableProps) {
  const state = value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
  const found = device === undefined ? undefined : devices.value.get(device)?.peek();
  const settable = [...(found ? propertiesOf(found) : [])].filter(([, { readOnly }]) => readOnly !== true);
  const rest = settable.map(([name]) => name).filter((name) => !Object.hasOwn(state, name));

  function set(name: string, next: Json | undefined): void {
    const { [name]: _, ...others } = state;
    const changed = next === undefined ? others : { ...others, [name]: next };
    onChange(Object.keys(changed).length === 0 ? undefined : changed);
  }
  return (
    <>
      {Object.entries(state).map(([name, one]) => (
        <div class="state-row" key={name}>
          <span>{attributeWords(name)}</span>
          <ValueInput
            label={attributeWords(name)}
            about={{ device, attribute: name }}
            value={one}
            onChange={(next) => set(name, next)}
          />
        </div>
      ))}
      {rest.length > 0 && (
        <select
          aria-label={t("guide.add_value")}
          value=""
          onChange={({ currentTarget }) => set(currentTarget.value, startOf(found?.attributes[currentTarget.value]))}
        >
          <option value="">{t("guide.add_value")}</option>
          {rest.map((name) => (
            <option key={name} value={name}>
              {attributeWords(name)}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

/** What it is now is a better start than nothing; what is off is wanted on. */
function startOf(now: Json | undefined): Json {
  return now === undefined || now === null || now === false ? true : now;
}

function jsonOf(typed: string): Json {
  try {
    return JSON.parse(typed) as Json;
  } catch {
    return typed;
  }
}
