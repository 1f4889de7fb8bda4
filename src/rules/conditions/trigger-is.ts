// `trigger_is`: which of the rule's triggers fired, by the `id` that the rule gave it.
import { Type } from "@sinclair/typebox";
import { defineCondition } from "../model/define.ts";
import { triggerId } from "../model/fields.ts";
import { matchesValue, showChoice } from "../model/values.ts";

export const triggerIs = defineCondition({
  type: "trigger_is",
  doc: "The trigger that fired has this `id`. Of a run by hand it never passes.",
  fields: () => ({
    ids: Type.Union([triggerId, Type.Array(triggerId, { minItems: 1, maxItems: 50 })], {
      description: "The `id` of a trigger of this rule, or a list of which any will do",
      expected: "the `id` of a trigger, or a list of them",
    }),
  }),
  evaluate({ ids }, { trigger }) {
    const { id } = trigger;
    const named = typeof id === "string" && id !== "";
    return {
      passed: named && matchesValue(id, ids),
      expected: `the trigger is ${showChoice(ids)}`,
      actual: named ? id : "there is no id at what fired it",
    };
  },
  example: { ids: ["door", "window"] },
});
