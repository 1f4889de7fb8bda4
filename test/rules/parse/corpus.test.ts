// The corpus: every broken file has the problems of its `.expected` and no others, every good one is its `.json`.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTopLevel } from "../../../src/rules/parse/edit/set-key.ts";
import { readRuleText } from "../../../src/rules/parse/read.ts";
import { writeRon } from "../../../src/rules/parse/ron/write.ts";

const corpus = join(import.meta.dir, "corpus");

function filesIn(folder: string): string[] {
  return readdirSync(join(corpus, folder)).filter((name) => /\.(?:ron|toml)$/.test(name));
}

function contentOf(folder: string, file: string): string {
  return readFileSync(join(corpus, folder, file), "utf8");
}

describe("broken files", () => {
  test.each(filesIn("broken"))("%s", (file) => {
    const { value, problems } = readRuleText(contentOf("broken", file), { file });
    const expected = contentOf("broken", file.replace(/\w+$/, "expected")).trimEnd().split("\n");
    const found = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    expect(found.map((problem, index) => problem.slice(0, expected[index]?.length ?? 200))).toEqual(expected);
    expect(value).toBeUndefined();
  });
});

test("the examples the hub brings can be read and switched", () => {
  const examples = join(import.meta.dir, "../../../rules/examples");
  const files = readdirSync(examples);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const text = readFileSync(join(examples, file), "utf8");
    expect(readRuleText(text, { file })).toMatchObject({ problems: [], warnings: [] });
    const switched = setTopLevel(text, "enabled", readRuleText(text).value?.enabled !== true);
    expect(switched.ok ? switched.text.length : 0).toBeWithin(text.length - 1, text.length + 2);
  }
});

describe("good files", () => {
  test.each(filesIn("good"))("%s", (file) => {
    const { value, problems, warnings } = readRuleText(contentOf("good", file), { file });
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(value).toEqual(JSON.parse(contentOf("good", file.replace(/\w+$/, "json"))));
    expect(readRuleText(writeRon(value ?? {})).value).toEqual(value);
  });
});
