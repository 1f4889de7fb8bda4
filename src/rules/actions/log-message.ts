// `log_message`: writes into the hub's log.
import { Type } from "@sinclair/typebox";
import { checkOneOf } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { choice, expression, text } from "../model/fields.ts";
import { shortened } from "../model/values.ts";

export const logMessage = defineAction({
  type: "log_message",
  doc: "Writes a line into the hub's log.",
  fields: () => ({
    message: Type.Optional(text("The text")),
    expression: Type.Optional(expression("CEL that gives the text, instead of `message`")),
    level: choice(["debug", "info", "warn", "error"], "The level", {
      default: "info",
      spellings: { warning: "warn" },
    }),
  }),
  check: (spec) => checkOneOf(spec, ["message", "expression"]),
  run({ message, expression, level }, scope) {
    const value = expression === undefined ? message : scope.evaluate(expression);
    const line = typeof value === "string" ? value : JSON.stringify(value);
    scope.log[level](line, { rule: scope.ruleName });
    return `${level}: ${shortened(line)}`;
  },
  example: { message: "It is 21 °C", level: "warn" },
});
