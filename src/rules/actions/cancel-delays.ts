// `cancel_delays`: ends the delays of a rule.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { name, text } from "../model/fields.ts";

export const cancelDelays = defineAction({
  type: "cancel_delays",
  doc: "Cancels the delays of a rule, and the rest of the runs that wait for them.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    rule_id: Type.Optional(name("rule", "The id of the rule; without it, this rule")),
    key: Type.Optional(text("Only delays with this key; without it, all", { maxLength: 200 })),
  }),
  run({ rule_id, key }, { rules, ruleId }) {
    const count = rules.cancelDelays(rule_id ?? ruleId, key);
    return `${count} ${count === 1 ? "delay" : "delays"}`;
  },
  example: { rule_id: "11111111-1111-4111-8111-111111111111", key: "light" },
});
