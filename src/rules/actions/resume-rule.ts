// `resume_rule`: ends the pause of a rule.
import { defineAction } from "../model/define.ts";
import { name } from "../model/fields.ts";

export const resumeRule = defineAction({
  type: "resume_rule",
  doc: "Ends the pause of a rule.",
  whenInterrupted: () => "repeat",
  fields: () => ({ rule_id: name("rule", "The id of the rule") }),
  run({ rule_id }, { rules }) {
    rules.resume(rule_id);
    return `rule ${rule_id}`;
  },
  example: { rule_id: "11111111-1111-4111-8111-111111111111" },
});
