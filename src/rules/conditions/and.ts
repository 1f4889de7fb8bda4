// `and`: all of its conditions pass. All are evaluated, so that the trace shows each.
import { defineCondition } from "../model/define.ts";
import { countPassed, innerList } from "../model/flow.ts";

export const and = defineCondition({
  type: "and",
  doc: "All of its conditions pass.",
  fields: (self) => ({ conditions: innerList(self, "The conditions") }),
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
