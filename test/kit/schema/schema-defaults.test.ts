// checkValue fills in defaults by itself: as TypeBox would, which is slower.
import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import "../../support/property-seed.ts";
import { checkValue } from "../../../src/kit/schema/schema.ts";

const A = { a: Type.Optional(Type.Integer({ default: 1 })) };
const B = { b: Type.Optional(Type.Integer()) };
const Inner = Type.Object({ ...A, ...B, deeper: Type.Optional(Type.Object(A)) });
const Everything = Type.Object({
  inner: Type.Optional(Inner),
  filled: Type.Optional(Type.Object({ ...A, ...B }, { default: {} })),
  merged: Type.Optional(Type.Object({ ...A, ...B }, { default: { b: 2 } })),
  either: Type.Optional(Type.Union([Type.String({ default: "x" }), Inner, Type.Array(Inner)])),
  choice: Type.Optional(Type.Union([Type.Literal("x"), Type.Literal("y")], { default: "y" })),
  both: Type.Optional(Type.Intersect([Type.Object(A), Type.Object(B)])),
  list: Type.Optional(Type.Array(Inner, { default: [{}] })),
  record: Type.Optional(Type.Record(Type.String(), Inner)),
  open: Type.Optional(Type.Object(A, { additionalProperties: Type.Object(A, { default: {} }) })),
  anything: Type.Optional(Type.Any({ default: 4 })),
  nothing: Type.Optional(Type.Null()),
});

const some = <T>(parts: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(parts, { requiredKeys: [] });
const a = fc.integer();
const b = fc.integer();
const inner = some({ a, b, deeper: some({ a }) });
const everything = some({
  ...{ inner, filled: some({ a, b }), merged: some({ a, b }), both: some({ a, b }) },
  either: fc.oneof(fc.string(), inner, fc.array(inner)),
  choice: fc.constantFrom("x", "y"),
  list: fc.array(inner),
  record: fc.dictionary(fc.string(), inner),
  open: fc.record({ a, more: some({ a }) }, { requiredKeys: [] }),
  anything: fc.json(),
  nothing: fc.constant(null),
});

test("defaults are TypeBox's, at any depth, and the value itself stays as it is", () => {
  fc.assert(
    fc.property(everything, (value) => {
      const before = structuredClone(value);
      const wanted = Value.Default(Everything, Value.Clone(value));
      expect(checkValue(Everything, value)).toEqual({ ok: true, value: wanted } as never);
      expect(value).toEqual(before);
    }),
  );
});
