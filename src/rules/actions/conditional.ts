// `conditional`: runs one of several lists of actions, chosen by conditions.
import { Type } from "@sinclair/typebox";
import { checkOneOf, invalid } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { branchFields, innerList, passes, shown } from "../model/flow.ts";

export const conditional = defineAction({
  type: "conditional",
  doc: "Runs `then_actions` if its condition passes, else those of the first `else_if` whose condition passes, else `else_actions`.",
  whenInterrupted: () => "resume",
  fields: ({ action, condition }) => ({
    ...branchFields(condition),
    then_actions: Type.Array(action, { description: "Run if the condition passes" }),
    else_if: Type.Optional(
      Type.Array(
        Type.Object(
          {
            ...branchFields(condition),
            then_actions: Type.Array(action, { description: "Run if the condition passes" }),
          },
          { additionalProperties: false },
        ),
        { maxItems: 100, description: "Evaluated one after the other if the condition does not pass" },
      ),
    ),
    else_actions: Type.Optional(innerList(action, "Run if no condition passes")),
  }),
  check({ else_if = [], ...first }) {
    checkOneOf(first, ["condition", "conditions"]);
    for (const [index, branch] of else_if.entries()) {
      if ((branch.condition === undefined) === (branch.conditions === undefined)) {
        throw invalid(`else_if[${index}]`, "give either `condition` or `conditions`");
      }
    }
  },
  async run({ else_if = [], else_actions, ...first }, scope) {
    const branches = [
      { name: "then", ...first },
      ...else_if.map((branch, at) => ({ name: `else_if[${at}]`, ...branch })),
    ];
    const resumed = scope.resumed();
    const index = typeof resumed === "number" ? resumed : branches.findIndex((branch) => passes(branch, scope));
    scope.progress(index);
    const taken = branches[index];
    if (taken) {
      await scope.run(taken.then_actions);
      return `${taken.name}: ${shown(taken)} passed`;
    }
    if (!else_actions) return `nothing: ${shown(first)} did not pass`;
    await scope.run(else_actions);
    return `else: ${shown(first)} did not pass`;
  },
  example: {
    condition: "current_hour() < 12",
    then_actions: [{ type: "activate_scene", scene_id: "morning" }],
    else_if: [
      {
        conditions: [{ type: "mode_is", mode_id: "night" }],
        then_actions: [{ type: "activate_scene", scene_id: "night" }],
      },
    ],
    else_actions: [{ type: "activate_scene", scene_id: "day" }],
  },
});
