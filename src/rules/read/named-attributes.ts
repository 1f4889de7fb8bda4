// Which attributes the fields of triggers, conditions and actions name.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../../kit/schema/json.ts";
import { ATTRIBUTE, ATTRIBUTES } from "../model/fields.ts";
import { under } from "./walk.ts";

/** A table that has it is a command with its arguments. */
const COMMAND = "command";

export interface NamedAttribute {
  name: string;
  /** Dotted path of the field; of a key of a table, with the key. */
  path: string;
  isKey: boolean;
}

/** The attributes that a field names: itself, by its keys, or by the keys of each of its tables. */
export function attributesIn(field: TSchema, value: unknown, path: string): NamedAttribute[] {
  if (field[ATTRIBUTE]) return typeof value === "string" ? [{ name: value, path, isKey: false }] : [];
  if (!isObject(value)) return [];
  if (field[ATTRIBUTES]) {
    const names = Object.hasOwn(value, COMMAND) ? [] : Object.keys(value);
    return names.map((name) => ({ name, path: under(path, name), isKey: true }));
  }
  const [inner] = Object.values((field.patternProperties ?? {}) as Record<string, TSchema>);
  if (!inner?.[ATTRIBUTES]) return [];
  return Object.entries(value).flatMap(([key, table]) => attributesIn(inner, table, under(path, key)));
}
