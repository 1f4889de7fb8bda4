// Whether a rule was written by homeCore. Its serialiser names its structs, `Rule(…)` and `RuleAction(…)`, and writes three
// keys into every rule that are not ours.
import type { JsonObject } from "../../kit/schema/json.ts";

const ALWAYS_WRITTEN = ["log_events", "log_triggers", "log_actions"];
/** No rule of homeCore has these. */
const OURS = ["triggers", "description", "max_queued", "catch_up_secs", "durable", "use", "inputs"];

export function isHomeCores(rule: JsonObject, wrappers: ReadonlySet<string>): boolean {
  if (OURS.some((key) => Object.hasOwn(rule, key))) return false;
  const isNamed = wrappers.has("Rule") && wrappers.has("RuleAction");
  return isNamed || ALWAYS_WRITTEN.some((key) => Object.hasOwn(rule, key));
}
