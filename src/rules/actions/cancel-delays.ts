// `cancel_delays`: what a rule has put off is not done.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../define.ts";
import { name, text } from "../fields.ts";

export const cancelDelays = defineAction({
  type: "cancel_delays",
  doc: "Cancels the delays of a rule, and with them what would have come after.",
  fields: () => ({
    rule_id: Type.Optional(name("rule", "The id of the rule; this one when absent")),
    key: Type.Optional(text("Only delays of this key; all when absent", { maxLength: 200 })),
  }),
  run({ rule_id, key }, { rules, ruleId }) {
    const count = rules.cancelDelays(rule_id ?? ruleId, key);
    return `${count} ${count === 1 ? "delay" : "delays"}`;
  },
  example: { rule_id: "11111111-1111-4111-8111-111111111111", key: "light" },
});
