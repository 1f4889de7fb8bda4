// Durations as text, wherever a rule takes seconds: normalised once when it is read.
import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { DURATION } from "../../../src/rules/model/fields.ts";
import { Rule, readRule } from "../../../src/rules/read/rule.ts";
import { members } from "../../../src/rules/read/schemas.ts";
import { vocabulary } from "../../../src/rules/read/vocabulary.ts";
import { problemsIn, readIn } from "../support/read.ts";

const places = [...Object.entries(members)].flatMap(([kind, of]) =>
  [...of.values()].flatMap(({ type, schema }) =>
    Object.keys(schema.properties)
      .filter((key) => key.endsWith("_secs"))
      .map((key) => ({ list: `${kind}s` as "triggers" | "conditions" | "actions", type, key, schema })),
  ),
);

test.each(places)("$type.$key takes a duration", ({ list, type, key, schema }) => {
  const [example] = schema.examples as JsonObject[];
  expect((schema.properties as Record<string, TSchema>)[key]?.[DURATION]).toBe(true);
  expect(readIn(list, { ...example, type, [key]: "0.5m" } as JsonObject)[key]).toBe(30);
  expect(problemsIn(list, { ...example, type, [key]: "soon" } as JsonObject)).toEqual([
    expect.stringMatching(new RegExp(`^${key}: must be a (whole )?number of seconds .*or a duration such as "5m"`)),
  ]);
});

test("so do the fields of the rule", () => {
  const { rule } = readRule({ name: "x", cooldown_secs: "10m", catch_up_secs: "1d" }, () => undefined);
  expect(rule).toMatchObject({ cooldown_secs: 600, catch_up_secs: 86_400 });
  const { problems } = readRule({ name: "x", cooldown_secs: "250ms" }, () => undefined);
  expect(problems).toMatchObject([{ path: "cooldown_secs", message: expect.stringContaining("whole number") }]);
});

test("`for` is the short name of for_duration_secs", () => {
  const spec = { type: "device_state_changed", device_id: "door", attribute: "open", for: "10m" };
  expect(readIn("triggers", spec).for_duration_secs).toBe(600);
});

describe("the vocabulary", () => {
  test("shows both forms", () => {
    const { rule, actions } = vocabulary();
    const delay = actions.find(({ type }) => type === "delay")?.schema.properties as Record<string, Json>;
    expect(delay.duration_secs).toMatchObject({ type: ["number", "string"], minimum: 0, pattern: expect.any(String) });
    expect((rule.properties as JsonObject).cooldown_secs).toMatchObject({ type: ["integer", "string"] });
  });

  test("keeps numbers in the rule itself", () => {
    expect(Rule.properties.cooldown_secs.type).toBe("integer");
  });
});
