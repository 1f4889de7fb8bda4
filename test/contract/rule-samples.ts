// Triggers, conditions and actions as people might write them: the example of each, and what its schema makes of itself, about
// things that are in the house of the tests. Whoever adds one adds nothing here.
import type { TSchema } from "@sinclair/typebox";
import fc from "fast-check";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import type { Typed } from "../../src/rules/model/define.ts";
import { CEL, KEYS_NAME, type Kind, kindOfChild, NAMES, type Named, wordsOf } from "../../src/rules/model/fields.ts";
import { rewriteRule } from "../../src/rules/read/references.ts";
import { type ReadRule, readRule } from "../../src/rules/read/rule.ts";
import { members } from "../../src/rules/read/schemas.ts";

/** What is in the house of the tests, by what a field of a rule names. */
export const THINGS: Readonly<Record<Exclude<Named, "location">, readonly string[]>> = {
  device: ["lamp", "kettle"],
  area: ["hall"],
  tag: ["downstairs"],
  device_type: ["light"],
  mode: ["away"],
  scene: ["evening"],
  channel: ["board"],
  rule: ["other"],
};
const RULE_ID = "11111111-1111-4111-8111-111111111111";

const MAX_SAMPLES = 12;
const TRIES = 200;
const SEED = 20_261_126;
const EXPRESSIONS = ["true", "3", "'on'", "{'on': true}", "device_state('lamp').on"];
const CHILDREN: Readonly<Record<Kind, Typed>> = {
  trigger: { type: "device_state_changed", device_id: "lamp" },
  condition: { type: "device_state", device_id: "lamp", attribute: "on", value: false },
  action: { type: "set_device_state", device_id: "lamp", state: { on: true } },
};
const KINDS = ["trigger", "condition", "action"] as const;

/** By kind, in the order of the lists. */
export const allTypes = KINDS.flatMap((kind) => [...members[kind].keys()].map((type) => ({ kind, type })));

/** A rule with these parts; undefined where the reader refuses it. */
export function ruleOf(parts: Partial<Record<`${Kind}s`, readonly Typed[]>>): ReadRule["rule"] {
  const written = JSON.parse(JSON.stringify({ id: RULE_ID, name: "Tried", ...parts })) as JsonObject;
  return readRule(written, () => undefined).rule;
}

/** As they are read; the example comes first. */
export function samplesOf(kind: Kind, type: string): Typed[] {
  const schema = members[kind].get(type)?.schema;
  if (!schema) throw new Error(`there is no ${kind} "${type}"`);
  const [example] = schema.examples as [Typed];
  const fields = Object.entries(schema.properties).filter(([key]) => !["type", "enabled", "comment"].includes(key));
  const drawn = fc.record(
    Object.fromEntries(
      fields.map(([key, field]) => {
        const value = key in example ? fc.oneof(fc.constant(example[key]), valuesOf(field)) : valuesOf(field);
        return [key, schema.required?.includes(key) ? value : fc.option(value, { nil: undefined, freq: 2 })];
      }),
    ),
  );
  const samples = new Map<string, Typed>();
  for (const one of [example, ...fc.sample(drawn, { numRuns: TRIES, seed: SEED })]) {
    const [read] = ruleOf({ [`${kind}s`]: [inThisHouse(kind, { ...one, type })] })?.[`${kind}s`] ?? [];
    if (read) samples.set(JSON.stringify(read), read);
    if (samples.size === MAX_SAMPLES) break;
  }
  return [...samples.values()];
}

/** About things that are there. */
function inThisHouse(kind: Kind, part: Typed): Typed {
  const schema = members[kind].get(part.type)?.schema;
  const value = JSON.parse(JSON.stringify(part)) as Typed;
  if (!schema) return value;
  return rewriteRule({ schema, value, path: "" }, ({ schema, value }) => {
    const things = thingsOf(schema);
    return things && typeof value === "string" && !things.includes(value) ? things[0] : value;
  }) as Typed;
}

function thingsOf(schema: TSchema): readonly string[] | undefined {
  const named: Named | undefined = schema[NAMES];
  return named === undefined || named === "location" ? undefined : THINGS[named];
}

function valuesOf(schema: TSchema): fc.Arbitrary<unknown> {
  const child = kindOfChild(schema);
  const words = wordsOf(schema) ?? thingsOf(schema);
  if (child) return fc.constant(CHILDREN[child]);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (words && schema.type !== "array") return fc.constantFrom(...words);
  if (schema.anyOf) return fc.oneof(...(schema.anyOf as TSchema[]).map(valuesOf));
  if (schema.contentMediaType === CEL) return fc.constantFrom(...EXPRESSIONS);
  switch (schema.type) {
    case "boolean":
      return fc.boolean();
    case "number":
    case "integer":
      return numbersOf(schema);
    case "array":
      return fc.array(valuesOf(schema.items), { minLength: Math.max(1, schema.minItems ?? 1), maxLength: 2 });
    case "object":
      return tablesOf(schema);
    case "string":
      return fc.constantFrom("text", "{{= now() }}");
    default:
      return fc.constantFrom<unknown>("text", true, 3, { on: true });
  }
}

function numbersOf({ minimum = 0, maximum = 60 }: TSchema): fc.Arbitrary<number> {
  return fc.constantFrom(...[minimum, 1, 3].map((value) => Math.min(maximum, Math.max(minimum, value))));
}

function tablesOf({ properties, required = [], patternProperties = {}, ...schema }: TSchema): fc.Arbitrary<unknown> {
  if (properties) {
    const fields = Object.entries(properties as Record<string, TSchema>);
    return fc.record(Object.fromEntries(fields.map(([key, field]) => [key, valuesOf(field)])), {
      requiredKeys: required as string[],
    });
  }
  const named: Exclude<Named, "location"> | undefined = schema[KEYS_NAME];
  const [values] = Object.values(patternProperties as Record<string, TSchema>);
  const key = named === undefined ? "on" : (THINGS[named][0] ?? "on");
  return (values ? valuesOf(values) : fc.boolean()).map((value) => ({ [key]: value }));
}
