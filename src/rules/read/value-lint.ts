// Values that an attribute never takes, by what its device says of itself: in triggers and conditions that would never match,
// and in commands that the device refuses. Where nothing is known of the attribute, nothing is said.
import type { TSchema } from "@sinclair/typebox";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { ATTRIBUTE, ATTRIBUTES } from "../model/fields.ts";
import { type Op, show } from "../model/values.ts";
import { under } from "./walk.ts";

/** One value that a rule compares an attribute with, or sets it to. */
export interface ValueClaim {
  path: string;
  attribute: string;
  value: Json;
  /** How it is compared; `set` for a command. */
  how: Op | "set";
}

type Compared = Pick<ValueClaim, "value" | "how">;

/** Fields beside `attribute`, with how they are compared; `op` is that of the field `op`. A new one is a line here. */
const FIELDS: Readonly<Record<string, Op | "op" | "set">> = {
  to: "Eq",
  from: "Eq",
  not_to: "Ne",
  not_from: "Ne",
  value: "op",
  above: "Gt",
  below: "Lt",
  crosses_above: "Gt",
  crosses_below: "Lt",
};
/** The same for single types. */
const FIELDS_OF: Readonly<Record<string, typeof FIELDS>> = { fade_device: { to: "set", from: "set" } };
/** A command has arguments, which are no attributes. */
const COMMAND = "command";
const MAX_NAMED = 8;

/** `schema`: of this trigger, condition or action. */
export function valueClaims(spec: JsonObject, schema: TSchema, path: string): ValueClaim[] {
  const properties = (schema.properties ?? {}) as Record<string, TSchema>;
  return Object.entries(properties).flatMap(([key, field]) => {
    const at = under(path, key);
    if (field[ATTRIBUTE] && typeof spec[key] === "string") return compared(spec, spec[key], path);
    return tablesIn(field, spec[key], at).flatMap(({ table, path }) => commanded(table, path));
  });
}

function compared(spec: JsonObject, attribute: string, path: string): ValueClaim[] {
  const fields = FIELDS_OF[String(spec.type)] ?? FIELDS;
  return Object.entries(fields).flatMap(([field, named]) => {
    const given = spec[field];
    if (given === undefined) return [];
    const how = named === "op" ? ((spec.op ?? "Eq") as Op) : named;
    // Of `to` and the like, a list is a choice.
    const values = Array.isArray(given) && named !== "op" ? given : [given];
    return values.map((value) => ({ path: under(path, field), attribute, value, how }));
  });
}

function commanded(table: JsonObject, path: string): ValueClaim[] {
  if (Object.hasOwn(table, COMMAND)) return [];
  return Object.entries(table).map(([attribute, value]) => {
    return { path: under(path, attribute), attribute, value, how: "set" as const };
  });
}

/** The tables of attributes in a field: itself, or each of its values. */
function tablesIn(field: TSchema, value: unknown, path: string): { table: JsonObject; path: string }[] {
  if (!isObject(value)) return [];
  if (field[ATTRIBUTES]) return [{ table: value as JsonObject, path }];
  const [inner] = Object.values((field.patternProperties ?? {}) as Record<string, TSchema>);
  if (!inner?.[ATTRIBUTES]) return [];
  return Object.entries(value).flatMap(([key, table]) => tablesIn(inner, table, under(path, key)));
}

/** What is wrong with it; `property` is the JSON Schema of the attribute. */
export function valueProblem({ value, how }: ValueClaim, property: JsonObject): string | undefined {
  if (how === "set" && property.readOnly === true) return "the device only reports it";
  // null means that there is no such attribute.
  if (value === null) return undefined;
  if (Array.isArray(property.enum)) return optionProblem({ value, how }, property);
  return typeProblem(value, property) ?? rangeProblem({ value, how }, property);
}

function optionProblem({ value, how }: Compared, { enum: options }: JsonObject): string | undefined {
  if (!Array.isArray(options) || options.length === 0 || options.includes(value)) return undefined;
  // As the hub checks commands: some devices take the number for its text.
  if (how === "set" && options.map(String).includes(String(value))) return undefined;
  const texts = options.filter((option) => typeof option === "string");
  const hint = typeof value === "string" ? didYouMean(value, texts) : "";
  const named = options.slice(0, MAX_NAMED).map(show).join(", ");
  return `it is never ${show(value)}, only ${named}${options.length > MAX_NAMED ? ", …" : ""}${hint}`;
}

const KINDS: Readonly<Record<string, (value: Json) => boolean>> = {
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
};
const WORDS: Readonly<Record<string, string>> = {
  boolean: "true or false",
  number: "a number",
  integer: "a number",
  string: "a text",
};

function typeProblem(value: Json, { type }: JsonObject): string | undefined {
  if (typeof type !== "string") return undefined;
  const isKind = KINDS[type];
  return !isKind || isKind(value) ? undefined : `it is ${WORDS[type]}, never ${show(value)}`;
}

function rangeProblem({ value, how }: Compared, property: JsonObject): string | undefined {
  const { minimum, maximum, unit } = property;
  if (typeof value !== "number") return undefined;
  const min = typeof minimum === "number" ? minimum : Number.NEGATIVE_INFINITY;
  const max = typeof maximum === "number" ? maximum : Number.POSITIVE_INFINITY;
  const isNever = {
    set: value < min || value > max,
    Eq: value < min || value > max,
    Ne: value < min || value > max,
    Gt: value >= max,
    Gte: value > max,
    Lt: value <= min,
    Lte: value < min,
  }[how];
  if (!isNever) return undefined;
  const range = max === Number.POSITIVE_INFINITY ? `at least ${min}` : `from ${min} to ${max}`;
  const ofUnit = typeof unit === "string" && unit !== "" ? ` ${unit}` : "";
  const what = { Gt: "above ", Gte: "at least ", Lt: "below ", Lte: "at most ", Eq: "", Ne: "", set: "" }[how];
  return `it is ${min === Number.NEGATIVE_INFINITY ? `at most ${max}` : range}${ofUnit}, never ${what}${value}`;
}
