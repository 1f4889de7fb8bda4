// Checks values against TypeBox schemas and fills in the schemas' defaults. Each problem says what a person can do about it,
// and never shows the rejected value, which may be a password.
import { Kind, type Static, type TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { didYouMean } from "./did-you-mean.ts";
import { isObject, type Json } from "./json.ts";

export interface Problem {
  /** Dotted path of the key, `notify.channels[1].smtp.port`; empty for the whole value. */
  path: string;
  /** What is wrong, and what would be right. */
  message: string;
  /** The hub starts all the same. */
  warning?: boolean;
  /** The hub starts, but the part of the configuration with this problem is not used. `hub check` fails. */
  confined?: boolean;
}

/** A schema keyword: further rules, which the code checks because it can report them better than the schema. */
export const HELD_TO = "x-held-to";

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** Fills in defaults and checks the result. Unknown keys of closed objects are problems. */
export function checkValue<S extends TSchema>(schema: S, value: unknown, at = ""): Checked<Static<S>> {
  return checkOwn(schema, Value.Clone(value), at);
}

/** As `checkValue`, of a value that nobody else has: defaults are put into it. */
export function checkOwn<S extends TSchema>(schema: S, value: unknown, at = ""): Checked<Static<S>> {
  const misplaced = tablesForLists(schema, value, at);
  const filled = withDefaults(schema, value);
  if (misplaced.length === 0 && Value.Check(schema, filled)) return { ok: true, value: filled as Static<S> };
  const problems = [...misplaced, ...[...Value.Errors(schema, filled)].flatMap((error) => describeError(error, at))];
  return { ok: false, problems: firstPerPath(problems) };
}

/** As `Value.Default`, which visits each key twice, and copies the default also where there is a value. */
function withDefaults(schema: TSchema, value: unknown): unknown {
  if (!isObject(value) || !isPlainTable(schema)) return Value.Default(schema, value);
  for (const { key, property, mayBeFilled } of fieldsOf(schema)) {
    const item = value[key];
    if (item === undefined && !mayBeFilled) continue;
    if (item !== undefined && (typeof item !== "object" || item === null)) continue;
    const filled = item === undefined ? Value.Default(property, undefined) : withDefaults(property, item);
    if (filled !== undefined) value[key] = filled as Json;
  }
  return value;
}

/** An object whose keys are all known, and that is not merged with a default of its own. */
const isPlainTable = ({ type, properties, default: own, additionalProperties }: TSchema): boolean =>
  type === "object" && properties !== undefined && own === undefined && typeof additionalProperties !== "object";

interface Field {
  key: string;
  property: TSchema;
  /** It has a default, or a part of it may. */
  mayBeFilled: boolean;
}

const knownFields = new WeakMap<TSchema, readonly Field[]>();

function fieldsOf(schema: TSchema): readonly Field[] {
  const known = knownFields.get(schema);
  if (known) return known;
  const fields = Object.entries(schema.properties as Record<string, TSchema>).map(([key, property]): Field => {
    const isSimple = property.type !== undefined && property.default === undefined;
    return { key, property, mayBeFilled: !isSimple };
  });
  knownFields.set(schema, fields);
  return fields;
}

/**
 * Problems of a table where a list is expected, or the other way round. TypeBox would silently replace the wrong one, or a
 * date, by the default.
 */
function tablesForLists(schema: TSchema, value: unknown, path: string): Problem[] {
  if (schema.type === "array") {
    if (isObject(value)) return [{ path, message: `must be ${expected(schema)}` }];
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => tablesForLists(schema.items, item, `${path}[${index}]`));
  }
  if (schema.type !== "object") return [];
  if (Array.isArray(value) || value instanceof Date)
    return [{ path, message: typeof schema.problem === "string" ? schema.problem : `must be ${expected(schema)}` }];
  if (!isObject(value)) return [];
  const properties: Record<string, TSchema> = schema.properties ?? {};
  return Object.keys(value).flatMap((key) => {
    const [inner, child] = [properties[key], value[key]];
    // What is neither cannot be the wrong one of both.
    if (!inner || typeof child !== "object" || child === null) return [];
    return tablesForLists(inner, child, path === "" ? key : `${path}.${key}`);
  });
}

/** `/channels/0/name` → `channels[0].name`, appended to `at`. */
function dottedPath(pointer: string, at = ""): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`), at);
}

/** The problem that an error of TypeBox reports; several if the value has alternatives. */
export function describeError(error: ValueError, at: string): Problem[] {
  const path = dottedPath(error.path, at);
  if (error.type === ValueErrorType.Union) return describeAlternatives(error, at);
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const key = lastPart(error.path);
    return [{ path, message: unknownKey(key, Object.keys(error.schema.properties ?? {})) }];
  }
  return [{ path, message: wording(error) }];
}

const MAX_KEYS_SHOWN = 12;

function unknownKey(key: string, known: readonly string[]): string {
  const meant = didYouMean(key, known);
  if (meant !== "" || known.length === 0) return `unknown key "${key}"${meant}`;
  const shown = known.slice(0, MAX_KEYS_SHOWN).join(", ");
  return `unknown key "${key}"; there are ${shown}${known.length > MAX_KEYS_SHOWN ? ", …" : ""}`;
}

/** Alternatives distinguished by `type`: what the one that is meant misses, or which types there are. */
/** For alternatives with a `type`: the problems of the one whose type is given, or the list of types. */
function describeAlternatives(error: ValueError, at: string): Problem[] {
  const branches: TSchema[] = error.schema.anyOf ?? [];
  const path = dottedPath(error.path, at);
  const types = branches.map((branch) => branch.properties?.type?.const as unknown);
  if (!isObject(error.value) || types.some((type) => typeof type !== "string"))
    return [{ path, message: wording(error) }];
  const meant = types.indexOf(error.value.type);
  if (meant < 0) {
    const message = `must be one of ${types.map((type) => JSON.stringify(type)).join(", ")}`;
    return [{ path: path === "" ? "type" : `${path}.type`, message }];
  }
  return [...(error.errors[meant] ?? [])].flatMap((inner) => describeError(inner, at));
}

function lastPart(pointer: string): string {
  return (pointer.split("/").at(-1) ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
}

function wording({ type, schema }: ValueError): string {
  if (typeof schema.problem === "string")
    return type === ValueErrorType.ObjectRequiredProperty ? `missing: ${schema.problem}` : schema.problem;
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return `missing: must be ${expected(schema)}`;
    case ValueErrorType.StringMinLength:
      return schema.minLength === 1 ? "must not be empty" : `must have at least ${schema.minLength} characters`;
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema.maxLength} characters`;
    case ValueErrorType.ArrayMinItems:
      return `must have at least ${schema.minItems} ${schema.minItems === 1 ? "entry" : "entries"}`;
    case ValueErrorType.ObjectMinProperties:
      return `must have at least ${schema.minProperties} ${schema.minProperties === 1 ? "key" : "keys"}`;
    case ValueErrorType.ObjectMaxProperties:
      return `must have at most ${schema.maxProperties} keys`;
    case ValueErrorType.ArrayMaxItems:
      return `must have at most ${schema.maxItems} entries`;
    default:
      return `must be ${expected(schema)}`;
  }
}

function expected(schema: TSchema): string {
  if (typeof schema.expected === "string") return schema.expected;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.anyOf)) {
    // A number or boolean of a query also has an alternative as text, which is not worth mentioning.
    const branches = schema.anyOf.filter((branch: TSchema) => branch.format === undefined);
    return branches.map((branch: TSchema) => expected(branch)).join(" or ");
  }
  switch (schema.type ?? schema[Kind]) {
    case "string":
      return schema.pattern ? `text of the form ${schema.pattern}` : "text";
    case "integer":
      return `a whole number${range(schema)}`;
    case "number":
      return `a number${range(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return schema.items?.type === "object" ? "a list of tables" : "a list";
    case "object":
      return "a table of keys and values";
    case "null":
      return "null";
    default:
      return "of another form";
  }
}

function range({ minimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` not below ${minimum}`;
  return maximum === undefined ? "" : ` not above ${maximum}`;
}

/** The first problem of each path: TypeBox reports a missing key as required, and again as of the wrong type. */
export function firstPerPath(problems: Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ path }) => !seen.has(path) && seen.add(path));
}
