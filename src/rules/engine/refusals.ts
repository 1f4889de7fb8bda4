// Why a rule does not run although it was triggered, in the order of the checks, each with a reason for people.
import { jsonBytes } from "../../kit/schema/memory-size.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { msSince } from "../../kit/time/durable-moment.ts";
import type { ConditionScope, TriggerContext } from "../model/define.ts";
import type { ConditionTrace, Outcome } from "../model/trace.ts";
import type { Rule } from "../read/rule.ts";
import { type Dispatch, type Entry, type FiringRate, pauseLeftMs } from "./entry.ts";
import { askExpression } from "./scope.ts";
import { whyFailed } from "./why.ts";

export interface Refusal {
  outcome: Exclude<Outcome, "fired">;
  why: string;
  /** The limit that the rule reached, where the run is one that its author wanted. */
  limit?: string;
}

export const BLOCKED_MS = 60_000;
const MAX_PARALLEL = 20;
const RATE_WINDOW_MS = 10_000;
const MAX_CAUSED = 50;
// A power meter that reports ten times a second is not a fault of the rule that reads it.
const MAX_FIRED = 500;

/** A rule of higher priority said that the event ends with it. */
export function stopped({ priority }: Rule, dispatch: Dispatch | undefined): Refusal | undefined {
  const stop = dispatch?.stopped;
  if (!stop || priority >= stop.below) return undefined;
  const why = `the rule "${stop.by}" of higher priority keeps this event from rules below ${stop.below}`;
  return { outcome: "stopped", why };
}

export function blocked(clock: Clock, entry: Entry): Refusal | undefined {
  const leftMs = entry.blockedUntil - clock.mono();
  if (leftMs <= 0) return undefined;
  const why = `it fired too often and is blocked for another ${secs(leftMs)}: ${entry.lastError?.message}`;
  return { outcome: "runaway", why };
}

export function paused(clock: Clock, entry: Entry): Refusal | undefined {
  const leftMs = pauseLeftMs(clock, entry);
  if (leftMs === undefined) return undefined;
  const until = leftMs === Number.POSITIVE_INFINITY ? "until it is resumed" : `for another ${secs(leftMs)}`;
  return { outcome: "paused", why: `it is paused ${until}` };
}

export function heldBack(why: string | undefined): Refusal | undefined {
  return why === undefined ? undefined : { outcome: "paused", why };
}

export function coolingDown(clock: Clock, { rule, persisted }: Entry): Refusal | undefined {
  if (!persisted.fired || rule.cooldown_secs <= 0) return undefined;
  const elapsedMs = msSince(clock, persisted.fired);
  const leftMs = rule.cooldown_secs * 1000 - elapsedMs;
  if (leftMs <= 0) return undefined;
  const why = `it fired ${secs(elapsedMs)} ago and has a cooldown of ${rule.cooldown_secs} s: another ${secs(leftMs)}`;
  return { outcome: "cooldown", why };
}

export function busy({ rule, running, queue }: Entry): Refusal | undefined {
  switch (rule.run_mode) {
    case "parallel":
      if (running.size < MAX_PARALLEL) return undefined;
      return {
        ...{ outcome: "busy", limit: 'run_mode = "parallel"' },
        why: `it is already running ${running.size} times, which is the limit`,
      };
    case "single":
      if (running.size === 0) return undefined;
      return { outcome: "busy", why: "its last run is not over, and its run mode is single" };
    case "queued":
      if (running.size === 0 || queue.length < rule.max_queued) return undefined;
      return {
        ...{ outcome: "busy", limit: "max_queued" },
        why: `its last run is not over, and its queue of ${rule.max_queued} is full`,
      };
    case "restart":
      return undefined;
  }
}

/** Evaluates `trigger_condition`, before all other conditions. */
export function askTriggerCondition(rule: Rule, scope: ConditionScope): ConditionTrace[] {
  return rule.trigger_condition ? [askExpression("trigger_condition", rule.trigger_condition, scope)] : [];
}

/** Evaluates all conditions, also after one that did not pass, so that people see every reason at once. */
export function askConditions(rule: Rule, scope: ConditionScope): ConditionTrace[] {
  const asked = rule.conditions.map((condition) => scope.ask(condition));
  if (rule.required_expression) asked.unshift(askExpression("required_expression", rule.required_expression, scope));
  return asked;
}

/** The refusal if one of the conditions did not pass. */
export function failedConditions(conditions: readonly ConditionTrace[]): Refusal | undefined {
  const why = whyFailed(conditions);
  return why === undefined ? undefined : { outcome: "conditions_failed", why };
}

/** Counts one firing. Returns what is wrong if there were too many. */
export function countFiring(rate: FiringRate, mono: number, caused: boolean): string | undefined {
  if (mono - rate.windowStart >= RATE_WINDOW_MS) Object.assign(rate, { windowStart: mono, fired: 0, caused: 0 });
  rate.fired++;
  if (caused) rate.caused++;
  const window = `within ${RATE_WINDOW_MS / 1000} s`;
  if (rate.caused > MAX_CAUSED) return `rules triggered it more than ${MAX_CAUSED} times ${window}`;
  if (rate.fired > MAX_FIRED) return `it fired more than ${MAX_FIRED} times ${window}`;
  return undefined;
}

/** Limits the memory for trigger contexts: each run holds its own until it ends, perhaps hours later. */
export interface RunQuota {
  refusal(context: TriggerContext): Refusal | undefined;
  /** Counts the context until it is disposed. */
  take(context: TriggerContext): Disposable;
}

const RUN_BYTES = 2048;
const MAX_CONTEXT_BYTES = 16 * 1_048_576;

export function createRunQuota({ maxBytes = MAX_CONTEXT_BYTES }: { maxBytes?: number }): RunQuota {
  let used = 0;
  const bytesOf = (context: TriggerContext): number => RUN_BYTES + jsonBytes(context);
  return {
    refusal(context) {
      if (used + bytesOf(context) <= maxBytes) return undefined;
      const why = "the data of the active and queued runs takes too much memory: no further run is started";
      return { outcome: "busy", why, limit: "[rules] max_running_mb" };
    },
    take(context) {
      let bytes = bytesOf(context);
      used += bytes;
      return {
        [Symbol.dispose]() {
          used -= bytes;
          bytes = 0;
        },
      };
    },
  };
}

/** `0.25 s`, `480 s`. */
function secs(ms: number): string {
  return `${Math.ceil(ms) / 1000} s`;
}
