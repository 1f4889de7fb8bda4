// `stop_rule_chain`: the event that triggered this rule triggers no rules of lower priority.
import { defineAction } from "../model/define.ts";

export const stopRuleChain = defineAction({
  type: "stop_rule_chain",
  doc: "Keeps the event that triggered this rule from triggering rules of lower `priority`. Only before the first wait of the run: then those rules have been triggered already.",
  whenInterrupted: () => "repeat",
  fields: () => ({}),
  run(_, scope) {
    if (scope.stopRules()) return "rules of lower priority are not triggered by this event";
    return "nothing: no rules of lower priority are left to be triggered";
  },
  example: {},
});
