// `set_hub_variable`: writes a hub variable.
import { Type } from "@sinclair/typebox";
import { checkOneOf } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { expression, json, text } from "../model/fields.ts";
import { show } from "../model/values.ts";

export const setHubVariable = defineAction({
  type: "set_hub_variable",
  doc: "Writes a hub variable.",
  whenInterrupted: ({ expression }) => (expression === undefined ? "repeat" : "skip"),
  fields: () => ({
    name: text("The name of the variable"),
    value: Type.Optional(json("Any JSON")),
    expression: Type.Optional(expression('CEL that gives the value, instead of `value`, such as hub_var("count") + 1')),
  }),
  check: (spec) => checkOneOf(spec, ["value", "expression"]),
  run({ name, value, expression }, scope) {
    const written = expression === undefined ? (value ?? null) : scope.evaluate(expression);
    scope.host.setVariable(name, written);
    return `${name} = ${show(written)}`;
  },
  example: { name: "count", expression: "hub_var('count') + 1" },
});
