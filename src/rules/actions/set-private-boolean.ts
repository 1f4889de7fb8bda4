// `set_private_boolean`: remembers something for this rule alone, also over restarts.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { text } from "../model/fields.ts";

export const setPrivateBoolean = defineAction({
  type: "set_private_boolean",
  doc: "Sets a boolean that only this rule has, for `private_boolean_is`. It survives restarts.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    name: text("Its name, within this rule", { maxLength: 100 }),
    value: Type.Boolean({ description: "true or false" }),
  }),
  run({ name, value }, { privateBooleans }) {
    privateBooleans.set(name, value);
    return `${name} = ${value}`;
  },
  example: { name: "alarmed", value: true },
});
