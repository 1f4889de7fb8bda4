// The corpus: every broken file tells what its `.expected` says and nothing else, every good one is its `.json`.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTopLevel } from "../../../src/rules/parse/edit.ts";
import { readRuleText } from "../../../src/rules/parse/read.ts";
import { writeRon } from "../../../src/rules/parse/write.ts";

const corpus = join(import.meta.dir, "corpus");

function namesIn(folder: string): string[] {
  return readdirSync(join(corpus, folder))
    .filter((name) => name.endsWith(".ron"))
    .map((name) => name.slice(0, -".ron".length));
}

function contentOf(path: string): string {
  return readFileSync(join(corpus, path), "utf8");
}

describe("broken files", () => {
  test.each(namesIn("broken"))("%s", (name) => {
    const text = contentOf(`broken/${name}.ron`);
    const { value, problems } = readRuleText(text);
    const expected = contentOf(`broken/${name}.expected`).trimEnd().split("\n");
    const told = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    expect(told.map((problem, index) => problem.slice(0, expected[index]?.length ?? 200))).toEqual(expected);
    expect(value).toBeUndefined();
  });
});

test("the examples the hub brings can be read and switched", () => {
  const examples = join(import.meta.dir, "../../../rules/examples");
  const names = readdirSync(examples);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const text = readFileSync(join(examples, name), "utf8");
    expect(readRuleText(text).problems).toEqual([]);
    const switched = setTopLevel(text, "enabled", readRuleText(text).value?.enabled !== true);
    expect(switched.ok ? switched.text.length : 0).toBeWithin(text.length - 1, text.length + 2);
  }
});

describe("good files", () => {
  test.each(namesIn("good"))("%s", (name) => {
    const { value, problems } = readRuleText(contentOf(`good/${name}.ron`));
    expect(problems).toEqual([]);
    expect(value).toEqual(JSON.parse(contentOf(`good/${name}.json`)));
    expect(readRuleText(writeRon(value ?? {})).value).toEqual(value);
  });
});
