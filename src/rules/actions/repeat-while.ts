// `repeat_while`: the same actions as long as something holds. A dry run takes one turn: what would end it does not happen.
import { defineAction } from "../define.ts";
import { expression } from "../fields.ts";
import { maxTurns, tooManyTurns } from "../loops.ts";
import { actionList } from "../sequences.ts";
import { shortened } from "../values.ts";

export const repeatWhile = defineAction({
  type: "repeat_while",
  doc: "Runs its actions again and again as long as an expression holds, asked before each turn.",
  fields: ({ action }) => ({
    expression: expression("CEL, true or false"),
    actions: actionList(action, "Run each time, one after the other"),
    max_turns: maxTurns,
  }),
  async run({ expression, actions, max_turns }, scope) {
    let turns = 0;
    while (scope.holds(expression)) {
      if (turns >= max_turns) throw tooManyTurns(max_turns, `${shortened(expression)} still holds`);
      scope.turn();
      await scope.run(actions);
      turns++;
      if (scope.dryRun) return `would run while ${shortened(expression)}: one turn is shown`;
    }
    return `${turns} times, until ${shortened(expression)} no longer held`;
  },
  example: {
    expression: "device_state('door').open",
    actions: [
      { type: "log_message", message: "open" },
      { type: "delay", duration_secs: 60 },
    ],
    max_turns: 30,
  },
});
