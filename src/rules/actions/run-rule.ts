// `run_rule`: runs another rule's actions.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { name } from "../model/fields.ts";

export const runRule = defineAction({
  type: "run_rule",
  doc: "Runs another rule's actions. Its triggers do not matter.",
  fields: () => ({
    rule_id: name("rule", "The id of the rule"),
    conditions: Type.Boolean({ default: false, description: "Whether to run only if its conditions pass" }),
    wait: Type.Boolean({ default: true, description: "Whether to wait until it has run" }),
  }),
  async run({ rule_id, conditions, wait }, { rules }) {
    await rules.run(rule_id, { conditions, wait });
    return `rule ${rule_id}${conditions ? ", if its conditions pass" : ""}`;
  },
  example: { rule_id: "11111111-1111-4111-8111-111111111111", conditions: true, wait: false },
});
