// `and`: all of its conditions pass. All are asked, so that the trace tells of each.
import { defineCondition } from "../define.ts";
import { countPassed, parts } from "../several.ts";

export const and = defineCondition({
  type: "and",
  doc: "All of its conditions pass.",
  fields: (self) => ({ conditions: parts(self) }),
  evaluate({ conditions }, scope) {
    const { all, passed, actual } = countPassed(conditions, scope);
    return { passed: passed === all.length, expected: "all pass", actual, parts: all };
  },
  example: {
    conditions: [
      { type: "mode_is", mode_id: "night" },
      { type: "sun", position: "below_horizon" },
    ],
  },
});
