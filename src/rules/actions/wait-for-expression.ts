// `wait_for_expression`: goes on when an expression holds; at once if it holds already.
import { defineAction } from "../define.ts";
import { expression, secs } from "../fields.ts";
import { shortened } from "../values.ts";
import { onTimeout, timeIsOver } from "../waiting.ts";

export const waitForExpression = defineAction({
  type: "wait_for_expression",
  doc: "Waits until an expression holds; at once when it does already.",
  fields: () => ({
    expression: expression("CEL, true or false"),
    timeout_secs: secs("How long at most"),
    on_timeout: onTimeout,
  }),
  async run({ expression, timeout_secs, on_timeout }, scope) {
    const shown = shortened(expression);
    if (scope.dryRun) return `would wait for ${shown}, ${timeout_secs} s at most`;
    const held = await scope.waitUntil(expression, timeout_secs * 1000);
    return held ? `${shown} holds` : timeIsOver(scope, { waitedFor: shown, timeout_secs, on_timeout });
  },
  example: { expression: "!device_state('door').open", timeout_secs: 600, on_timeout: "continue" },
});
