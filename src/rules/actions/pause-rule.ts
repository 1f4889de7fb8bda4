// `pause_rule`: a rule does not fire for a time, or until it is resumed.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../model/define.ts";
import { name, secs } from "../model/fields.ts";
import { msOf } from "../model/values.ts";

export const pauseRule = defineAction({
  type: "pause_rule",
  doc: "Keeps a rule from firing, for a time or until `resume_rule`.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    rule_id: name("rule", "The id of the rule"),
    duration_secs: Type.Optional(secs("For how long; without it, until it is resumed")),
  }),
  run({ rule_id, duration_secs }, { rules }) {
    rules.pause(rule_id, duration_secs === undefined ? undefined : msOf(duration_secs));
    return `rule ${rule_id} ${duration_secs === undefined ? "until it is resumed" : `for ${duration_secs} s`}`;
  },
  example: { rule_id: "11111111-1111-4111-8111-111111111111", duration_secs: 3600 },
});
