// What generators of clients need of the document; test/interop/generators.ts runs some of them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { isObject, type Json, type JsonObject } from "../../src/kit/schema/json.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

let hub: TestHub;
let document: JsonObject;
let schemas: Record<string, JsonObject>;

beforeAll(async () => {
  hub = await startTestHub();
  document = (await (await fetch(`${hub.api}/openapi.json`)).json()) as JsonObject;
  schemas = (document.components as { schemas: Record<string, JsonObject> }).schemas;
});
afterAll(() => hub[Symbol.asyncDispose]());

function schemasIn(value: Json): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(schemasIn)] : [];
}

const PREFIX = "#/components/schemas/";

for (const kind of ["Trigger", "Condition", "Action"])
  test(`each ${kind.toLowerCase()} has a name of its own, which its type leads to`, () => {
    const { oneOf = [], discriminator } = (schemas[kind] ?? {}) as {
      oneOf?: { $ref: string }[];
      discriminator?: { propertyName: string; mapping: Record<string, string> };
    };
    expect(oneOf.length).toBeGreaterThan(5);
    expect(discriminator?.propertyName).toBe("type");
    expect(Object.values(discriminator?.mapping ?? {})).toEqual(oneOf.map(({ $ref }) => $ref));
    for (const [type, ref] of Object.entries(discriminator?.mapping ?? {})) {
      const { properties } = schemas[ref.slice(PREFIX.length)] as { properties: { type: JsonObject } };
      expect({ type, is: properties.type.const }).toEqual({ type, is: type });
    }
  });

test("what can hold itself does so by way of an object with a name", () => {
  const unions = Object.entries(schemas).filter(([, schema]) => schema.oneOf ?? schema.anyOf);
  for (const [name, schema] of unions)
    for (const branch of (schema.oneOf ?? schema.anyOf) as JsonObject[])
      if (branch.$ref === undefined)
        expect({ name, text: JSON.stringify(branch) }).not.toMatchObject({ text: /"\$ref"/ });
});

test("names are still different where a language writes them in its own way", () => {
  const written = Object.keys(schemas).map((name) => name.replaceAll("_", "").toLowerCase());
  expect(new Set(written).size).toBe(written.length);
  const operations = Object.values(document.paths as Record<string, Record<string, JsonObject>>)
    .flatMap((path) => Object.values(path))
    .map(({ operationId }) => String(operationId).toLowerCase());
  expect(new Set(operations).size).toBe(operations.length);
});

test("a value that may be of several types has no default, which no language could give its type", () => {
  const mixed = schemasIn(document.components ?? null).filter(({ type }) => Array.isArray(type));
  expect(mixed.length).toBeGreaterThan(5);
  expect(mixed.filter((schema) => schema.default !== undefined)).toEqual([]);
});

test("every reference leads somewhere", () => {
  const refs = schemasIn(document).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
  const lost = refs.filter((ref) => ref.startsWith(PREFIX) && !schemas[ref.slice(PREFIX.length)]);
  expect(lost).toEqual([]);
});
