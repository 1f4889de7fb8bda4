// Why conditions did not pass, in one sentence for people: the conditions that decided it, however deep inside `and`, `or`,
// `xor` and `not` they are, each with what was found and what it must be.
import type { ConditionTrace, Trace } from "../model/trace.ts";

/** `lux was 45, must be below 30 (in "or", in "not")`; the inner group comes first. */
export function whyFailed(conditions: readonly ConditionTrace[]): string | undefined {
  const failed = conditions.filter(({ passed }) => !passed);
  const [first] = failed;
  if (!first) return undefined;
  const more = failed.length > 1 ? `; ${failed.length - 1} more did not pass` : "";
  return `${textOf(reasonFor(first, true))}${more}`;
}

/** `"Hall lamp" did not run: lux was 45, must be below 30`. */
export function sentenceFor(ruleName: string, { outcome, why }: Pick<Trace, "outcome" | "why">): string {
  return `"${ruleName}" ${outcome === "fired" ? "ran" : "did not run"}: ${why}`;
}

interface Reason {
  text: string;
  /** The groups around it, the inner one first. */
  inside: readonly string[];
}

const MAX_LISTED = 3;
const EXPRESSIONS = new Set(["expression", "trigger_condition", "required_expression"]);

/** `must`: whether it had to pass; inside a `not` it must not. It did the opposite. */
function reasonFor(trace: ConditionTrace, must: boolean): Reason {
  const { type, parts = [] } = trace;
  if (parts.length === 0) return { text: leafText(trace, must), inside: [] };
  if (type === "xor") return { text: xorText(parts, must), inside: [] };
  const mustInside = type === "not" ? !must : must;
  const decisive = parts.filter(({ passed }) => passed !== mustInside).map((part) => reasonFor(part, mustInside));
  const [only] = decisive;
  if (!only) return { text: leafText(trace, must), inside: [] };
  if (decisive.length === 1) return { text: only.text, inside: [...only.inside, type] };
  // One of them would have been enough where one that passes decides, and all of them otherwise.
  const joint = (type === "and") === must ? "; and " : "; or ";
  return { text: listed(decisive.map(textOf), joint), inside: [type] };
}

function textOf({ text, inside }: Reason): string {
  return inside.length === 0 ? text : `${text} (${inside.map((type) => `in "${type}"`).join(", ")})`;
}

function xorText(parts: readonly ConditionTrace[], must: boolean): string {
  const passed = parts.filter((part) => part.passed);
  const named = (passed.length === 0 ? parts : passed).map(({ expected }) => onOneLine(expected));
  const wanted = must ? "exactly one must" : "it must not be exactly one";
  return `${passed.length} of ${parts.length} passed, ${wanted}: ${listed(named, "; ")} (in "xor")`;
}

function leafText({ type, expected, actual, error }: ConditionTrace, must: boolean): string {
  const isExpression = EXPRESSIONS.has(type);
  const name = isExpression && type !== "expression" ? `${type} ` : "";
  const wanted = `${name}${onOneLine(isExpression ? expected.replace(/ is true$/, "") : expected)}`;
  if (error !== undefined) return `${wanted} could not be evaluated: ${error}`;
  if (isExpression) return `${wanted} was ${shown(actual)}, must be ${must}`;
  if (typeof actual === "string" && MISSING.test(actual)) return `${actual}; wanted: ${wanted}`;
  const { subject, state } = splitAt(wanted);
  const isText = typeof actual === "string" && state.includes('"');
  const found = isText ? JSON.stringify(actual) : shown(actual);
  return `${subject} was ${found}, ${mustBe(state, must)}`;
}

/** What conditions say in place of a value. */
const MISSING = /^(there is no |the device ".*" has no |no change of |none goes on|it is not known )/;

/** `hall.lux is below 30`: the subject, and what is said of it. */
function splitAt(wanted: string): { subject: string; state: string } {
  const [, subject = "it", state = wanted] = /^(.+?) (?:is (?=.)|(?=unchanged ))(.+)$/.exec(wanted) ?? [];
  return { subject, state };
}

function mustBe(state: string, must: boolean): string {
  const isNegative = state.startsWith("not ");
  const positive = isNegative ? state.slice(4) : state;
  return `${must === isNegative ? "must not be" : "must be"} ${positive}`;
}

function listed(texts: readonly string[], joint: string): string {
  const more = texts.length - MAX_LISTED;
  return more > 0 ? `${texts.slice(0, MAX_LISTED).join(joint)}${joint}${more} more` : texts.join(joint);
}

function shown(actual: ConditionTrace["actual"]): string {
  return typeof actual === "string" ? actual : JSON.stringify(actual);
}

/** Expressions in files are often written over several lines. */
function onOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}
