// What the actions that wait for something do when it does not come.
import type { ActionScope } from "./define.ts";
import { choice } from "./fields.ts";

export const onTimeout = choice(
  ["continue", "exit"],
  "When the time is over: go on with the next action, or end the run",
  {
    default: "continue",
  },
);

export function timeIsOver(
  scope: ActionScope,
  { waitedFor, timeout_secs, on_timeout }: { waitedFor: string; timeout_secs: number; on_timeout: "continue" | "exit" },
): string {
  const what = `${waitedFor} did not come within ${timeout_secs} s`;
  return on_timeout === "exit" ? scope.exit(what) : `${what}; going on`;
}
