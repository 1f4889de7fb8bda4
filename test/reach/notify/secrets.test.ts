// `secret: true` is the only mark of a secret: defining a channel fails when a secret would not be scrubbed.
import { describe, expect, test } from "bun:test";
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { defineChannel, plainText } from "../../../src/reach/notify/channel.ts";
import { checkSecretMarks, createScrubber, secretsOf } from "../../../src/reach/notify/secrets.ts";

const SECRET = { secret: true };

function define(fields: TProperties) {
  return defineChannel({
    kind: "pigeon",
    service: "Pigeon",
    doc: "A pigeon.",
    example: {},
    fields,
    open: () => ({
      ...{ name: "x", kind: "pigeon", limits: {} },
      ...plainText,
      send: async () => ({ answer: "ok", parts: 1 }),
    }),
  });
}

describe("a channel is refused at its definition", () => {
  test.each<[string, string, TSchema]>([
    ["a field named like a secret", "password", Type.String()],
    ["the same when it is optional", "api_token", Type.Optional(Type.String())],
    ["any key", "user_key", Type.String()],
    ["a pattern", "pin", Type.RegExp(/^\d+$/)],
    ["a value of any type", "secret", Type.Unknown()],
    ["a field of a table", "login", Type.Object({ user: Type.String(), password: Type.String() })],
    ["a table named like a secret", "credentials", Type.Object({ user: Type.String() })],
    ["a list named like a secret", "tokens", Type.Array(Type.String())],
    ["a list of tables", "servers", Type.Array(Type.Object({ password: Type.String() }))],
    ["a union", "auth_token", Type.Union([Type.String(), Type.Null()])],
    ["a record", "logins", Type.Record(Type.String(), Type.Object({ api_key: Type.String() }))],
  ])("that has no mark: %s", (_, name, schema) => {
    expect(() => define({ [name]: schema })).toThrow(/^pigeon\.\S+: is named like a secret: mark it `secret: true`/);
  });

  test.each<[string, TSchema]>([
    ["a list of unions", Type.Array(Type.Union([Type.String(SECRET), Type.Null()]))],
    ["a union", Type.Union([Type.String(SECRET), Type.Null()])],
    ["a record", Type.Record(Type.String(), Type.String(SECRET))],
    ["an intersection", Type.Intersect([Type.Object({}), Type.Object({ password: Type.String(SECRET) })])],
    ["a tuple", Type.Tuple([Type.String(SECRET)])],
    ["further keys of a table", Type.Object({}, { additionalProperties: Type.String(SECRET) })],
  ])("whose mark the scrubber does not see: inside %s", (_, schema) => {
    expect(() => define({ field: schema })).toThrow("is not scrubbed: move it to a table");
  });

  test.each<[string, TSchema]>([
    ["a number", Type.Integer(SECRET)],
    ["a table", Type.Object({ a: Type.String() }, SECRET)],
    ["a list", Type.Array(Type.String(), SECRET)],
  ])("whose secret is no string: %s", (_, schema) => {
    expect(() => define({ password: schema })).toThrow("a field with `secret: true` must be a string");
  });
});

test("marked secrets are found in tables at any depth, and harmless fields need no mark", () => {
  const { schema } = define({
    api_key: Type.String(SECRET),
    login: Type.Optional(Type.Object({ user: Type.String(), inner: Type.Object({ password: Type.String(SECRET) }) })),
    has_password: Type.Boolean(),
    token_count: Type.Integer(),
    token_type: Type.Union([Type.Literal("bearer"), Type.Literal("basic")]),
    to: Type.Array(Type.String()),
  });
  const config = {
    api_key: "first-secret",
    login: { user: "ann", inner: { password: "second-secret" } },
    to: ["ben"],
  };
  const scrub = createScrubber(secretsOf(schema, config));
  expect(scrub(JSON.stringify(config))).toBe(
    JSON.stringify({
      ...config,
      api_key: "[redacted]",
      login: { user: "ann", inner: { password: "[redacted]" } },
    }),
  );
  expect(() => checkSecretMarks(schema, "again")).not.toThrow();
});
