// Triggers, conditions and actions as a rule's file would have them: checked, with their defaults.

import type { JsonObject } from "../../../src/core/json.ts";
import type { Typed } from "../../../src/rules/model/define.ts";
import { readRule } from "../../../src/rules/read/rule.ts";

const anyExpression = (): undefined => undefined;

export function readIn(list: "triggers" | "conditions" | "actions", value: JsonObject): Typed {
  const { rule, problems } = readRule({ name: "test", [list]: [value] }, anyExpression);
  const read = rule?.[list][0];
  if (!read) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join("; "));
  return read;
}

/** `path: message` of everything that is wrong with it, the paths seen from itself. */
export function problemsIn(list: "triggers" | "conditions" | "actions", value: JsonObject): string[] {
  const { problems } = readRule({ name: "test", [list]: [value] }, anyExpression);
  return problems.map(({ path, message }) => `${path.replace(`${list}[0]`, "").replace(/^\./, "")}: ${message}`);
}
