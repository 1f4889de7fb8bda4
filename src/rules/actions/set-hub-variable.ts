// `set_hub_variable`: writes a hub variable.
import { Type } from "@sinclair/typebox";
import { checkOneOf } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { expression, json, text } from "../model/fields.ts";
import { show } from "../model/values.ts";
import { changedBy, variableOp } from "../model/variable-op.ts";

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
