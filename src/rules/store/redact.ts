// Traces and problems of rules for people who may not see secrets: secret values are masked, everything else stays.
import { MASK, maskedText, namesSecret } from "../../kit/text/masking.ts";
import { redactedTrigger } from "../../server/events/redact.ts";
import type { ActionTrace, ConditionTrace, Trace } from "../model/trace.ts";
import type { RuleInfo } from "./describe.ts";

/** Their `detail` is what they sent. MQTT traffic and the log are only for administrators. */
const HIDDEN_DETAILS = new Set(["publish_mqtt", "log_message"]);

export function redactedTrace(trace: Trace): Trace {
  const trigger = redactedTrigger(trace.trigger) as Trace["trigger"];
  return {
    ...trace,
    trigger,
    why: redactedWhy(trace, trigger.label),
    conditions: trace.conditions.map(redactedCondition),
    actions: trace.actions.map(redactedAction),
  };
}

/** Without the lines of its file, which may contain anything. */
export function redactedInfo(info: RuleInfo): RuleInfo {
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

// The text of a failed condition contains the value that was found, perhaps without quotes.
function redactedWhy({ why, trigger, conditions, outcome }: Trace, label: string): string {
  const failed = conditions.find(({ passed }) => !passed);
  if (outcome === "conditions_failed" && failed && isAboutSecret(failed)) return `${failed.type} did not pass`;
  return maskedText(why.replace(trigger.label, () => label));
}

function redactedCondition(condition: ConditionTrace): ConditionTrace {
  const { expected, actual, error, parts } = condition;
  const hidden = isAboutSecret(condition) && actual !== null && typeof actual !== "boolean";
  return {
    ...condition,
    expected: maskedText(expected),
    actual: hidden ? MASK : actual,
    ...(error === undefined ? {} : { error: maskedText(error) }),
    ...(parts && { parts: parts.map(redactedCondition) }),
  };
}

function isAboutSecret({ expected, error = "", parts = [] }: ConditionTrace): boolean {
  return namesSecret(expected) || namesSecret(error) || parts.some(isAboutSecret);
}

function redactedAction(action: ActionTrace): ActionTrace {
  const { type, detail, error, parts } = action;
  return {
    ...action,
    ...(detail === undefined ? {} : { detail: HIDDEN_DETAILS.has(type) ? MASK : maskedText(detail) }),
    ...(error === undefined ? {} : { error: maskedText(error) }),
    ...(parts && { parts: parts.map(redactedAction) }),
  };
}
