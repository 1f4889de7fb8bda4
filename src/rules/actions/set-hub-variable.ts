// `set_hub_variable`: writes a hub variable.
import { Type } from "@sinclair/typebox";
import type { Json } from "../../kit/schema/json.ts";
import { checkOneOf, invalid } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { choice, expression, json, text } from "../model/fields.ts";
import { show } from "../model/values.ts";

/** What an action may do to the value of a variable. One that was not set counts as 0, or as false. */
const VARIABLE_OPS = ["set", "add", "subtract", "multiply", "divide", "toggle"] as const;
type VariableOp = (typeof VARIABLE_OPS)[number];

const variableOp = choice(
  VARIABLE_OPS,
  "What to do with the value: set it, change the number by it, or toggle true and false without one",
  { default: "set" },
);

export const setHubVariable = defineAction({
  type: "set_hub_variable",
  doc: "Writes a hub variable, or changes its value.",
  whenInterrupted: ({ expression, op }) => (expression === undefined && op === undefined ? "repeat" : "skip"),
  fields: () => ({
    name: text("The name of the variable"),
    value: Type.Optional(json("Any JSON")),
    op: variableOp,
    expression: Type.Optional(expression('CEL that gives the value, instead of `value`, such as hub_var("count") + 1')),
  }),
  check(spec) {
    if (spec.op === "toggle") return;
    checkOneOf(spec, ["value", "expression"]);
    if (spec.op !== "set" && spec.expression === undefined) changedBy(spec.op, 0, spec.value ?? null);
  },
  run({ name, value, op, expression }, scope: ActionScope<"variable" | "setVariable">) {
    const given = expression === undefined ? (value ?? null) : scope.evaluate(expression);
    const written = changedBy(op, scope.host.variable(name), given);
    scope.host.setVariable(name, written);
    return `${name} = ${show(written)}`;
  },
  example: { name: "count", op: "add", expression: "hub_var('step')" },
});

const ARITHMETIC: Partial<Record<VariableOp, (now: number, by: number) => number>> = {
  add: (now, by) => now + by,
  subtract: (now, by) => now - by,
  multiply: (now, by) => now * by,
  divide: (now, by) => now / by,
};

/** Throws HubError `invalid` for what is not a number, and for a division by 0. */
function changedBy(op: VariableOp, now: Json | undefined, by: Json): Json {
  if (op === "set") return by;
  if (op === "toggle") return now !== true;
  if (typeof by !== "number") throw invalid("value", `must be a number for the op ${op}`);
  if (op === "divide" && by === 0) throw invalid("value", "nothing can be divided by 0");
  return ARITHMETIC[op]?.(typeof now === "number" ? now : 0, by) ?? by;
}
