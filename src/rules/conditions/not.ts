// `not`: its condition does not pass; of several, none does. A condition that cannot be evaluated does not pass, so `not`
// passes then: the trace shows why.
import { Type } from "@sinclair/typebox";
import { checkOneOf } from "../model/checks.ts";
import { defineCondition } from "../model/define.ts";
import { countPassed, innerList } from "../model/flow.ts";

export const not = defineCondition({
  type: "not",
  doc: "Its condition does not pass; with several in `conditions`, none passes.",
  fields: (self) => ({ condition: Type.Optional(self), conditions: Type.Optional(innerList(self, "The conditions")) }),
  check: (spec) => checkOneOf(spec, ["condition", "conditions"]),
  evaluate({ condition, conditions = [] }, scope) {
    const { all, passed, actual } = countPassed(condition ? [condition] : conditions, scope);
    return { passed: passed === 0, expected: "none passes", actual, parts: all };
  },
  example: { condition: { type: "mode_is", mode_id: "away" } },
});
