// The compiled hub's `check` on a home full of mistakes: each is named as in the tables.
import { expect, test } from "bun:test";
import { CONFIGURATION } from "../contract/mistakes/configuration.ts";
import { type Expected, expectedOf, isReported, type Mistake } from "../contract/mistakes/mistake.ts";
import { RULES } from "../contract/mistakes/rules.ts";
import { createHubPlace } from "../support/hub-place.ts";

test("one run names every rule's mistake, and those of hub.toml and modes.toml", async () => {
  await using place = createHubPlace();
  const expected: Expected[] = [];
  const put = (file: string, mistake: Mistake): void => {
    const one = expectedOf(file, mistake);
    place.put(file, one.text, 0o600);
    expected.push(one);
  };
  for (const [path, mistakes] of Object.entries(RULES))
    for (const [index, mistake] of mistakes.entries()) put(path.replace("lamp", `lamp${index}`), mistake);
  for (const [path, mistakes] of Object.entries(CONFIGURATION)) put(path, mistakes.at(-1) ?? ["◀", "", ""]);
  const { code, stdout, stderr } = await place.run(["check"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(expected.filter((one) => !isReported(stderr, one)).map(({ text }) => text)).toEqual([]);
  expect(expected.length).toBeGreaterThan(40);
  expect(stderr).toMatch(/the configuration has 1 problem; modes\.toml has 1 problem; the rules have \d+ problems/);
});
