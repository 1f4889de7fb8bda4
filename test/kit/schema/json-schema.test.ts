import { describe, expect, test } from "bun:test";
import { readJsonSchema } from "../../../src/kit/schema/json-schema.ts";
import { checkValue } from "../../../src/kit/schema/schema.ts";

/** The problems of a value, as people read them. */
function problemsOf(schema: unknown, value: unknown): string[] {
  const checked = checkValue(readJsonSchema(schema), value);
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`);
}

const LAMP = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, maxLength: 5 },
    level: { type: "integer", minimum: 0, maximum: 100, default: 50 },
    mode: { enum: ["white", "colour"] },
    spots: { type: "array", maxItems: 2, items: { type: "object", required: ["id"] } },
    room: { type: ["string", "null"] },
    size: { anyOf: [{ const: "auto" }, { type: "number", exclusiveMinimum: 0 }] },
  },
  required: ["name", "level"],
  additionalProperties: false,
};

describe("a schema that is understood", () => {
  const good = { name: "hall", mode: "white", spots: [{ id: 1 }], room: null, size: 0.5 };
  const rows: [object, string[]][] = [
    [good, []],
    [{ name: "hall" }, []],
    [{ ...good, size: "auto", room: "hall" }, []],
    [{}, ["name: missing: must be text"]],
    [
      { name: "x", level: 101 },
      ["name: must have at least 2 characters", "level: must be a whole number from 0 to 100"],
    ],
    [{ name: "hall", mode: "blue" }, ['mode: must be "white" or "colour"']],
    [{ name: "hall", spots: [{}, { id: 1 }] }, ["spots[0].id: missing: must be of another form"]],
    [{ name: "hall", room: 7 }, ["room: must be text or null"]],
    [{ name: "hall", size: 0 }, ['size: must be "auto" or a number']],
    [{ name: "hall", nmae: 1 }, ['nmae: unknown key "nmae" – did you mean "name"?']],
  ];
  test.each(rows)("%j: %j", (value, problems) => {
    expect(problemsOf(LAMP, value)).toEqual(problems);
  });
});

describe("a schema that is not", () => {
  test.each([
    [null],
    [true],
    ["object"],
    [[]],
    [{}],
    [{ type: "lamp" }],
    [{ $ref: "#/nowhere" }],
    [{ enum: [{ a: 1 }] }],
    [{ type: "string", pattern: "(" }],
    [{ type: "object", properties: [], required: "all", additionalProperties: "some" }],
    [{ allOf: [{ type: "string" }] }],
  ])("%j refuses no object that might be right", (schema) => {
    const value = (schema as { type?: string } | null)?.type === "string" ? "text" : { a: 1 };
    expect(problemsOf(schema, value)).toEqual([]);
  });

  test("rules of a wrong type are left out", () => {
    expect(problemsOf({ type: "integer", minimum: "low", maximum: {} }, -5)).toEqual([]);
    expect(problemsOf({ type: "integer", minimum: "low" }, "x")).toEqual([": must be a whole number"]);
  });
});
