// `repeat_count`: runs actions a number of times.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { innerList, turnOf } from "../model/flow.ts";

export const repeatCount = defineAction({
  type: "repeat_count",
  doc: "Runs its actions a number of times.",
  whenInterrupted: () => "resume",
  fields: ({ action }) => ({
    count: Type.Integer({ minimum: 0, maximum: 10_000, description: "How many times" }),
    actions: innerList(action, "Run each time, one after the other"),
  }),
  async run({ count, actions }, scope) {
    for (let turn = turnOf(scope) ?? 0; turn < count; turn++) {
      scope.progress(turn);
      scope.turn();
      await scope.run(actions);
    }
    return `${count} times`;
  },
  example: {
    count: 3,
    actions: [
      { type: "set_device_state", device_id: "lamp", state: { on: true } },
      { type: "delay", duration_secs: 1 },
    ],
  },
});
