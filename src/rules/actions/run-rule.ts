// `run_rule`: runs another rule's actions.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { name } from "../model/fields.ts";

export const runRule = defineAction({
  type: "run_rule",
  doc: "Runs another rule's actions. Its triggers do not matter.",
  whenInterrupted: ({ wait }) => (wait ? "resume" : "skip"),
  fields: () => ({
    rule_id: name("rule", "The id of the rule"),
    conditions: Type.Boolean({ default: false, description: "Whether to run only if its conditions pass" }),
    wait: Type.Boolean({ default: true, description: "Whether to wait until it has run" }),
  }),
  async run({ rule_id, conditions, wait }, scope) {
    const goesOn = await scope.rules.awaitRun(rule_id);
    if (!goesOn && scope.resumed() !== undefined) return `rule ${rule_id}, which was over or could not go on`;
    if (!goesOn) await scope.rules.run(rule_id, { conditions, wait, onBegin: scope.progress });
    return `rule ${rule_id}${conditions ? ", if its conditions pass" : ""}`;
  },
  example: { rule_id: "11111111-1111-4111-8111-111111111111", conditions: true, wait: false },
});
