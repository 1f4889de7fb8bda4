// Warnings in the list of many rules: a list takes a bounded time, and what it did not get to comes right after it.
import { expect, test } from "bun:test";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { createLintCache } from "../../../src/rules/store/lint-cache.ts";
import { createRuleReader } from "../../../src/rules/store/read-rule.ts";
import { until } from "../../support/wait.ts";

const reader = createRuleReader(createRuleExpressions());
const entryOf = (number: number) => {
  const text = `id = "${number}"\nname = "Rule ${number}"\nactions = []\n`;
  return { text, problems: [], good: reader.read(text).good };
};

test("a list of many looks at some at once, and at the others a moment later", async () => {
  // Each look takes a millisecond.
  let now = 0;
  const clock = { mono: () => now++ };
  const cache = createLintCache({ clock, shape: reader.shape, house: {} });
  const entries = Array.from({ length: 500 }, (_, number) => entryOf(number));
  const warned = (): number => entries.filter((entry) => cache.of(entry).length > 0).length;
  const first = warned();
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(50);
  await until("all were looked at", () => warned() === entries.length);
});

test("of a few, each is looked at anew, because the house may have changed", () => {
  const known = new Set<string>();
  const house = { variable: (name: string) => known.has(name) };
  const text = 'id = "a"\nname = "A"\n[[actions]]\ntype = "notify"\nchannel = "log"\nmessage = "{{vars.guests}}"\n';
  const entry = { text, problems: [], good: reader.read(text).good };
  const cache = createLintCache({ clock: { mono: () => 0 }, shape: reader.shape, house });
  expect(cache.of(entry)).toHaveLength(1);
  known.add("guests");
  expect(cache.of(entry)).toEqual([]);
  const problems = [{ ...{ line: 1, column: 1 }, message: "broken", frame: "" }];
  expect(cache.of({ ...entry, problems })).toEqual([]);
});
