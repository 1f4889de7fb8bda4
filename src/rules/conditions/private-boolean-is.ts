// `private_boolean_is`: a boolean that this rule has set for itself.
import { Type } from "@sinclair/typebox";
import { defineCondition } from "../model/define.ts";
import { text } from "../model/fields.ts";

export const privateBooleanIs = defineCondition({
  type: "private_boolean_is",
  doc: "A private boolean of this rule, which `set_private_boolean` sets, has this value; one that was never set is false.",
  fields: () => ({
    name: text("Its name, within this rule", { maxLength: 100 }),
    value: Type.Boolean({ default: true, description: "The value it must have" }),
  }),
  evaluate({ name, value }, { privateBooleans }) {
    const actual = privateBooleans.get(name);
    return { passed: actual === value, expected: `${name} is ${value}`, actual };
  },
  example: { name: "alarmed", value: false },
});
