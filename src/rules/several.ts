// Conditions made of conditions.
import { type TUnsafe, Type } from "@sinclair/typebox";
import type { ConditionScope, Typed } from "./define.ts";
import type { ConditionTrace } from "./trace.ts";

export function parts(self: TUnsafe<Typed>) {
  return Type.Array(self, { minItems: 1, description: "The conditions" });
}

/** Asks all of them. */
export function countPassed(
  conditions: readonly Typed[],
  scope: ConditionScope,
): { all: ConditionTrace[]; passed: number; actual: string } {
  const all = conditions.map((condition) => scope.ask(condition));
  const passed = all.filter((trace) => trace.passed).length;
  return { all, passed, actual: `${passed} of ${all.length} passed` };
}
