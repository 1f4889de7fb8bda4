// Whatever a rule file holds, in either language, it is a rule or a problem with a place; nothing is thrown, and what is a
// rule can be kept and run.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Glob } from "bun";
import fc from "fast-check";
import { decodeText } from "../../../src/kit/schema/decode-text.ts";
import { type JsonObject, jsonEqual } from "../../../src/kit/schema/json.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { textOf } from "../../../src/rules/store/edits.ts";
import { createRuleReader } from "../../../src/rules/store/read-rule.ts";
import { examples } from "../../support/examples.ts";
import { exchangedValue, mutatedBytes, mutatedText } from "../../support/mutated-text.ts";

const folder = resolve(import.meta.dir, "../../../rules/examples");
const reader = createRuleReader(createRuleExpressions());
const shipped = [...new Glob("*.{ron,toml}").scanSync(folder)]
  .sort()
  .map((name) => readFileSync(`${folder}/${name}`, "utf8"));
const TEXTS = [...shipped, ...shipped.flatMap(inBothLanguages)];

function inBothLanguages(text: string): string[] {
  const rule = reader.read(text, { id: "an-id" }).good?.rule as JsonObject;
  return (["ron", "toml"] as const).map((format) => textOf(rule, { format, shape: reader.shape }));
}

test("any bytes are a rule, or problems with a place", () => {
  const anyBytes = fc.oneof(
    mutatedBytes(TEXTS),
    fc.oneof(mutatedText(TEXTS), exchangedValue(TEXTS)).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const decoded = decodeText(bytes);
      if (!decoded.ok) {
        expect(decoded.problem.line).toBeGreaterThan(0);
        return;
      }
      const { good, problems, lacksId } = reader.read(decoded.text, { id: "an-id" });
      expect(good !== undefined).toBe(problems.length === 0 && !lacksId);
      for (const { line, message } of problems) {
        expect(line).toBeGreaterThan(0);
        // A fault of ours would be reported as one; there should be none.
        expect(message).not.toContain("a fault of the hub");
      }
      // What runs can be shown over the API and written again.
      if (good) expect(jsonEqual(JSON.parse(JSON.stringify(good.rule)), good.rule)).toBe(true);
    }),
    { numRuns: examples(2000) },
  );
}, 240_000);
