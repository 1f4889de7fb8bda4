// `parallel`: actions that run together. It is over when all of them are.
import { defineAction } from "../define.ts";
import { actionList } from "../sequences.ts";

export const parallel = defineAction({
  type: "parallel",
  doc: "Runs its actions together, and goes on when all are done. One that fails stops no other.",
  fields: ({ action }) => ({ actions: actionList(action, "They run at the same time") }),
  async run({ actions }, scope) {
    // All are waited for, also when one of them ends the run: nothing is left behind that nobody waits for.
    const ends = await Promise.allSettled(actions.map((action) => scope.run([action])));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return `${actions.length} at the same time`;
  },
  example: {
    actions: [
      { type: "notify", channel: "log", message: "on" },
      { type: "set_mode", mode_id: "night", on: true },
    ],
  },
});
