// The fields of a form that is made from the JSON Schema of an object. Values that the schema does not name stay as they are.
import type { Json } from "../../state/house.ts";
import { type FormSchema, SchemaField } from "./schema-field.tsx";

export type FormValue = Record<string, Json>;

interface SchemaFieldsProps {
  schema: FormSchema;
  value: FormValue;
  onChange: (value: FormValue) => void;
}

export function SchemaFields({ schema, value, onChange }: SchemaFieldsProps) {
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => (
        <SchemaField
          key={name}
          name={name}
          schema={property}
          value={Object.hasOwn(value, name) ? value[name] : undefined}
          required={schema.required?.includes(name) ?? false}
          onChange={(next) => {
            const { [name]: _, ...others } = value;
            onChange(next === undefined ? others : { ...value, [name]: next });
          }}
        />
      ))}
    </>
  );
}
