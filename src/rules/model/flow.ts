// Fields and results that kinds of the same sort share: those with conditions or actions inside, loops, and waits.
import { type TUnsafe, Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import type { ActionScope, ConditionScope, Typed } from "./define.ts";
import { choice, expression } from "./fields.ts";
import type { ConditionTrace } from "./trace.ts";
import { shortened } from "./values.ts";
import { setWait } from "./variables.ts";

/** A list of conditions or actions inside another one. */
export function innerList(child: TUnsafe<Typed>, description: string) {
  return Type.Array(child, { minItems: 1, description });
}

/** Evaluates all of them, so that the trace shows each. */
export function countPassed(
  conditions: readonly Typed[],
  scope: ConditionScope,
): { all: ConditionTrace[]; passed: number; actual: string } {
  const all = conditions.map((condition) => scope.ask(condition));
  const passed = all.filter((trace) => trace.passed).length;
  return { all, passed, actual: `${passed} of ${all.length} passed` };
}

export const maxTurns = Type.Integer({
  default: 100,
  minimum: 1,
  maximum: 10_000,
  description: "After so many turns it fails",
});

export function tooManyTurns(limit: number, why: string): HubError {
  return new HubError(
    "conflict",
    `stopped after ${limit} turns, and ${why}: correct the expression, or raise max_turns`,
  );
}

/** The turn of a loop that the hub stopped in, and that goes on; undefined at the beginning. */
export function turnOf(scope: ActionScope): number | undefined {
  const turn = scope.resumed();
  return typeof turn === "number" ? turn : undefined;
}

export const onTimeout = choice(["continue", "exit"], "After the timeout: run the next action, or end the run", {
  default: "continue",
});

export function timedOut(
  scope: ActionScope,
  { waitedFor, timeout_secs, on_timeout }: { waitedFor: string; timeout_secs: number; on_timeout: "continue" | "exit" },
): string {
  setWait(scope, { completed: false });
  const what = `${waitedFor} did not come within ${timeout_secs} s`;
  return on_timeout === "exit" ? scope.exit(what) : `${what}; continuing`;
}

/** What decides whether a list of actions runs. One of the two is given. */
interface Branch {
  condition?: string | undefined;
  conditions?: Typed[] | undefined;
}

export const branchFields = (condition: TUnsafe<Typed>) => ({
  condition: Type.Optional(expression("CEL, true or false")),
  conditions: Type.Optional(innerList(condition, "Conditions that all must pass, instead of `condition`")),
});

export function passes({ condition, conditions = [] }: Branch, scope: ActionScope): boolean {
  return condition === undefined ? conditions.every((one) => scope.ask(one).passed) : scope.isTrue(condition);
}

/** For the trace. */
export function shown({ condition, conditions = [] }: Branch): string {
  return condition === undefined ? conditions.map(({ type }) => type).join(" and ") : shortened(condition);
}
