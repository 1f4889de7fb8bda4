// `repeat_until`: the same actions until something holds. A dry run takes one turn: what would end it does not happen.
import { defineAction } from "../define.ts";
import { expression } from "../fields.ts";
import { maxTurns, tooManyTurns } from "../loops.ts";
import { actionList } from "../sequences.ts";
import { shortened } from "../values.ts";

export const repeatUntil = defineAction({
  type: "repeat_until",
  doc: "Runs its actions, at least once, until an expression holds, asked after each turn.",
  fields: ({ action }) => ({
    expression: expression("CEL, true or false"),
    actions: actionList(action, "Run each time, one after the other"),
    max_turns: maxTurns,
  }),
  async run({ expression, actions, max_turns }, scope) {
    for (let turns = 1; ; turns++) {
      scope.turn();
      await scope.run(actions);
      if (scope.dryRun) return `would run until ${shortened(expression)}: one turn is shown`;
      if (scope.holds(expression)) return `${turns} times, until ${shortened(expression)} held`;
      if (turns >= max_turns) throw tooManyTurns(max_turns, `${shortened(expression)} still does not hold`);
    }
  },
  example: {
    expression: "device_state('lamp').on",
    actions: [
      { type: "set_device_state", device_id: "lamp", state: { on: true } },
      { type: "delay", duration_secs: 5 },
    ],
    max_turns: 3,
  },
});
