// What stands between a trigger and the actions, in the order of asking, and in words why it kept a rule from firing.
import type { Clock } from "../../core/clock.ts";
import type { ConditionScope } from "../define.ts";
import type { Rule } from "../rule.ts";
import type { ConditionTrace, Outcome } from "../trace.ts";
import type { Entry } from "./entry.ts";
import { msSince } from "./moment.ts";
import { askExpression } from "./scope.ts";

/** Why a rule does not fire. */
export interface Refusal {
  outcome: Exclude<Outcome, "fired">;
  why: string;
}

export const RUNAWAY_REST_MS = 60_000;
const MOST_PARALLEL = 20;

export function resting(clock: Clock, entry: Entry): Refusal | undefined {
  const leftMs = entry.restsUntil - clock.mono();
  if (leftMs <= 0) return undefined;
  return { outcome: "runaway", why: `it ran away, and rests for another ${secs(leftMs)}: ${entry.lastError?.message}` };
}

export function paused(clock: Clock, entry: Entry): Refusal | undefined {
  const leftMs = pauseLeftMs(clock, entry);
  if (leftMs === undefined) return undefined;
  const until = leftMs === Number.POSITIVE_INFINITY ? "until it is resumed" : `for another ${secs(leftMs)}`;
  return { outcome: "paused", why: `it is paused ${until}` };
}

/** Infinite until it is resumed; undefined when it is not paused. */
export function pauseLeftMs(clock: Clock, { remembered: { pause } }: Entry): number | undefined {
  if (!pause) return undefined;
  if (pause.ms === undefined) return Number.POSITIVE_INFINITY;
  const leftMs = pause.ms - msSince(clock, pause.since);
  return leftMs > 0 ? leftMs : undefined;
}

export function coolingDown(clock: Clock, { rule, remembered }: Entry): Refusal | undefined {
  if (!remembered.fired || rule.cooldown_secs <= 0) return undefined;
  const elapsedMs = msSince(clock, remembered.fired);
  const leftMs = rule.cooldown_secs * 1000 - elapsedMs;
  if (leftMs <= 0) return undefined;
  const why = `it fired ${secs(elapsedMs)} ago and stays quiet for ${rule.cooldown_secs} s: another ${secs(leftMs)}`;
  return { outcome: "cooldown", why };
}

export function busy({ rule, running, queue }: Entry): Refusal | undefined {
  switch (rule.run_mode) {
    case "parallel":
      if (running.size < MOST_PARALLEL) return undefined;
      return { outcome: "busy", why: `it is running ${running.size} times already, and more at once are not allowed` };
    case "single":
      if (running.size === 0) return undefined;
      return { outcome: "busy", why: "its last run is not over, and its run mode is single" };
    case "queued":
      if (running.size === 0 || queue.length < rule.max_queued) return undefined;
      return { outcome: "busy", why: `its last run is not over, and ${queue.length} wait already: the queue is full` };
    case "restart":
      return undefined;
  }
}

/** Asks `trigger_condition` alone: events for which it does not hold are none of the rule's. */
export function askTrigger(rule: Rule, scope: ConditionScope): ConditionTrace[] {
  return rule.trigger_condition ? [askExpression("trigger_condition", rule.trigger_condition, scope)] : [];
}

/** Asks all of them, also when one did not hold: a person wants to see every reason at once. */
export function askConditions(rule: Rule, scope: ConditionScope): ConditionTrace[] {
  const asked = rule.conditions.map((condition) => scope.ask(condition));
  if (rule.required_expression) asked.unshift(askExpression("required_expression", rule.required_expression, scope));
  return asked;
}

/** The refusal if one of the conditions did not hold. */
export function refusalOf(conditions: readonly ConditionTrace[]): Refusal | undefined {
  const failed = conditions.filter(({ passed }) => !passed);
  const [first] = failed;
  if (!first) return undefined;
  const found = first.error
    ? `it could not be told: ${first.error}`
    : `expected ${onOneLine(first.expected)}, found ${show(first)}`;
  const more = failed.length > 1 ? `; ${failed.length - 1} more did not hold` : "";
  return { outcome: "conditions_failed", why: `${first.type} did not hold: ${found}${more}` };
}

/** Why it fired. */
export function whyFired(label: string, conditions: readonly ConditionTrace[]): string {
  if (conditions.length === 0) return `${label}; there are no conditions`;
  return `${label}; ${conditions.length === 1 ? "the condition held" : `all ${conditions.length} conditions held`}`;
}

function show({ actual }: ConditionTrace): string {
  return typeof actual === "string" ? actual : JSON.stringify(actual);
}

/** Expressions of files are often written over several lines. */
function onOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}

/** To the millisecond where it matters: `0.25 s`, `480 s`. */
function secs(ms: number): string {
  return `${Math.ceil(ms) / 1000} s`;
}
