// Traces and problems of rules as those see them who may not see secrets. What happened and why stays; values that are
// secret do not.
import { MASK, maskedText, namesSecret } from "../core/masking.ts";
import { veiledTrigger } from "../events/veil.ts";
import type { RuleInfo } from "./store/describe.ts";
import type { ActionTrace, ConditionTrace, Trace } from "./trace.ts";

/** Actions whose `detail` is what they sent or wrote: MQTT traffic and the log are for administrators. */
const SENDS = new Set(["publish_mqtt", "log_message"]);

export function veiledTrace(trace: Trace): Trace {
  const trigger = veiledTrigger(trace.trigger) as Trace["trigger"];
  return {
    ...trace,
    trigger,
    why: veiledWhy(trace, trigger.label),
    conditions: trace.conditions.map(veiledCondition),
    actions: trace.actions.map(veiledAction),
  };
}

/** Without the lines of its file; those may hold anything. */
export function veiledInfo(info: RuleInfo): RuleInfo {
  const { last_error } = info.activity;
  return {
    ...info,
    problems: info.problems.map((problem) => ({ ...problem, frame: "", message: maskedText(problem.message) })),
    warnings: info.warnings.map(({ message, path, line, column }) => ({
      message: maskedText(message),
      ...(path === undefined ? {} : { path }),
      line,
      column,
    })),
    activity: {
      ...info.activity,
      last_error: last_error && { ...last_error, message: maskedText(last_error.message) },
    },
  };
}

// A condition that did not hold is told with what was found, and that may stand there without quotes.
function veiledWhy({ why, trigger, conditions, outcome }: Trace, label: string): string {
  const failed = conditions.find(({ passed }) => !passed);
  if (outcome === "conditions_failed" && failed && isAboutSecret(failed)) return `${failed.type} did not hold`;
  return maskedText(why.replace(trigger.label, () => label));
}

function veiledCondition(condition: ConditionTrace): ConditionTrace {
  const { expected, actual, error, parts } = condition;
  const hidden = isAboutSecret(condition) && actual !== null && typeof actual !== "boolean";
  return {
    ...condition,
    expected: maskedText(expected),
    actual: hidden ? MASK : actual,
    ...(error === undefined ? {} : { error: maskedText(error) }),
    ...(parts && { parts: parts.map(veiledCondition) }),
  };
}

function isAboutSecret({ expected, error = "", parts = [] }: ConditionTrace): boolean {
  return namesSecret(expected) || namesSecret(error) || parts.some(isAboutSecret);
}

function veiledAction(action: ActionTrace): ActionTrace {
  const { type, detail, error, parts } = action;
  return {
    ...action,
    ...(detail === undefined ? {} : { detail: SENDS.has(type) ? MASK : maskedText(detail) }),
    ...(error === undefined ? {} : { error: maskedText(error) }),
    ...(parts && { parts: parts.map(veiledAction) }),
  };
}
