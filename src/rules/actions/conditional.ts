// `conditional`: one of several sequences, by what holds now.
import { type TUnsafe, Type } from "@sinclair/typebox";
import { type ActionScope, defineAction, type Typed } from "../define.ts";
import { expression } from "../fields.ts";
import { actionList } from "../sequences.ts";
import { checkOneOf, refusal, shortened } from "../values.ts";

interface Question {
  condition?: string | undefined;
  conditions?: Typed[] | undefined;
}

const question = (condition: TUnsafe<Typed>) => ({
  condition: Type.Optional(expression("CEL, true or false")),
  conditions: Type.Optional(
    Type.Array(condition, { minItems: 1, description: "Conditions that all must pass, instead of `condition`" }),
  ),
});

export const conditional = defineAction({
  type: "conditional",
  doc: "Runs `then_actions` if its condition holds, else the first of `else_if` whose condition holds, else `else_actions`.",
  fields: ({ action, condition }) => ({
    ...question(condition),
    then_actions: Type.Array(action, { description: "Run when it holds" }),
    else_if: Type.Optional(
      Type.Array(
        Type.Object(
          { ...question(condition), then_actions: Type.Array(action, { description: "Run when it holds" }) },
          { additionalProperties: false },
        ),
        { maxItems: 100, description: "Asked one after the other when it does not hold" },
      ),
    ),
    else_actions: Type.Optional(actionList(action, "Run when nothing holds")),
  }),
  check({ else_if = [], ...first }) {
    checkOneOf(first, ["condition", "conditions"]);
    for (const [index, branch] of else_if.entries()) {
      if ((branch.condition === undefined) === (branch.conditions === undefined)) {
        throw refusal(`else_if[${index}]`, "give either `condition` or `conditions`");
      }
    }
  },
  async run({ else_if = [], else_actions, ...first }, scope) {
    const branches = [
      { name: "then", ...first },
      ...else_if.map((branch, at) => ({ name: `else_if[${at}]`, ...branch })),
    ];
    const taken = branches.find((branch) => holds(branch, scope));
    if (taken) {
      await scope.run(taken.then_actions);
      return `${taken.name}: ${shown(taken)} holds`;
    }
    if (!else_actions) return `nothing: ${shown(first)} does not hold`;
    await scope.run(else_actions);
    return `else: ${shown(first)} does not hold`;
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

function holds({ condition, conditions = [] }: Question, scope: ActionScope): boolean {
  return condition === undefined ? conditions.every((one) => scope.ask(one).passed) : scope.holds(condition);
}

function shown({ condition, conditions = [] }: Question): string {
  return condition === undefined ? conditions.map(({ type }) => type).join(" and ") : shortened(condition);
}
