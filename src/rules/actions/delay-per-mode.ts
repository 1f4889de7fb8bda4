// `delay_per_mode`: how long it waits depends on the mode of the house.
import { Type } from "@sinclair/typebox";
import { type ActionScope, defineAction } from "../model/define.ts";
import { KEYS_NAME, secs } from "../model/fields.ts";
import { msOf } from "../model/values.ts";

export const delayPerMode = defineAction({
  type: "delay_per_mode",
  doc: "Waits for as long as the first mode in the list that is on says; for `default` if none is. 0 does not wait.",
  whenInterrupted: () => "resume",
  fields: () => ({
    durations: Type.Record(Type.String(), secs("How long in this mode"), {
      minProperties: 1,
      maxProperties: 100,
      [KEYS_NAME]: "mode",
      problem: "must be a table of mode ids and seconds",
      description: "Seconds by mode id; the first mode that is on counts",
    }),
    default: Type.Optional(secs("How long if none of these modes is on; without it, it does not wait")),
  }),
  async run({ durations, default: fallback }, scope: ActionScope<"mode">) {
    // After a restart it goes on as it began, whatever the mode is now.
    const begun = scope.resumed();
    const first = Object.keys(durations).find((id) => scope.host.mode(id));
    const mode = begun === undefined ? first : typeof begun === "string" ? begun : undefined;
    scope.progress(mode ?? null);
    const wanted = mode === undefined ? fallback : durations[mode];
    const why = mode === undefined ? "no mode is on" : `mode ${mode} is on`;
    if (!wanted) return `no wait: ${why}`;
    if (!(await scope.delay(msOf(wanted)))) scope.exit("its delay was cancelled");
    return `${wanted} s: ${why}`;
  },
  example: { durations: { night: 300, away: 0 }, default: 60 },
});
