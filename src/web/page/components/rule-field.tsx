// One field of a rule or of a part of it, with the control that fits its schema.
import { useId } from "preact/hooks";
import type { Json } from "../state/house.ts";
import type { FieldSchema, Part } from "../state/rules.ts";
import { t, textFor } from "../texts/index.ts";
import { AttributePick, DeviceList, DevicePick, NamePick } from "./rule-picks.tsx";
import { StateTable, ValueInput } from "./rule-value.tsx";
import { dayWords, devicesOf, duration, text } from "./rule-words.ts";

export interface FieldProps {
  name: string;
  schema: FieldSchema;
  value: Json | undefined;
  /** What it belongs to: its other fields say which device this is about. */
  part: Part;
  onChange: (value: Json | undefined) => void;
}

export function fieldLabel(name: string): string {
  return textFor(`field.${name}`) ?? name.replaceAll("_", " ");
}

export function RuleField(props: FieldProps) {
  const id = useId();
  const { name, value, schema } = props;
  const isGroup = schema["x-attributes"] === true || name === "device_ids" || name === "days";
  const control = <Control {...props} id={id} />;
  if (isGroup) {
    return (
      <fieldset class="field">
        <legend>{fieldLabel(name)}</legend>
        {control}
      </fieldset>
    );
  }
  return (
    <div class="field">
      <label for={id}>{fieldLabel(name)}</label>
      {control}
      {/_secs$/.test(name) && typeof value === "number" && value >= 60 && <span class="hint">{duration(value)}</span>}
    </div>
  );
}

function Control(props: FieldProps & { id: string }) {
  const { id, name, schema, value, part, onChange } = props;
  const named = schema["x-names"];
  const choices = (schema.anyOf ?? []).flatMap(({ const: word }) => (typeof word === "string" ? [word] : []));
  const [device] = devicesOf(part) ?? [];
  if (name === "device_ids") return <DeviceList value={value} onChange={onChange} />;
  if (name === "days") return <Days value={value} onChange={onChange} />;
  if (named === "device") return <DevicePick id={id} value={text(value)} onChange={onChange} />;
  if (schema["x-attributes"]) return <StateTable device={device} value={value} onChange={onChange} />;
  if (schema["x-attribute"]) return <AttributePick id={id} device={device} value={text(value)} onChange={onChange} />;
  if (choices.length > 1 && choices.length === schema.anyOf?.length) return <Choice {...props} choices={choices} />;
  if (named !== undefined && named !== "location")
    return <NamePick id={id} kind={named} value={text(value)} onChange={onChange} />;
  if (schema.type === "boolean" || schema.const === true)
    return (
      <select id={id} value={text(value)} onChange={({ currentTarget }) => onChange(yesOrNo(currentTarget.value))}>
        <option value="">{t("guide.any")}</option>
        <option value="true">{t("state.yes")}</option>
        <option value="false">{t("state.no")}</option>
      </select>
    );
  if (schema.type === "number" || schema.type === "integer" || schema["x-duration"])
    return (
      <input
        id={id}
        type="number"
        step={schema.type === "integer" ? 1 : "any"}
        min={schema.minimum}
        max={schema.maximum}
        value={typeof value === "number" ? value : ""}
        onChange={({ currentTarget }) => onChange(numberOf(currentTarget.value))}
      />
    );
  if (schema.contentMediaType === "application/cel" || schema["x-template"])
    return (
      <textarea
        id={id}
        rows={2}
        spellcheck={schema["x-template"] === true}
        value={text(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      />
    );
  if (schema.type === "string") {
    const typed = {
      id,
      value: text(value),
      autocomplete: "off",
      onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value || undefined),
    } as const;
    if (schema.pattern?.includes("2[0-3]")) return <input type="time" {...typed} />;
    return schema.writeOnly ? <input type="password" {...typed} /> : <input {...typed} />;
  }
  return <ValueInput id={id} about={{ device, attribute: text(part.attribute) }} value={value} onChange={onChange} />;
}

function Choice({ id, name, value, schema, choices, onChange }: FieldProps & { id: string; choices: string[] }) {
  const label = (word: string): string =>
    textFor(`choice.${word}`) ?? textFor(`sun.${word}`) ?? textFor(`press.${word}`) ?? word.replaceAll("_", " ");
  return (
    <select
      id={id}
      value={text(value ?? schema.default)}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      {value === undefined && schema.default === undefined && <option value="">{t("guide.pick")}</option>}
      {choices.map((word) => (
        <option key={word} value={word}>
          {name === "op" ? t(`choice.${word}` as "choice.Eq") : label(word)}
        </option>
      ))}
    </select>
  );
}

const WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export function Days({ value, onChange }: { value: Json | undefined; onChange: FieldProps["onChange"] }) {
  const chosen = Array.isArray(value) ? value.map(text) : [];
  return (
    <span class="days">
      {WEEK.map((day) => (
        <label key={day} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(day)}
            onChange={({ currentTarget }) => {
              const next = WEEK.filter((one) => (one === day ? currentTarget.checked : chosen.includes(one)));
              onChange(next.length === 0 ? undefined : next);
            }}
          />
          {dayWords([day])}
        </label>
      ))}
    </span>
  );
}

function yesOrNo(value: string): boolean | undefined {
  return value === "" ? undefined : value === "true";
}

function numberOf(value: string): number | undefined {
  return value === "" ? undefined : Number(value);
}
