// `expression`: a CEL expression about the house. Files may also call it `script_expression`.
import { messageOf } from "../../kit/schema/errors.ts";
import { defineCondition } from "../model/define.ts";
import { expression as cel } from "../model/fields.ts";

export const expression = defineCondition({
  type: "expression",
  doc: "A CEL expression that is true; `script_expression` is another name for it.",
  fields: () => ({ expression: cel("CEL, true or false") }),
  evaluate({ expression }, scope) {
    try {
      const actual = scope.isTrue(expression);
      return { passed: actual, expected: expression, actual };
    } catch (error) {
      return { passed: false, expected: expression, actual: "it cannot be evaluated", error: messageOf(error) };
    }
  },
  example: { expression: "device_state('sensor').temperature > 21.0" },
});
