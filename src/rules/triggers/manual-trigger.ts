// `manual_trigger`: only a person or another rule runs the rule.
import { defineTrigger } from "../model/define.ts";

export const manualTrigger = defineTrigger({
  type: "manual_trigger",
  doc: "Never fires by itself: a person runs the rule through the API, or another rule by `run_rule`.",
  fields: {},
  label: () => "by hand",
  contextKeys: ["actor_name", "rule_id", "rule_name"],
  example: {},
});
