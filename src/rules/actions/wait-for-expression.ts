// `wait_for_expression`: waits until an expression is true.
import { Type } from "@sinclair/typebox";
import { type ActionScope, defineAction } from "../model/define.ts";
import { expression, secs } from "../model/fields.ts";
import { onTimeout, timedOut } from "../model/flow.ts";
import { msOf, shortened } from "../model/values.ts";
import { setWait } from "../model/variables.ts";

export const waitForExpression = defineAction({
  type: "wait_for_expression",
  doc: "Waits until an expression is true; continues at once if it is already true.",
  whenInterrupted: () => "resume",
  fields: () => ({
    expression: expression("CEL, true or false"),
    for_duration_secs: Type.Optional(secs("How long it must stay true; without it, a moment is enough")),
    timeout_secs: secs("The timeout"),
    on_timeout: onTimeout,
  }),
  async run({ expression, for_duration_secs = 0, timeout_secs, on_timeout }, scope) {
    const shown = shortened(expression);
    const isTrue = await staysTrue(scope, { expression, ms: msOf(for_duration_secs), timeoutMs: msOf(timeout_secs) });
    if (!isTrue) return timedOut(scope, { waitedFor: shown, timeout_secs, on_timeout });
    setWait(scope, { completed: true });
    return `${shown} is true`;
  },
  example: {
    expression: "!device_state('door').open",
    for_duration_secs: 30,
    timeout_secs: 600,
    on_timeout: "continue",
  },
});

/**
 * Each time it becomes true, waits whether it becomes false before it was true for so long. After a restart of the hub that
 * time begins again, and the timeout goes on.
 */
async function staysTrue(
  scope: ActionScope,
  { expression, ms, timeoutMs }: { expression: string; ms: number; timeoutMs: number },
): Promise<boolean> {
  if (ms === 0) return scope.waitUntil(expression, timeoutMs);
  const stepOf = { ms: timeoutMs, label: shortened(expression) };
  for (;;) {
    const leftMs = timeoutMs - scope.elapsed();
    if (leftMs < 0 || !(await scope.waitUntil(expression, leftMs, stepOf))) return false;
    const untilMs = timeoutMs - scope.elapsed();
    const becameFalse = await scope.waitUntil(`!(${expression})`, Math.min(ms, Math.max(0, untilMs)), stepOf);
    if (!becameFalse) return untilMs >= ms;
  }
}
