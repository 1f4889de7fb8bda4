// `not`: its condition does not pass; of several, none does. What cannot be told does not pass, and so `not` of it does:
// the trace says which it was.
import { Type } from "@sinclair/typebox";
import { defineCondition } from "../define.ts";
import { countPassed, parts } from "../several.ts";
import { checkOneOf } from "../values.ts";

export const not = defineCondition({
  type: "not",
  doc: "Its condition does not pass; of several in `conditions`, none does.",
  fields: (self) => ({ condition: Type.Optional(self), conditions: Type.Optional(parts(self)) }),
  check: (spec) => checkOneOf(spec, ["condition", "conditions"]),
  evaluate({ condition, conditions = [] }, scope) {
    const { all, passed, actual } = countPassed(condition ? [condition] : conditions, scope);
    return { passed: passed === 0, expected: "none passes", actual, parts: all };
  },
  example: { condition: { type: "mode_is", mode_id: "away" } },
});
