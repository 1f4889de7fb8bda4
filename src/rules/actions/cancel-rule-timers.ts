// `cancel_rule_timers`: ends all delays of a rule, whatever their keys.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { name } from "../model/fields.ts";

export const cancelRuleTimers = defineAction({
  type: "cancel_rule_timers",
  doc: "Cancels all delays of a rule, and the rest of the runs that wait for them.",
  whenInterrupted: () => "repeat",
  fields: () => ({ rule_id: Type.Optional(name("rule", "The id of the rule; without it, this rule")) }),
  run({ rule_id }, { rules, ruleId }) {
    const count = rules.cancelDelays(rule_id ?? ruleId);
    return `${count} ${count === 1 ? "delay" : "delays"}`;
  },
  example: { rule_id: "11111111-1111-4111-8111-111111111111" },
});
