// Schemas as the OpenAPI document shows them: JSON Schema without our own marks; schemas with a name once, under
// `components.schemas`. The same schema checks a value and describes it.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { HELD_TO } from "../../../kit/schema/schema.ts";

/** On a schema: the document shows the component of this name instead. */
export const DESCRIBED_AS = "x-described-as";
/** On a body: it is optional. */
export const MAY_BE_ABSENT = "x-may-be-absent";

// Texts of error messages, and marks for the rules' own code: clients have no use for them.
const OWN_MARKS: ReadonlySet<string> = new Set([
  "problem",
  "expected",
  HELD_TO,
  MAY_BE_ABSENT,
  "x-names",
  "x-keys-name",
]);
const ANY_KEY = "^(.*)$";

export type Components = Record<string, Json>;

/** A copy for a response. Schemas with an `$id` go to `components`. */
export function describedSchema(schema: Json, components: Components): Json {
  if (Array.isArray(schema)) return schema.map((item) => describedSchema(item, components));
  if (!isObject(schema)) return schema;
  const { $id, ...rest } = schema;
  if (typeof schema[DESCRIBED_AS] === "string") return refTo(schema[DESCRIBED_AS]);
  if (typeof $id !== "string") return plain(rest, components);
  components[$id] ??= plain(rest, components);
  return refTo($id);
}

/** A copy for a value that clients send: properties with a default become optional. */
export function describedInput(schema: Json, components: Components): Json {
  return optionalByDefault(describedSchema(schema, components));
}

/** Elysia's schema of a number or boolean in a query also accepts text; the document shows only the number or boolean. */
export function describedQueryValue(schema: Json, components: Components): Json {
  if (!isObject(schema) || !Array.isArray(schema.anyOf)) return describedInput(schema, components);
  const { anyOf, ...rest } = schema;
  const [only, ...others] = anyOf.filter((branch) => !isObject(branch) || branch.format === undefined);
  if (others.length > 0 || !isObject(only)) return describedInput(schema, components);
  return describedInput({ ...rest, ...only }, components);
}

export function refTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function plain(schema: JsonObject, components: Components): JsonObject {
  const further = schema[HELD_TO];
  const whole = { ...schema, ...(isObject(further) ? further : {}) };
  const kept = Object.entries(whole).filter(([key]) => !OWN_MARKS.has(key));
  const inner = Object.fromEntries(kept.map(([key, value]) => [key, inside(key, value, components)]));
  return wordsAsEnum(anyKeyAsAdditional(inner));
}

// The keys under `properties` are names, not keywords: a property may be called `problem`.
function inside(key: string, value: Json, components: Components): Json {
  if (["default", "const", "enum", "required", "examples"].includes(key)) return value;
  if ((key !== "properties" && key !== "patternProperties") || !isObject(value)) {
    return describedSchema(value, components);
  }
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, describedSchema(child, components)]));
}

function anyKeyAsAdditional({ patternProperties, ...schema }: JsonObject): JsonObject {
  if (patternProperties === undefined) return schema;
  if (!isObject(patternProperties)) return schema;
  const { [ANY_KEY]: any, ...patterns } = patternProperties;
  return {
    ...schema,
    ...(any === undefined ? {} : { additionalProperties: any }),
    ...(Object.keys(patterns).length > 0 ? { patternProperties: patterns } : {}),
  };
}

function wordsAsEnum({ anyOf, ...schema }: JsonObject): JsonObject {
  if (anyOf === undefined) return schema;
  const words = Array.isArray(anyOf) ? anyOf.map((branch) => (isObject(branch) ? branch.const : undefined)) : [];
  if (words.length === 0 || words.some((word) => typeof word !== "string")) return { ...schema, anyOf };
  return { ...schema, type: "string", enum: words as string[] };
}

function optionalByDefault(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(optionalByDefault);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, optionalByDefault(value)]));
  const { properties, required, ...rest } = inner;
  if (!isObject(properties) || !Array.isArray(required)) return inner;
  const needed = required.filter((key) => {
    const property = properties[String(key)];
    return !isObject(property) || property.default === undefined;
  });
  return { ...rest, properties, ...(needed.length > 0 ? { required: needed } : {}) };
}
