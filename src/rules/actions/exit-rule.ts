// `exit_rule`: ends the run without a failure.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { text } from "../model/fields.ts";

export const exitRule = defineAction({
  type: "exit_rule",
  doc: "Ends this run of the rule.",
  whenInterrupted: () => "repeat",
  fields: () => ({ reason: Type.Optional(text("Why, for the trace")) }),
  run: ({ reason = "exit_rule" }, scope) => scope.exit(reason),
  example: { reason: "nobody is here" },
});
