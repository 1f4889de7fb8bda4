// `or`: at least one of its conditions passes. All are evaluated, so that the trace shows each.
import { defineCondition } from "../model/define.ts";
import { countPassed, innerList } from "../model/flow.ts";

export const or = defineCondition({
  type: "or",
  doc: "At least one of its conditions passes.",
  fields: (self) => ({ conditions: innerList(self, "The conditions") }),
  evaluate({ conditions }, scope) {
    const { all, passed, actual } = countPassed(conditions, scope);
    return { passed: passed > 0, expected: "at least one passes", actual, parts: all };
  },
  example: {
    conditions: [
      { type: "mode_is", mode_id: "night" },
      { type: "mode_is", mode_id: "away" },
    ],
  },
});
