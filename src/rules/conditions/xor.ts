// `xor`: exactly one of its conditions passes.
import { defineCondition } from "../model/define.ts";
import { countPassed, innerList } from "../model/flow.ts";

export const xor = defineCondition({
  type: "xor",
  doc: "Exactly one of its conditions passes.",
  fields: (self) => ({ conditions: innerList(self, "The conditions") }),
  evaluate({ conditions }, scope) {
    const { all, passed, actual } = countPassed(conditions, scope);
    return { passed: passed === 1, expected: "exactly one passes", actual, parts: all };
  },
  example: {
    conditions: [
      { type: "mode_is", mode_id: "night" },
      { type: "mode_is", mode_id: "away" },
    ],
  },
});
