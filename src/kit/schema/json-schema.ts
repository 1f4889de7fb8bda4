// JSON Schema as plugins send it, as a TypeBox schema: so a value is checked, and a problem is worded, as everywhere in the hub.
import { type TSchema, Type } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "./json.ts";

/**
 * Reads a schema of any origin; never throws. What is not read here (references, `allOf`, `not`, patterns, formats) is not
 * checked: a foreign pattern can take for ever.
 */
export function readJsonSchema(schema: unknown): TSchema {
  if (!isObject(schema)) return Type.Unknown();
  const { type, enum: values, anyOf, oneOf, properties } = schema;
  if (schema.const !== undefined) return literals([schema.const], schema);
  if (Array.isArray(values)) return literals(values, schema);
  const alternatives = [anyOf, oneOf].find(Array.isArray);
  if (alternatives) return Type.Union(alternatives.map(readJsonSchema), kept(schema, ["default"]));
  if (Array.isArray(type))
    return Type.Union(
      type.map((one) => readJsonSchema({ ...schema, type: one })),
      kept(schema, ["default"]),
    );
  return ofType(type ?? (isObject(properties) ? "object" : undefined), schema);
}

function ofType(type: Json | undefined, schema: JsonObject): TSchema {
  switch (type) {
    case "string":
      return Type.String(kept(schema, ["default", "minLength", "maxLength"]));
    case "integer":
      return Type.Integer(kept(schema, NUMBER_RULES));
    case "number":
      return Type.Number(kept(schema, NUMBER_RULES));
    case "boolean":
      return Type.Boolean(kept(schema, ["default"]));
    case "null":
      return Type.Null();
    case "array":
      return Type.Array(readJsonSchema(schema.items), kept(schema, ["default", "minItems", "maxItems"]));
    case "object":
      return objectOf(schema);
    default:
      return Type.Unknown();
  }
}

const NUMBER_RULES = ["default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

function objectOf(schema: JsonObject): TSchema {
  const { properties, required, additionalProperties: others } = schema;
  const known = isObject(properties) ? properties : {};
  const needed = new Set(Array.isArray(required) ? required.filter((key) => typeof key === "string") : []);
  const fields = [...new Set([...Object.keys(known), ...needed])].map((key): [string, TSchema] => {
    const field = readJsonSchema(known[key]);
    return [key, needed.has(key) ? field : Type.Optional(field)];
  });
  return Type.Object(Object.fromEntries(fields), {
    ...kept(schema, ["default", "minProperties", "maxProperties"]),
    ...(others === false ? { additionalProperties: false } : {}),
    ...(isObject(others) ? { additionalProperties: readJsonSchema(others) } : {}),
  });
}

function literals(values: readonly Json[], schema: JsonObject): TSchema {
  const plain = values.filter((value) => typeof value !== "object");
  if (plain.length < values.length) return Type.Unknown();
  return Type.Union(
    plain.map((value) => Type.Literal(value)),
    kept(schema, ["default"]),
  );
}

/** A default may be anything, every other rule only a number. */
function kept(schema: JsonObject, names: readonly string[]): JsonObject {
  const found = names.filter((name) =>
    name === "default" ? schema.default !== undefined : typeof schema[name] === "number",
  );
  return Object.fromEntries(found.map((name) => [name, schema[name] as Json]));
}
