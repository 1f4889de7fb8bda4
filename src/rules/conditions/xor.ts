// `xor`: just one of its conditions passes, however many there are.
import { defineCondition } from "../define.ts";
import { countPassed, parts } from "../several.ts";

export const xor = defineCondition({
  type: "xor",
  doc: "Exactly one of its conditions passes, however many there are.",
  fields: (self) => ({ conditions: parts(self) }),
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
