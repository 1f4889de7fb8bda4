// `log_message`: writes into the hub's log.
import { Type } from "@sinclair/typebox";
import { checkOneOf } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { choice, expression, TEMPLATE, text } from "../model/fields.ts";
import { type FillUses, filled, unknownText } from "../model/messages.ts";
import { shortened } from "../model/values.ts";

export const logMessage = defineAction({
  type: "log_message",
  doc: "Writes a line into the hub's log.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    message: Type.Optional(text("The text, with placeholders as in messages", { [TEMPLATE]: "own" })),
    expression: Type.Optional(expression("CEL that gives the text, instead of `message`")),
    level: choice(["debug", "info", "warn", "error"], "The level", {
      default: "info",
      spellings: { warning: "warn", trace: "debug" },
    }),
  }),
  check: (spec) => checkOneOf(spec, ["message", "expression"]),
  run({ message, expression, level }, scope: ActionScope<FillUses>) {
    const text = filled(message ?? "", scope);
    const value = expression === undefined ? text.value : scope.evaluate(expression);
    const line = typeof value === "string" ? value : JSON.stringify(value);
    scope.log[level](line, { rule: scope.ruleName });
    return `${level}: ${shortened(line)}${unknownText(text)}`;
  },
  example: { message: "It is {{= round(device_state('sensor').temperature, 1) }} °C", level: "warn" },
});
