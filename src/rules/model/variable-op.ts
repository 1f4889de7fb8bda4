// What an action may do to the value of a variable. One that was not set counts as 0, or as false.
import type { Json } from "../../kit/schema/json.ts";
import { invalid } from "./checks.ts";
import { choice } from "./fields.ts";

export const VARIABLE_OPS = ["set", "add", "subtract", "multiply", "divide", "toggle"] as const;
export type VariableOp = (typeof VARIABLE_OPS)[number];

export const variableOp = choice(
  VARIABLE_OPS,
  "What to do with the value: set it, change the number by it, or toggle true and false without one",
  { default: "set" },
);

const ARITHMETIC: Partial<Record<VariableOp, (now: number, by: number) => number>> = {
  add: (now, by) => now + by,
  subtract: (now, by) => now - by,
  multiply: (now, by) => now * by,
  divide: (now, by) => now / by,
};

/** Throws HubError `invalid` for what is not a number, and for a division by 0. */
export function changedBy(op: VariableOp, now: Json | undefined, by: Json): Json {
  if (op === "set") return by;
  if (op === "toggle") return now !== true;
  if (typeof by !== "number") throw invalid("value", `must be a number for the op ${op}`);
  if (op === "divide" && by === 0) throw invalid("value", "nothing can be divided by 0");
  return ARITHMETIC[op]?.(typeof now === "number" ? now : 0, by) ?? by;
}
