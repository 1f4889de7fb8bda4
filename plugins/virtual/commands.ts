// Whether a device can obey a command, in words for the person who sent it. No value is repeated.
import type { TObject, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { JsonObject } from "../sdk/index.ts";

const MOST_PROBLEMS = 10;
const LONGEST_KEY = 40;

export interface Commandable {
  readonly capabilities: TObject;
  readonly accepts: TObject;
}

/** Everything that is wrong with the shape of a command; empty when it can be obeyed. */
export function problemsOf(command: JsonObject, { capabilities, accepts }: Commandable): string[] {
  const known = Object.keys(accepts.properties).join(", ");
  const entries = Object.entries(command);
  if (entries.length === 0) return [`the command is empty; it may hold ${known}`];
  const problems = entries.flatMap(([key, value]) => {
    const schema = own(accepts, key);
    if (schema) return Value.Check(schema, value) ? [] : [`${key}: must be ${wording(schema)}`];
    if (own(capabilities, key)) return [`${key}: is a reading and cannot be set`];
    return [`${key.slice(0, LONGEST_KEY)}: unknown; a command may hold ${known}`];
  });
  return problems.slice(0, MOST_PROBLEMS);
}

function own({ properties }: TObject, key: string): TSchema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function wording(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(wording).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "boolean") return "true or false";
  return `a ${schema.type === "integer" ? "whole " : ""}number from ${schema.minimum} to ${schema.maximum}`;
}
