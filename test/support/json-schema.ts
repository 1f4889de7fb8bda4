// A small checker of JSON Schema, for what the hub's own document uses. Stricter than the standard in one thing: a key that
// no schema of the object names is a problem, unless `additionalProperties` lets it in – what is answered must be described.
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: boolean | Schema;
  required?: string[];
  minProperties?: number;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  default?: unknown;
  examples?: unknown[];
  description?: string;
}

export type Resolve = (ref: string) => Schema;

/** Each problem as `path: what`; empty where the value is as described. */
export function problemsOf(schema: Schema, value: unknown, resolve: Resolve, path = "$"): string[] {
  if (schema.$ref !== undefined) return problemsOf(resolve(schema.$ref), value, resolve, path);
  const say = (what: string): string[] => [`${path}: ${what}`];
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) {
    const tried = branches.map((branch) => problemsOf(branch, value, resolve, path));
    if (tried.some((problems) => problems.length === 0)) return [];
    const least = tried.reduce((a, b) => (b.length < a.length ? b : a), tried[0] ?? []);
    return [`${path}: none of the alternatives; the nearest: ${least.join("; ")}`];
  }
  if (schema.const !== undefined && value !== schema.const) return say(`is not ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.includes(value)) return say(`${JSON.stringify(value)} is none of ${schema.enum}`);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return say(`is no ${types.join(" or ")}`);
  if (typeof value === "string") return textProblems(schema, value).flatMap(say);
  if (typeof value === "number") return numberProblems(schema, value).flatMap(say);
  if (Array.isArray(value)) return listProblems(schema, value, resolve, path);
  if (typeof value === "object" && value !== null)
    return objectProblems(schema, value as Record<string, unknown>, resolve, path);
  return [];
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      // "string", "number" and "boolean" are all that are left.
      return typeof value === type;
  }
}

function textProblems(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern }: Schema,
  text: string,
): string[] {
  if (text.length < minLength || text.length > maxLength) return [`has ${text.length} characters`];
  return pattern !== undefined && !new RegExp(pattern).test(text) ? [`is not of the form ${pattern}`] : [];
}

function numberProblems({ minimum, maximum, exclusiveMinimum }: Schema, number: number): string[] {
  const isIn =
    (minimum === undefined || number >= minimum) &&
    (maximum === undefined || number <= maximum) &&
    (exclusiveMinimum === undefined || number > exclusiveMinimum);
  return isIn ? [] : [`${number} is out of range`];
}

function listProblems({ items, minItems = 0, maxItems }: Schema, list: unknown[], resolve: Resolve, path: string) {
  const inner = items ? list.flatMap((item, index) => problemsOf(items, item, resolve, `${path}[${index}]`)) : [];
  return list.length < minItems || list.length > (maxItems ?? list.length)
    ? [`${path}: has ${list.length} entries`, ...inner]
    : inner;
}

function objectProblems(schema: Schema, value: Record<string, unknown>, resolve: Resolve, path: string): string[] {
  const { properties = {}, patternProperties = {}, propertyNames, required = [] } = schema;
  // A schema that says nothing of keys describes any object.
  const { additionalProperties = schema.properties === undefined } = schema;
  const keys = Object.keys(value);
  const missing = required.filter((key) => !(key in value)).map((key) => `${path}.${key}: is missing`);
  const { minProperties = 0, maxProperties = keys.length } = schema;
  const count = keys.length < minProperties || keys.length > maxProperties ? [`${path}: has ${keys.length} keys`] : [];
  const inner = keys.flatMap((key) => {
    const at = `${path}.${key}`;
    const named = propertyNames ? problemsOf(propertyNames, key, resolve, `${at} (the key)`) : [];
    const own = properties[key];
    if (own) return [...named, ...problemsOf(own, value[key], resolve, at)];
    const fitting = Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(key));
    if (fitting) return [...named, ...problemsOf(fitting[1], value[key], resolve, at)];
    if (additionalProperties === false) return [...named, `${at}: is not described`];
    return additionalProperties === true
      ? named
      : [...named, ...problemsOf(additionalProperties, value[key], resolve, at)];
  });
  return [...missing, ...count, ...inner];
}
