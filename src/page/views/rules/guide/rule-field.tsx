// One field of a rule or of a part of it, with the control that fits its schema.

import { useContext, useId } from "preact/hooks";
import type { Json } from "../../../model/device/json.ts";
import type { FieldSchema, Part } from "../../../model/rules/rule.ts";
import { dayWords, text } from "../../../model/rules/rule-text.ts";
import { t, textFor } from "../../../texts/index.ts";
import { TypedArea, TypedInput } from "../../../ui/fields.tsx";
import { InRule } from "./rule-context.ts";
import { DurationInput } from "./rule-duration.tsx";
import { ChoiceList, NameList, WordList } from "./rule-lists.tsx";
import { AttributePick, DevicePick, NamePick } from "./rule-picks.tsx";
import { ByMode, FreeTable } from "./rule-tables.tsx";
import { exampleDevice } from "./rule-target.tsx";
import { StateTable, ValueInput } from "./rule-value.tsx";

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
  const { name, schema } = props;
  const control = <Control {...props} id={id} />;
  if (hasSeveralControls(name, schema)) {
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
    </div>
  );
}

/** They are named together, by a legend. */
function hasSeveralControls(name: string, schema: FieldSchema): boolean {
  if (schema["x-attributes"] || name === "days" || name === "ids" || stateChoices(schema)) return true;
  return (schema.type === "array" && schema.items?.["x-names"] !== undefined) || schema.type === "object";
}

function Control(props: FieldProps & { id: string }) {
  const { id, name, schema, value, part, onChange } = props;
  const inRule = useContext(InRule);
  const named = schema["x-names"];
  const choices = wordsIn(schema);
  const device = exampleDevice(part);
  const several = stateChoices(schema);
  const label = fieldLabel(name);
  if (name === "days") return <Days value={value} onChange={onChange} />;
  if (name === "ids")
    return <ChoiceList {...{ label, value, onChange }} choices={inRule.triggers} wordsOf={(id) => id} isList={false} />;
  if (several)
    return <ChoiceList {...{ label, value, onChange }} choices={several} wordsOf={choiceWords} isList={false} />;
  if (named === "device")
    return <DevicePick id={id} value={text(value)} fits={typeFor(name, part)} onChange={onChange} />;
  if (schema["x-attributes"]) return <StateTable device={device} value={value} onChange={onChange} />;
  if (schema["x-attribute"]) return <AttributePick id={id} device={device} value={text(value)} onChange={onChange} />;
  if (choices.length > 1) return <Choice {...props} choices={choices} />;
  if (named !== undefined && named !== "location")
    return <NamePick id={id} kind={named} value={text(value)} onChange={onChange} />;
  if (schema["x-duration"]) return <DurationInput id={id} value={value} onChange={onChange} />;
  if (schema.type === "array" && schema.items?.["x-names"] !== undefined)
    return <NameList {...{ label, value, onChange }} kind={schema.items["x-names"]} isList />;
  if (schema.type === "array" && schema.items?.type === "string")
    return <WordList {...{ id, value, onChange }} isList />;
  if (schema.type === "object") return <Table {...props} />;
  if (schema.type === "boolean" || schema.const === true)
    return (
      <select
        id={id}
        value={text(value ?? schema.default)}
        onChange={({ currentTarget }) => onChange(yesOrNo(currentTarget.value))}
      >
        {schema.default === undefined && <option value="">{t(blankOf(name))}</option>}
        <option value="true">{t("state.yes")}</option>
        <option value="false">{t("state.no")}</option>
      </select>
    );
  if (schema.type === "number" || schema.type === "integer")
    return (
      <TypedInput
        id={id}
        type="number"
        step={schema.type === "integer" ? 1 : "any"}
        min={schema.minimum}
        max={schema.maximum}
        value={typeof value === "number" ? value : ""}
        onTaken={(typed) => onChange(numberOf(typed))}
      />
    );
  if (schema.contentMediaType === "application/cel" || schema["x-template"])
    return (
      <TypedArea
        id={id}
        rows={2}
        spellcheck={schema["x-template"] === true}
        value={text(value)}
        onTaken={(typed) => onChange(typed || undefined)}
      />
    );
  if (schema.type === "string") {
    const typed = {
      id,
      value: text(value),
      autocomplete: "off",
      onTaken: (written: string) => onChange(written || undefined),
    } as const;
    if (schema.pattern?.includes("2[0-3]")) return <TypedInput type="time" {...typed} />;
    if (name !== "name" || !part.type.includes("private_boolean"))
      return schema.writeOnly ? <TypedInput type="password" {...typed} /> : <TypedInput {...typed} />;
    return (
      <>
        <TypedInput list={`${id}names`} {...typed} />
        <datalist id={`${id}names`}>
          {inRule.switches.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </>
    );
  }
  return <ValueInput id={id} about={{ device, attribute: text(part.attribute) }} value={value} onChange={onChange} />;
}

/** One value for each mode, or anything under any name. */
function Table({ schema, value, part, onChange }: FieldProps) {
  const [inner = {}] = Object.values(schema.patternProperties ?? {});
  if (schema["x-keys-name"] !== "mode") return <FreeTable value={value} onChange={onChange} />;
  const device = exampleDevice(part);
  return (
    <ByMode
      value={value}
      onChange={onChange}
      draw={(row) =>
        inner["x-duration"] ? (
          <DurationInput {...row} />
        ) : inner["x-names"] !== undefined ? (
          <NamePick kind={inner["x-names"]} label={row.label} value={text(row.value)} onChange={row.onChange} />
        ) : (
          <StateTable device={device} value={row.value} onChange={row.onChange} />
        )
      }
    />
  );
}

function wordsIn({ anyOf = [] }: FieldSchema): string[] {
  const words = anyOf.flatMap(({ const: word }) => (typeof word === "string" ? [word] : []));
  return words.length === anyOf.length ? words : [];
}

/** The words of a field that takes one of them or several. */
function stateChoices({ anyOf = [] }: FieldSchema): string[] | undefined {
  const several = anyOf.find(({ type }) => type === "array")?.items;
  const words = several ? wordsIn(several) : [];
  return words.length > 0 ? words : undefined;
}

function typeFor(name: string, { type }: Part): string | undefined {
  return name === "calendar" ? "calendar" : type === "timer" ? "timer" : undefined;
}

function choiceWords(word: string): string {
  const keys = [`choice.${word}`, `sun.${word}`, `press.${word}`, `inline.timer.${word}`];
  return keys.map((key) => textFor(key)).find((words) => words !== undefined) ?? word.replaceAll("_", " ");
}

function Choice({ id, name, value, schema, choices, onChange }: FieldProps & { id: string; choices: string[] }) {
  return (
    <select
      id={id}
      value={text(value ?? schema.default)}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      {value === undefined && schema.default === undefined && <option value="">{t("guide.pick")}</option>}
      {choices.map((word) => (
        <option key={word} value={word}>
          {textFor(`choice.${name}.${word}`) ?? choiceWords(word)}
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

/** Of a trigger or condition any will do; elsewhere the hub has its own way. */
const blankOf = (name: string) => (name === "available" || name === "on" ? "guide.any" : "guide.as_usual");

function yesOrNo(value: string): boolean | undefined {
  return value === "" ? undefined : value === "true";
}

function numberOf(value: string): number | undefined {
  return value === "" ? undefined : Number(value);
}
