// Texts and rules for the property tests of the reader: the corpus, what one finger does to it, and rules nobody wrote.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { FORBIDDEN_KEYS } from "../../../src/rules/parse/shape.ts";

const folder = join(import.meta.dir, "corpus");

function textsIn(kind: "good" | "broken"): string[] {
  const names = readdirSync(join(folder, kind)).filter((name) => /\.(?:ron|toml)$/.test(name));
  return names.map((name) => readFileSync(join(folder, kind, name), "utf8"));
}

export const goodTexts = textsIn("good");
export const allTexts = [...goodTexts, ...textsIn("broken")];

const snippets = [
  ..."()[]{}:,=;#\"'\\/_-+.°😀\n\t\r\u00a0\ufeffrb019xeEnN",
  ...[
    "Some(",
    "None",
    "//",
    "/*",
    "*/",
    'r#"',
    'b"',
    "#![enable(",
    "inf",
    "NaN",
    "\\u{",
    "\\x4",
    "true",
    "::",
    "[[",
    '"""',
  ],
  ...["__proto__", "1e999", "0x", "9007199254740993", "Rule(", "type", "\r\n", "'''", "“", "\ud83d"],
];

/** A text of the corpus after a few slips of the hand. */
export const slippedText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...allTexts),
    fc.array(fc.record({ at: fc.nat(), gone: fc.nat(12), put: fc.constantFrom("", ...snippets) }), { maxLength: 4 }),
  )
  .map(([text, slips]) =>
    slips.reduce((slipped, { at, gone, put }) => {
      const start = at % (slipped.length + 1);
      return slipped.slice(0, start) + put + slipped.slice(start + gone);
    }, text),
  );

/** Text that is mostly signs the readers care about. */
export const signText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...snippets, " ", "a", "a: 1", 'a = "x"', "(a: 1)"), fc.string({ unit: "binary" })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));

const words = [
  ...[
    "id",
    "type",
    "trigger",
    "conditions",
    "actions",
    "condition",
    "action",
    "else_if",
    "enabled",
    "a b",
    "",
    "über",
    "r",
  ],
  ...[
    "true",
    "None",
    "Some",
    "inf",
    "r#x",
    "1",
    "a-b",
    "notify",
    "none",
    "na_n",
    "rule_action",
    "set_2",
    "x2",
    "A",
    "😀",
  ],
];
const text = fc.oneof(fc.constantFrom(...words), fc.string({ unit: "binary", maxLength: 12 }));
const key = text.filter((word) => !FORBIDDEN_KEYS.has(word));
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constantFrom(null, -0, 2 ** 53, 2 ** 64, 1e21, 1e300, 5e-324),
);

const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
}));

/** Any object JSON can hold; the words make it look like a rule here and there. */
export const anyRule: fc.Arbitrary<JsonObject> = json.object;
