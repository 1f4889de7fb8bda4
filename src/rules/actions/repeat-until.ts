// `repeat_until`: runs actions until an expression is true.
import { defineAction } from "../model/define.ts";
import { expression } from "../model/fields.ts";
import { innerList, maxTurns, tooManyTurns, turnOf } from "../model/flow.ts";
import { shortened } from "../model/values.ts";

export const repeatUntil = defineAction({
  type: "repeat_until",
  doc: "Runs its actions, at least once, until an expression is true. It is evaluated after each turn.",
  whenInterrupted: () => "resume",
  fields: ({ action }) => ({
    expression: expression("CEL, true or false"),
    actions: innerList(action, "Run each time, one after the other"),
    max_turns: maxTurns,
  }),
  async run({ expression, actions, max_turns }, scope) {
    for (let turns = turnOf(scope) ?? 1; ; turns++) {
      scope.progress(turns);
      scope.turn();
      await scope.run(actions);
      if (scope.isTrue(expression)) return `${turns} times, until ${shortened(expression)} was true`;
      if (turns >= max_turns) throw tooManyTurns(max_turns, `${shortened(expression)} is still false`);
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
