// The input for one value of a form that is made from a JSON Schema: the right one for its type, or JSON where there is none.

import { useEffect, useState } from "preact/hooks";
import type { FormSchema } from "../../model/config/form-schema.ts";
import type { Json } from "../../model/device/json.ts";
import { t } from "../../texts/index.ts";

export interface SchemaInputProps {
  id: string;
  schema: FormSchema;
  value: Json | undefined;
  required: boolean;
  onChange: (value: Json | undefined) => void;
}

interface InputProps {
  id: string;
  value: string;
  placeholder: string | undefined;
  minLength: number | undefined;
  maxLength: number | undefined;
  required: boolean;
  autocomplete: "off";
  onInput: (event: { currentTarget: HTMLInputElement }) => void;
}

/** Stands for a secret that the hub keeps and does not show. */
const MASK = "•••";

export function SchemaInput({ id, schema, value, required, onChange }: SchemaInputProps) {
  const choices = choicesOf(schema);
  if (choices) return <Choice {...{ id, choices, value: value ?? schema.default, required, onChange }} />;
  if (schema.type === "number" || schema.type === "integer")
    return (
      <input
        id={id}
        type="number"
        value={typeof value === "number" ? value : ""}
        placeholder={schema.default === undefined ? undefined : String(schema.default)}
        min={schema.minimum}
        max={schema.maximum}
        step={schema.type === "integer" ? 1 : "any"}
        required={required}
        onInput={({ currentTarget: { value, valueAsNumber } }) => onChange(value === "" ? undefined : valueAsNumber)}
      />
    );
  if (schema.type === "string") {
    const text: InputProps = {
      id,
      value: typeof value === "string" ? value : "",
      placeholder: typeof schema.default === "string" ? schema.default : undefined,
      minLength: schema.minLength,
      maxLength: schema.maxLength,
      required: required && (schema.minLength ?? 0) > 0,
      autocomplete: "off",
      onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
        onChange(currentTarget.value === "" && !required ? undefined : currentTarget.value),
    };
    if (schema.writeOnly || schema.format === "password") return <Secret of={text} value={value} onChange={onChange} />;
    return <input type="text" autocapitalize="none" {...text} />;
  }
  if (schema.type === "array" && schema.items?.type === "string" && !choicesOf(schema.items))
    return <Lines id={id} value={value} onChange={onChange} />;
  return <JsonInput id={id} value={value} onChange={onChange} />;
}

interface SecretProps extends Pick<SchemaInputProps, "value" | "onChange"> {
  of: InputProps;
}

/** One that is kept is never edited, only replaced: what is typed is all of the new one. */
function Secret({ of: input, value, onChange }: SecretProps) {
  const [isKept] = useState(value === MASK);
  return (
    <input
      type="password"
      {...input}
      autocomplete="new-password"
      value={value === MASK ? "" : input.value}
      required={input.required === true && !isKept}
      placeholder={isKept ? t("form.secret_kept") : undefined}
      onInput={(event) => {
        if (event.currentTarget.value === "" && isKept) onChange(MASK);
        else input.onInput(event);
      }}
    />
  );
}

/** A list of texts. Empty lines are kept while somebody types. */
function Lines({ id, value, onChange }: Pick<SchemaInputProps, "id" | "value" | "onChange">) {
  const held = Array.isArray(value) ? value.map(String) : [];
  const [text, setText] = useState(held.join("\n"));
  const said = linesOf(text).join("\n");
  useEffect(() => {
    if (held.join("\n") !== said) setText(held.join("\n"));
  }, [held.join("\n")]);
  return (
    <textarea
      id={id}
      rows={3}
      value={text}
      placeholder={t("form.one_a_line")}
      spellcheck={false}
      onInput={(event) => {
        setText(event.currentTarget.value);
        onChange(linesOf(event.currentTarget.value));
      }}
    />
  );
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function choicesOf({ enum: listed, anyOf }: FormSchema): Json[] | undefined {
  if (listed) return listed;
  const constants = anyOf?.map((one) => one.const);
  return constants?.every((one) => one !== undefined) ? (constants as Json[]) : undefined;
}

interface ChoiceProps {
  id: string;
  choices: readonly Json[];
  value: Json | undefined;
  required: boolean;
  onChange: (value: Json | undefined) => void;
}

function Choice({ id, choices, value, required, onChange }: ChoiceProps) {
  const at = choices.findIndex((one) => Object.is(one, value));
  return (
    <select
      id={id}
      value={String(at)}
      required={required}
      onChange={(event) => onChange(choices[Number(event.currentTarget.value)])}
    >
      {(at < 0 || !required) && <option value={-1}>–</option>}
      {choices.map((one, index) => (
        <option key={String(one)} value={String(index)}>
          {String(one)}
        </option>
      ))}
    </select>
  );
}

interface JsonInputProps {
  id: string;
  value: Json | undefined;
  rows?: number;
  onChange: (value: Json | undefined) => void;
}

/** Text that is JSON; while it is not, the value stays and the field says so. */
export function JsonInput({ id, value, rows = 4, onChange }: JsonInputProps) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  return (
    <textarea
      id={id}
      class="code"
      rows={rows}
      value={text}
      spellcheck={false}
      onInput={({ currentTarget }) => {
        setText(currentTarget.value);
        const read = readJson(currentTarget.value);
        currentTarget.setCustomValidity(read.ok ? "" : t("form.no_json"));
        if (read.ok) onChange(read.value);
      }}
    />
  );
}

function readJson(text: string): { ok: true; value: Json | undefined } | { ok: false } {
  if (text.trim() === "") return { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    return { ok: false };
  }
}
