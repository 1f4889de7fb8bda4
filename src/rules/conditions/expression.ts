// `expression`: whatever CEL can say about the house. Files may call it `script_expression` too.
import { messageOf } from "../../core/errors.ts";
import { defineCondition } from "../define.ts";
import { expression as cel } from "../fields.ts";

export const expression = defineCondition({
  type: "expression",
  doc: "A CEL expression that is true; `script_expression` is another name for it.",
  fields: () => ({ expression: cel("CEL, true or false") }),
  evaluate({ expression }, scope) {
    try {
      const holds = scope.holds(expression);
      return { passed: holds, expected: expression, actual: holds };
    } catch (error) {
      return { passed: false, expected: expression, actual: "it cannot be evaluated", error: messageOf(error) };
    }
  },
  example: { expression: "device_state('sensor').temperature > 21.0" },
});
