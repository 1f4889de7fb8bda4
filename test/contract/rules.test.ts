// Run for every trigger, condition and action there is, whoever adds one.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import fc from "fast-check";
import { isObject, type JsonObject } from "../../src/kit/schema/json.ts";
import { CEL, type Kind, kindOfChild, NAMES, wordsOf } from "../../src/rules/model/fields.ts";
import { readRuleText } from "../../src/rules/parse/read.ts";
import { referencesOf } from "../../src/rules/read/references.ts";
import { readRule } from "../../src/rules/read/rule.ts";
import { type Member, members } from "../../src/rules/read/schemas.ts";
import { ruleShape } from "../../src/rules/read/vocabulary.ts";
import { walk } from "../../src/rules/read/walk.ts";
import { examples } from "../support/examples.ts";
import { ronOf } from "../support/ron-of.ts";

const src = resolve(import.meta.dir, "../../src/rules");
const KINDS = ["trigger", "condition", "action"] as const;
const all = KINDS.flatMap((kind) => [...members[kind].values()].map((member) => ({ kind, type: member.type, member })));

const anyExpression = (): undefined => undefined;
const read = (kind: Kind, value: unknown, check: (text: string) => string | undefined = anyExpression) =>
  readRule({ name: "Tür 🚪 21 °C", [`${kind}s`]: [value] } as JsonObject, check);
const exampleOf = (kind: Kind, type: string): JsonObject => members[kind].get(type)?.schema.examples[0];

/** Its fields, also those within tables of its own; not what all of its kind have. */
function fieldsOf({ schema }: Member): [string, TSchema][] {
  const within = (schema: TSchema, path: string): [string, TSchema][] =>
    Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([key, field]) => [
      [`${path}${key}`, field],
      ...within(field, `${path}${key}.`),
      ...(field.items ? within(field.items, `${path}${key}[].`) : []),
    ]);
  return within(schema, "").filter(([key]) => key !== "type");
}

test("every file of the folders is in its list", () => {
  for (const kind of KINDS) {
    const files = readdirSync(join(src, `${kind}s`)).filter((file) => file !== "index.ts");
    const wanted = [...members[kind].keys()].map((type) => `${type.replaceAll("_", "-")}.ts`);
    expect(files.sort()).toEqual(wanted.sort());
  }
});

describe.each(all)("$kind $type", ({ kind, type, member }) => {
  test("its file and its export bear its name", async () => {
    const file = join(src, `${kind}s`, `${type.replaceAll("_", "-")}.ts`);
    expect(existsSync(file)).toBe(true);
    const exported = (await import(file)) as Record<string, { type: string }>;
    const name = type.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(Object.keys(exported)).toEqual([name]);
    expect(exported[name]?.type).toBe(type);
  });

  test("is described by a sentence, and so is each of its fields", () => {
    expect(member.doc).toMatch(/^[A-Z].*\.$/s);
    for (const [key, field] of fieldsOf(member)) {
      const described = kindOfChild(field) !== undefined || String(field.description ?? "").length > 3;
      expect({ key, described }).toEqual({ key, described: true });
    }
  });

  test("takes its example, with its defaults", () => {
    const { rule, problems } = read(kind, exampleOf(kind, type));
    expect(problems).toEqual([]);
    expect(rule?.[`${kind}s`][0]).toMatchObject({ type });
    // What was read reads the same again.
    expect(read(kind, rule?.[`${kind}s`][0]).rule).toEqual(rule);
  });

  test("its example reads the same as RON", () => {
    const { value, problems } = readRuleText(`(${kind}s: [${ronOf(kind, exampleOf(kind, type))}])`, {
      shape: ruleShape(),
    });
    expect(problems).toEqual([]);
    expect(value).toEqual({ [`${kind}s`]: [exampleOf(kind, type)] });
  });

  test("refuses a key it does not know, and says which it may be", () => {
    for (const key of [...Object.keys(member.schema.properties), "nonsense"].filter((key) => key !== "type")) {
      const given = `${key}x`;
      const { rule, problems } = read(kind, { ...exampleOf(kind, type), [given]: 1 });
      expect(rule).toBeUndefined();
      const reported = problems.find(({ path }) => path === `${kind}s[0].${given}`)?.message;
      expect(reported).toStartWith(`unknown key "${given}"`);
      if (key !== "nonsense") expect(reported).toContain("did you mean");
    }
  });

  test("says what each field must be, without the wrong value", () => {
    for (const [key, field] of Object.entries(member.schema.properties as Record<string, TSchema>)) {
      if (key === "type" || field.type === undefined) continue;
      const { problems } = read(kind, { ...exampleOf(kind, type), [key]: { "🚪": "hunter2" } });
      const reported = problems.filter(({ path }) => path.startsWith(`${kind}s[0].${key}`));
      if (field.type !== "object") expect({ key, count: reported.length }).toEqual({ key, count: 1 });
      for (const { message } of reported) {
        expect(message).not.toContain("hunter2");
        expect(message).not.toContain("of another form");
      }
    }
  });

  test("reads its words in any case", () => {
    for (const [key, field] of Object.entries(member.schema.properties as Record<string, TSchema>)) {
      for (const word of wordsOf(field) ?? []) {
        if (key === "type") continue;
        const shouted = { ...exampleOf(kind, type), [key]: word.toUpperCase() };
        const value = read(kind, shouted).rule?.[`${kind}s`][0]?.[key];
        if (value !== undefined) expect(value).toBe(word);
        else expect(read(kind, shouted).problems.map(({ path }) => path)).not.toContain(`${kind}s[0].${key}`);
      }
    }
  });

  test("what it names is found, and its expressions are checked", () => {
    const example = exampleOf(kind, type);
    const names: string[] = [];
    const expressions: string[] = [];
    walk({ schema: member.schema, value: example, path: `${kind}s[0]` }, ({ schema, path, value }) => {
      if (schema[NAMES] && typeof value === "string") names.push(path);
      if (schema.contentMediaType === CEL && typeof value === "string") expressions.push(path);
    });
    const { rule } = read(kind, example);
    const found = rule ? referencesOf(rule).map(({ path }) => path) : [];
    expect(found).toEqual(expect.arrayContaining(names));
    const wrong = read(kind, example, () => "is wrong").problems.filter(({ message }) => message === "is wrong");
    expect(wrong.map(({ path }) => path)).toEqual(expect.arrayContaining(expressions));
  });

  test("whatever stands in its fields, there is a rule or there are problems with a path, and nothing is thrown", () => {
    const keys = Object.keys(member.schema.properties).filter((key) => key !== "type");
    if (keys.length === 0) return;
    fc.assert(
      fc.property(fc.nat({ max: keys.length - 1 }), fc.jsonValue({ maxDepth: 3 }), (at, value) => {
        const { rule, problems } = read(kind, { ...exampleOf(kind, type), [keys[at] ?? ""]: value });
        expect(rule === undefined).toBe(problems.length > 0);
        for (const { path, message } of problems) {
          expect(path).toStartWith(`${kind}s[0]`);
          expect(message.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: examples(60) },
    );
  });
});

test("every trigger can be labelled, and is set off by events, by the clock or by hand", async () => {
  for (const [type] of members.trigger) {
    const { triggers } = await import("../../src/rules/triggers/index.ts");
    const trigger = triggers.find((one) => one.type === type);
    const spec = read("trigger", exampleOf("trigger", type)).rule?.triggers[0];
    expect(isObject(spec)).toBe(true);
    expect(trigger?.label(spec as never).length).toBeGreaterThan(3);
    expect((trigger?.interests === undefined) === (trigger?.match === undefined)).toBe(true);
    if (type !== "manual_trigger") expect(Boolean(trigger?.interests) !== Boolean(trigger?.schedule)).toBe(true);
  }
});
