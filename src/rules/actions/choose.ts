// `choose`: runs the actions of the first choice whose conditions pass.
import { Type } from "@sinclair/typebox";
import { invalid } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { text } from "../model/fields.ts";
import { branchFields, innerList, passes, shown } from "../model/flow.ts";

const MAX_CHOICES = 100;

export const choose = defineAction({
  type: "choose",
  doc: "Runs the actions of the first of its choices whose conditions pass; `else_actions` if none does.",
  whenInterrupted: () => "resume",
  fields: ({ action, condition }) => ({
    choices: Type.Array(
      Type.Object(
        {
          name: Type.Optional(text("A name for the trace", { maxLength: 100 })),
          ...branchFields(condition),
          actions: Type.Array(action, { description: "Run one after the other if it is chosen" }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_CHOICES, description: "Evaluated one after the other, until one passes" },
    ),
    else_actions: Type.Optional(innerList(action, "Run if no choice passes")),
  }),
  check({ choices }) {
    for (const [index, { condition, conditions }] of choices.entries()) {
      if ((condition === undefined) === (conditions === undefined))
        throw invalid(`choices[${index}]`, "give either `condition` or `conditions`");
    }
  },
  async run({ choices, else_actions }, scope) {
    const resumed = scope.resumed();
    const index = typeof resumed === "number" ? resumed : choices.findIndex((choice) => passes(choice, scope));
    scope.progress(index);
    const chosen = choices[index];
    if (chosen) {
      await scope.run(chosen.actions);
      return `${chosen.name ?? `choice ${index + 1}`}: ${shown(chosen)} passed`;
    }
    if (!else_actions) return `nothing: none of ${choices.length} choices passed`;
    await scope.run(else_actions);
    return `else: none of ${choices.length} choices passed`;
  },
  example: {
    choices: [
      {
        name: "at night",
        conditions: [{ type: "mode_is", mode_id: "night" }],
        actions: [{ type: "activate_scene", scene_id: "dim" }],
      },
      { condition: "current_hour() < 12", actions: [{ type: "activate_scene", scene_id: "morning" }] },
    ],
    else_actions: [{ type: "activate_scene", scene_id: "bright" }],
  },
});
