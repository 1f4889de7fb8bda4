// A form that is made from the JSON Schema of an object. Values that the schema does not name stay as they are.

import { useId } from "preact/hooks";
import type { FormSchema } from "../../model/config/form-schema.ts";
import type { Json } from "../../model/device/json.ts";
import { t } from "../../texts/index.ts";
import { SchemaInput, type SchemaInputProps } from "./schema-input.tsx";
import { columnsOf, SchemaRows } from "./schema-rows.tsx";

export type FormValue = Record<string, Json>;

/** What the schema says for values that nobody gave. */
export function defaultsOf({ properties = {} }: FormSchema): FormValue {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]): [string, Json][] => {
      if (property.default !== undefined) return [[name, property.default]];
      return property.type === "object" && property.properties ? [[name, defaultsOf(property)]] : [];
    }),
  );
}

interface SchemaFieldsProps {
  schema: FormSchema;
  value: FormValue;
  /** What is wrong, by the names of fields; `smtp.port` for one inside another. */
  problems?: Readonly<Record<string, string>>;
  onChange: (value: FormValue) => void;
}

export function SchemaFields({ schema, value, problems = {}, onChange }: SchemaFieldsProps) {
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => (
        <SchemaField
          key={name}
          name={name}
          schema={property}
          value={Object.hasOwn(value, name) ? value[name] : undefined}
          required={schema.required?.includes(name) ?? false}
          problems={problems}
          onChange={(next) => {
            const { [name]: _, ...others } = value;
            onChange(next === undefined ? others : { ...value, [name]: next });
          }}
        />
      ))}
    </>
  );
}

interface SchemaFieldProps extends Omit<SchemaInputProps, "id"> {
  name: string;
  problems: Readonly<Record<string, string>>;
}

function SchemaField(props: SchemaFieldProps) {
  const { name, schema, value, required, problems, onChange } = props;
  const label = schema.title ?? name;
  const id = useId();
  if (schema.type === "object" && schema.properties)
    return (
      <fieldset class="group">
        <legend dir="auto">{label}</legend>
        <Hint of={schema} />
        <Wrong of={problems[name]} />
        <SchemaFields
          schema={schema}
          value={isTable(value) ? value : {}}
          problems={below(name, problems)}
          onChange={onChange}
        />
      </fieldset>
    );
  const columns = columnsOf(schema);
  if (columns)
    return (
      <fieldset class="group">
        <legend dir="auto">{label}</legend>
        <Hint of={schema} />
        <Wrong of={problems[name]} />
        <SchemaRows
          columns={columns}
          required={schema.items?.required}
          value={value ?? schema.default}
          problems={inList(name, problems)}
          onChange={onChange}
        />
      </fieldset>
    );
  if (schema.type === "boolean")
    return (
      <div class="field">
        <label class="choice">
          <input
            type="checkbox"
            checked={(value ?? schema.default) === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          <span dir="auto">{label}</span>
        </label>
        <Hint of={schema} />
        <Wrong of={problems[name]} />
      </div>
    );
  return (
    <div class="field">
      <label for={id} dir="auto">
        {label}
        {required && ` ${t("form.needed")}`}
      </label>
      <SchemaInput {...props} id={id} />
      <Hint of={schema} />
      <Wrong of={Object.entries(problems).find(([path]) => path === name || path.startsWith(`${name}[`))?.[1]} />
    </div>
  );
}

function below(name: string, problems: Readonly<Record<string, string>>): Record<string, string> {
  const inside = Object.entries(problems).filter(([path]) => path.startsWith(`${name}.`));
  return Object.fromEntries(inside.map(([path, message]) => [path.slice(name.length + 1), message]));
}

function inList(name: string, problems: Readonly<Record<string, string>>): Record<string, string> {
  const inside = Object.entries(problems).filter(([path]) => path.startsWith(`${name}[`));
  return Object.fromEntries(inside.map(([path, message]) => [path.slice(name.length), message]));
}

function Wrong({ of: message }: { of: string | undefined }) {
  return message ? (
    <span class="problem" dir="auto">
      {message}
    </span>
  ) : null;
}

function Hint({ of: { description } }: { of: FormSchema }) {
  return description ? (
    <span class="hint" dir="auto">
      {description}
    </span>
  ) : null;
}

function isTable(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
