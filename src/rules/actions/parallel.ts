// `parallel`: runs actions at the same time, until all are done.
import { defineAction } from "../model/define.ts";
import { innerList } from "../model/flow.ts";

export const parallel = defineAction({
  type: "parallel",
  doc: "Runs its actions at the same time, until all are done. If one fails, the others continue.",
  whenInterrupted: () => "resume",
  fields: ({ action }) => ({ actions: innerList(action, "Run at the same time") }),
  async run({ actions }, scope) {
    // Waits for all, also if one of them ends the run, so that no promise is left unhandled.
    const results = await Promise.allSettled(actions.map((action, slot) => scope.run([action], slot)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return `${actions.length} at the same time`;
  },
  example: {
    actions: [
      { type: "notify", channel: "log", message: "on" },
      { type: "set_mode", mode_id: "night", on: true },
    ],
  },
});
