// `hub_variable`: what a variable of the house is now.
import { defineCondition } from "../define.ts";
import { json, op, text } from "../fields.ts";
import { checkComparison, compare, inWords } from "../values.ts";

export const hubVariable = defineCondition({
  type: "hub_variable",
  doc: "A variable compares so now. Of one that is not there nothing holds, not even `Ne`.",
  fields: () => ({ name: text("The name of the variable"), op, value: json("What to compare with") }),
  check: checkComparison,
  evaluate(spec, { host }) {
    const expected = `variable ${spec.name} ${inWords(spec)}`;
    const actual = host.variable(spec.name);
    if (actual === undefined) return { passed: false, expected, actual: `there is no variable "${spec.name}"` };
    return { expected, actual, ...compare(actual, spec) };
  },
  example: { name: "guests", op: "Gt", value: 0 },
});
