// `set_variable`: sets a variable of this run, which its later actions find in `vars`.
import { Type } from "@sinclair/typebox";
import { checkOneOf } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { expression, json, text } from "../model/fields.ts";
import { show } from "../model/values.ts";
import { setVariable as set } from "../model/variables.ts";

export const setVariable = defineAction({
  type: "set_variable",
  doc: "Sets a variable of this run, `vars.<name>`. Other runs and rules do not see it.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    name: text("The name of the variable", { maxLength: 100 }),
    value: Type.Optional(json("Any JSON")),
    expression: Type.Optional(expression("CEL that gives the value, instead of `value`, such as vars.count + 1")),
  }),
  check: (spec) => checkOneOf(spec, ["value", "expression"]),
  run({ name, value, expression }, scope) {
    const written = expression === undefined ? (value ?? null) : scope.evaluate(expression);
    set(scope, name, written);
    return `vars.${name} = ${show(written)}`;
  },
  example: { name: "warmest", expression: "max(devices('', 'thermometer').map(d, d.temperature))" },
});
