// One input of a blueprint as a field: devices that fit, a number with its unit, a time, …

import { type Device, propertiesOf } from "../../../model/device/device.ts";
import type { Json } from "../../../model/device/json.ts";
import { PickDevices, useDevices } from "../../../parts/devices/device-choice.tsx";
import type { BlueprintInput } from "../../../state/house/blueprints.ts";
import { t, textFor } from "../../../texts/index.ts";
import { Days } from "../guide/rule-field.tsx";
import { NamePick } from "../guide/rule-picks.tsx";
import { secondsOf } from "./blueprint-words.ts";

export interface InputProps {
  input: BlueprintInput;
  id: string;
  label: string;
  value: Json | undefined;
  /** Undefined for nothing. */
  onChange: (value: Json | undefined) => void;
}

export function BlueprintField(props: InputProps) {
  const { input, id, value, onChange } = props;
  switch (input.type) {
    case "device":
      return <OneDevice {...props} />;
    case "devices":
      return <ManyDevices {...props} />;
    case "area":
    case "mode":
    case "scene":
    case "channel":
      return <NamePick id={id} kind={input.type} value={String(value ?? "")} onChange={onChange} />;
    case "number":
      return <NumberInput {...props} />;
    case "duration":
      return <DurationInput {...props} />;
    case "time":
      return (
        <input
          id={id}
          type="time"
          value={String(value ?? "")}
          onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
      );
    case "weekdays":
      return <Weekdays {...props} />;
    case "choice":
      return <Choice {...props} />;
    default:
      return (
        <input
          id={id}
          type="text"
          dir="auto"
          maxLength={input.schema.maxLength}
          value={String(value ?? "")}
          onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
      );
  }
}

/** Devices of the wanted types with one of the wanted attributes; a type that says nothing of itself may fit. */
function fits({ schema }: BlueprintInput, device: Device): boolean {
  const { "x-device-types": types = [], "x-device-attributes": attributes = [] } = schema;
  if (device.plugin_id === "core") return false;
  const isOfType = types.length === 0 || device.device_type === null || types.includes(device.device_type ?? "");
  const has = (name: string): boolean =>
    Object.hasOwn(device.attributes, name) || Object.hasOwn(propertiesOf(device), name);
  return isOfType && (attributes.length === 0 || attributes.some(has));
}

const byName = (a: Device, b: Device): number => a.name.localeCompare(b.name);

function OneDevice({ input, id, value, onChange }: InputProps) {
  const all = useDevices()
    .filter((device) => fits(input, device) || device.id === value)
    .sort(byName);
  const isKnown = value === undefined || all.some((device) => device.id === value);
  if (all.length === 0 && isKnown) return <NoDevice />;
  return (
    <select
      id={id}
      value={String(value ?? "")}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      <option value="">{t(input.required ? "guide.pick_device" : "blueprints.none_chosen")}</option>
      {!isKnown && <option value={String(value)}>{t("guide.unknown", { id: String(value) })}</option>}
      {all.map((device) => (
        <option key={device.id} value={device.id}>
          {device.name}
        </option>
      ))}
    </select>
  );
}

function ManyDevices({ input, label, value, onChange }: InputProps) {
  const picked = Array.isArray(value) ? value.map(String) : [];
  const all = useDevices()
    .filter((device) => fits(input, device) || picked.includes(device.id))
    .sort(byName);
  const gone = picked.filter((id) => !all.some((device) => device.id === id));
  const missing = gone.map((id) => ({ id, name: t("guide.unknown", { id }), area: null }) as Device);
  if (all.length === 0 && gone.length === 0) return <NoDevice />;
  return (
    <PickDevices
      legend={label}
      devices={[...all, ...missing]}
      picked={new Set(picked)}
      onChange={(next) => onChange(next.size > 0 ? [...next] : undefined)}
    />
  );
}

function NoDevice() {
  return (
    <p class="hint">
      {t("blueprints.no_device")} <a href="/connect">{t("connect.to")}</a>
    </p>
  );
}

function NumberInput({ input: { schema }, id, value, onChange }: InputProps) {
  return (
    <span class="with-unit">
      <input
        id={id}
        type="number"
        min={schema.minimum}
        max={schema.maximum}
        step={schema["x-step"] ?? "any"}
        value={typeof value === "number" ? value : ""}
        onInput={({ currentTarget: { valueAsNumber: number } }) => onChange(Number.isNaN(number) ? undefined : number)}
      />
      {schema["x-unit"] !== undefined && <span class="hint">{schema["x-unit"]}</span>}
    </span>
  );
}

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
type Unit = keyof typeof UNITS;

function DurationInput({ id, label, value, onChange }: InputProps) {
  const secs = secondsOf(value);
  const written =
    typeof value === "string" ? (/^[\d.]+([smhd])$/.exec(value.trim())?.[1] as Unit | undefined) : undefined;
  const unit: Unit = written ?? (secs === undefined ? "m" : largestUnit(secs));
  const write = (count: number, unit: Unit): void => onChange(Number.isNaN(count) ? undefined : `${count}${unit}`);
  const count = secs === undefined ? Number.NaN : secs / UNITS[unit];
  return (
    <span class="with-unit">
      <input
        id={id}
        type="number"
        min={0}
        step="any"
        value={Number.isNaN(count) ? "" : count}
        onInput={({ currentTarget }) => write(currentTarget.valueAsNumber, unit)}
      />
      <select
        aria-label={t("blueprints.unit_of", { name: label })}
        value={unit}
        onChange={({ currentTarget }) => write(count, currentTarget.value as Unit)}
      >
        {(Object.keys(UNITS) as Unit[]).map((one) => (
          <option key={one} value={one}>
            {t(`blueprints.unit_${one}`)}
          </option>
        ))}
      </select>
    </span>
  );
}

function largestUnit(secs: number): Unit {
  return (["d", "h", "m"] as const).find((unit) => secs >= UNITS[unit] && secs % UNITS[unit] === 0) ?? "s";
}

function Weekdays({ label, value, onChange }: InputProps) {
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <Days value={value} onChange={onChange} />
    </fieldset>
  );
}

function Choice({ input: { schema, required }, id, value, onChange }: InputProps) {
  return (
    <select
      id={id}
      value={String(value ?? "")}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      {(value === undefined || !required) && <option value="">{t("guide.pick")}</option>}
      {(schema.anyOf ?? []).map(({ const: one, title }) => (
        <option key={String(one)} value={String(one)}>
          {textFor(`blueprint.option.${String(one)}`) ?? title ?? String(one)}
        </option>
      ))}
    </select>
  );
}
