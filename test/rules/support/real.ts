// The engine's rig with the real triggers, conditions, actions and expressions, and rules as they are written in files.
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { actions } from "../../../src/rules/actions/index.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { type Rule, readRule } from "../../../src/rules/read/rule.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import { openRig, type Rig } from "../engine/rig.ts";

const expressions = createRuleExpressions();

export function openRealRig(): Rig {
  return openRig({ vocabulary: { triggers, conditions, actions }, evaluate: expressions.evaluate });
}

/** Throws with all problems. */
export function written(id: string, rule: JsonObject): Rule {
  const { rule: read, problems } = readRule({ id, name: id, ...rule }, expressions.check);
  if (!read) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join("\n"));
  return read;
}
