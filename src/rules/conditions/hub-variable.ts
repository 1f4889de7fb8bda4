// `hub_variable`: the current value of a hub variable.
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { json, op, text } from "../model/fields.ts";
import { checkComparison, compare, comparisonText } from "../model/values.ts";

export const hubVariable = defineCondition({
  type: "hub_variable",
  doc: "Compares the current value of a variable. If it does not exist, it does not pass, even with `Ne`.",
  fields: () => ({ name: text("The name of the variable"), op, value: json("What to compare with") }),
  check: checkComparison,
  evaluate(spec, { host }: ConditionScope<"variable">) {
    const expected = `variable ${spec.name} ${comparisonText(spec)}`;
    const actual = host.variable(spec.name);
    if (actual === undefined) return { passed: false, expected, actual: `there is no variable "${spec.name}"` };
    return { expected, actual, ...compare(actual, spec) };
  },
  example: { name: "guests", op: "Gt", value: 0 },
});
