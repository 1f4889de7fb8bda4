// JSON values, and parsing those that others sent.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
/** JSON as an author writes it: undefined fields are left out. */
export type LooseJson = { readonly [key: string]: Json | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in `text`; undefined when it is no JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function withoutUndefined(fields: LooseJson): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) result[key] = value;
  return result;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
