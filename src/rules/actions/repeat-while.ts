// `repeat_while`: runs actions while an expression is true.
import { defineAction } from "../model/define.ts";
import { expression } from "../model/fields.ts";
import { innerList, maxTurns, tooManyTurns, turnOf } from "../model/flow.ts";
import { shortened } from "../model/values.ts";

export const repeatWhile = defineAction({
  type: "repeat_while",
  doc: "Runs its actions again and again while an expression is true. It is evaluated before each turn.",
  whenInterrupted: () => "resume",
  fields: ({ action }) => ({
    expression: expression("CEL, true or false"),
    actions: innerList(action, "Run each time, one after the other"),
    max_turns: maxTurns,
  }),
  async run({ expression, actions, max_turns }, scope) {
    const resumed = turnOf(scope);
    let turns = resumed ?? 0;
    // The turn that the hub stopped in has begun, and is made to its end.
    while (turns === resumed || scope.isTrue(expression)) {
      if (turns >= max_turns) throw tooManyTurns(max_turns, `${shortened(expression)} is still true`);
      scope.progress(turns);
      scope.turn();
      await scope.run(actions);
      turns++;
    }
    return `${turns} times, until ${shortened(expression)} was false`;
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
