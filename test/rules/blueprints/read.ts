// Reading a blueprint's text in a test, and what a rule that uses it becomes.
import { readBlueprint } from "../../../src/rules/blueprints/read-blueprint.ts";
import type { BlueprintFinder } from "../../../src/rules/blueprints/use.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { ruleShape } from "../../../src/rules/read/vocabulary.ts";
import { createRuleReader, type ReadText } from "../../../src/rules/store/read-rule.ts";

const expressions = createRuleExpressions();
const shape = ruleShape();

export const read = (text: string, file = "lamp.toml") =>
  readBlueprint(text, { shape, checkExpression: expressions.check, id: "lamp", file });

/** `line path message` of each problem. */
export function problemsOf(text: string, file?: string): string[] {
  return read(text, file).problems.map(({ line, path, message }) => `${line} ${path ?? ""} ${message}`);
}

const known = new Map<string, ReturnType<typeof read>>();

function readOnce(text: string): ReturnType<typeof read> {
  const found = known.get(text) ?? read(text);
  known.set(text, found);
  return found;
}

/** A rule file that uses the blueprint `lamp`. */
export function readUse(blueprint: string, rule: string): ReadText {
  const finder: BlueprintFinder = {
    find(id) {
      const found = id === "lamp" ? readOnce(blueprint).blueprint : undefined;
      return found ? { ok: true, blueprint: found } : { ok: false, message: `there is no blueprint "${id}"` };
    },
  };
  return createRuleReader(expressions, finder).read(rule, { id: "an-id" });
}
