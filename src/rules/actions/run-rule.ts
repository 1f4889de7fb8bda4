// `run_rule`: runs another rule's actions.
import { Type } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { jsonBytes } from "../../kit/schema/memory-size.ts";
import { checkNotBoth, invalid } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { expression, name, table } from "../model/fields.ts";
import { show } from "../model/values.ts";

const MAX_BYTES = 16_384;

export const runRule = defineAction({
  type: "run_rule",
  doc: "Runs another rule's actions. Its triggers do not matter.",
  whenInterrupted: ({ wait }) => (wait ? "resume" : "skip"),
  fields: () => ({
    rule_id: name("rule", "The id of the rule"),
    conditions: Type.Boolean({ default: false, description: "Whether to run only if its conditions pass" }),
    wait: Type.Boolean({ default: true, description: "Whether to wait until it has run" }),
    parameters: Type.Optional(
      table("What the run finds in `vars`; each goes before the one of that name in the rule's `variables`"),
    ),
    expression: Type.Optional(expression("CEL that gives the parameters as a map, instead of `parameters`")),
  }),
  check(spec) {
    checkNotBoth(spec, ["parameters", "expression"]);
    if (jsonBytes(spec.parameters ?? {}) > MAX_BYTES)
      throw invalid("parameters", `must have at most ${MAX_BYTES} bytes`);
  },
  async run({ rule_id, conditions, wait, parameters, expression }, scope) {
    const goesOn = await scope.rules.awaitRun(rule_id);
    if (!goesOn && scope.resumed() !== undefined) return `rule ${rule_id}, which was over or could not go on`;
    const given = expression === undefined ? parameters : mapOf(scope.evaluate(expression));
    if (!goesOn) await scope.rules.run(rule_id, { conditions, wait, parameters: given, onBegin: scope.progress });
    return `rule ${rule_id}${conditions ? ", if its conditions pass" : ""}${given ? `, with ${show(given)}` : ""}`;
  },
  example: {
    rule_id: "11111111-1111-4111-8111-111111111111",
    conditions: true,
    wait: false,
    parameters: { lamp: "hall_lamp", minutes: 5 },
  },
});

function mapOf(value: unknown): JsonObject {
  if (isObject(value) && jsonBytes(value) <= MAX_BYTES) return value;
  throw invalid("expression", `must give a map of at most ${MAX_BYTES} bytes, and gave ${show(value)}`);
}
