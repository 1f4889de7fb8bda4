// `wait_for_expression`: waits until an expression is true.
import { defineAction } from "../model/define.ts";
import { expression, secs } from "../model/fields.ts";
import { onTimeout, timedOut } from "../model/flow.ts";
import { shortened } from "../model/values.ts";

export const waitForExpression = defineAction({
  type: "wait_for_expression",
  doc: "Waits until an expression is true; continues at once if it is already true.",
  fields: () => ({
    expression: expression("CEL, true or false"),
    timeout_secs: secs("The timeout"),
    on_timeout: onTimeout,
  }),
  async run({ expression, timeout_secs, on_timeout }, scope) {
    const shown = shortened(expression);
    const isTrue = await scope.waitUntil(expression, timeout_secs * 1000);
    return isTrue ? `${shown} is true` : timedOut(scope, { waitedFor: shown, timeout_secs, on_timeout });
  },
  example: { expression: "!device_state('door').open", timeout_secs: 600, on_timeout: "continue" },
});
