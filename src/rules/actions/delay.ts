// `delay`: waits. If it is cancelled, so is the rest of the run: the next actions must not run early.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import { parseDuration } from "../../kit/time/duration.ts";
import { checkOneOf } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { expression, secs, text, YEAR_SECS } from "../model/fields.ts";
import { msOf, show } from "../model/values.ts";

export const delay = defineAction({
  type: "delay",
  doc: "Waits before the next action. If `cancel_delays` cancels it, the rest of the run is cancelled too.",
  whenInterrupted: () => "resume",
  fields: () => ({
    duration_secs: Type.Optional(secs("How long")),
    expression: Type.Optional(expression("CEL that gives the seconds or a duration, instead of `duration_secs`")),
    key: Type.Optional(text("A name by which `cancel_delays` finds it", { maxLength: 200 })),
  }),
  check: (spec) => checkOneOf(spec, ["duration_secs", "expression"]),
  async run({ duration_secs, expression, key }, scope) {
    const wanted = duration_secs ?? secondsOf(scope.resumed() ?? scope.evaluate(expression ?? ""));
    if (duration_secs === undefined) scope.progress(wanted);
    if (!(await scope.delay(msOf(wanted), key))) scope.exit("its delay was cancelled");
    return `${wanted} s`;
  },
  example: { duration_secs: 300, key: "light" },
});

function secondsOf(value: unknown): number {
  const secs = typeof value === "string" ? parseDuration(value) : value;
  if (typeof secs === "number" && secs >= 0 && secs <= YEAR_SECS) return secs;
  throw new HubError(
    "invalid",
    `expression: must give seconds from 0 to ${YEAR_SECS} or a duration, and gave ${show(value)}`,
  );
}
