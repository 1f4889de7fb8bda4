import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { didYouMean } from "../../../src/kit/schema/did-you-mean.ts";
import { checkValue } from "../../../src/kit/schema/schema.ts";

const Channel = Type.Union([
  Type.Object(
    { type: Type.Literal("mail"), to: Type.Array(Type.String(), { minItems: 1 }) },
    { additionalProperties: false },
  ),
  Type.Object(
    { type: Type.Literal("push"), key: Type.String({ minLength: 3, problem: "must be a key" }) },
    { additionalProperties: false },
  ),
]);
const Settings = Type.Object(
  {
    port: Type.Integer({ minimum: 1, maximum: 9, default: 5 }),
    name: Type.String(),
    channels: Type.Array(Channel, { default: [] }),
  },
  { additionalProperties: false },
);

function problemsOf(value: unknown): string[] {
  const checked = checkValue(Settings, value);
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe("checkValue", () => {
  test("fills in defaults and leaves the given value alone", () => {
    const given = { name: "x" };
    expect(checkValue(Settings, given)).toEqual({ ok: true, value: { name: "x", port: 5, channels: [] } });
    expect(given).toEqual({ name: "x" });
  });

  test("reports every problem once, with its path", () => {
    expect(problemsOf({ prot: 1, port: 10 })).toEqual([
      "name: missing: must be text",
      'prot: unknown key "prot" – did you mean "port"?',
      "port: must be a whole number from 1 to 9",
    ]);
  });

  test("of alternatives, reports the problems of the one whose type is given", () => {
    expect(
      problemsOf({ name: "x", channels: [{ type: "push", key: "a" }, { type: "mail", to: [] }, { type: "fax" }] }),
    ).toEqual([
      "channels[0].key: must be a key",
      "channels[1].to: must have at least 1 entry",
      'channels[2].type: must be one of "mail", "push"',
    ]);
  });

  test("a table in place of a list is a problem, also if the list has a default", () => {
    const schema = Type.Object({ channels: Type.Array(Type.Object({ name: Type.String() }), { default: [] }) });
    const checked = checkValue(schema, { channels: { name: "phone" } });
    expect(checked).toEqual({ ok: false, problems: [{ path: "channels", message: "must be a list of tables" }] });
  });

  test("never shows the rejected value", () => {
    expect(problemsOf({ name: 12_345_678 }).join()).not.toContain("12345678");
  });
});

test("only similar words are suggested", () => {
  expect(didYouMean("pasword", ["username", "password"])).toBe(' – did you mean "password"?');
  expect(didYouMean("colour", ["host", "port"])).toBe("");
  expect(didYouMean("x", [])).toBe("");
});
