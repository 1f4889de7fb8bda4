// `mode_is`: whether a mode of the house is on.
import { Type } from "@sinclair/typebox";
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { name } from "../model/fields.ts";

export const modeIs = defineCondition({
  type: "mode_is",
  doc: "A mode is on, or off.",
  fields: () => ({
    mode_id: name("mode", "The id of the mode"),
    on: Type.Boolean({ default: true, description: "Whether it must be on (true) or off (false)" }),
  }),
  evaluate({ mode_id, on }, { host }: ConditionScope<"mode">) {
    const expected = `mode ${mode_id} is ${on ? "on" : "off"}`;
    const isOn = host.mode(mode_id);
    if (isOn === undefined) return { passed: false, expected, actual: `there is no mode "${mode_id}"` };
    return { passed: isOn === on, expected, actual: isOn ? "on" : "off" };
  },
  example: { mode_id: "night", on: false },
});
