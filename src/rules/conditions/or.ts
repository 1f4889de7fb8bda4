// `or`: at least one of its conditions passes. All are asked, so that the trace tells of each.
import { defineCondition } from "../define.ts";
import { countPassed, parts } from "../several.ts";

export const or = defineCondition({
  type: "or",
  doc: "At least one of its conditions passes.",
  fields: (self) => ({ conditions: parts(self) }),
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
