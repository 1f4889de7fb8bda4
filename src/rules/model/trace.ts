// The record of one evaluation of a rule: what triggered it, its conditions, its actions, and why it did not run if it did not.
import type { Json, JsonObject } from "../../kit/schema/json.ts";

export type Outcome =
  /** Conditions passed; actions ran or are running. */
  | "fired"
  /** A condition, `trigger_condition` or `required_expression` did not pass. */
  | "conditions_failed"
  /** Within `cooldown_secs` of the last time. */
  | "cooldown"
  /** Its run mode or a limit allows no further run now. */
  | "busy"
  /** A rule of higher priority kept the event from it by `stop_rule_chain`. */
  | "stopped"
  /** Paused by `pause_rule`. */
  | "paused"
  /** Too many runs in a short time, or rules that trigger each other endlessly. */
  | "runaway";

export interface ConditionTrace {
  type: string;
  passed: boolean;
  /** Text for people: `hall_lamp.on is true`. */
  expected: string;
  /** The value that was found, or a text that says why there is none. */
  actual: Json;
  error?: string;
  /** The conditions inside `and`, `or`, `xor` and `not`. */
  parts?: ConditionTrace[];
}

export interface ActionTrace {
  type: string;
  /** `queued`: what it sent is stored, and is tried again until it gets through. */
  result: "running" | "ok" | "queued" | "failed" | "skipped" | "cancelled";
  /** What was done, in a test what would be: `hall_lamp {"on":true}`. */
  detail?: string;
  error?: string;
  /** Epoch ms. */
  startedAt: number;
  durationMs?: number;
  /** The actions that ran inside it, in the order of their starts. */
  parts?: ActionTrace[];
}

export interface Trace {
  id: string;
  ruleId: string;
  /** Epoch ms. */
  at: number;
  dryRun: boolean;
  trigger: { type: string; label: string; context: JsonObject };
  outcome: Outcome;
  /** One sentence for people: why the rule ran or did not. */
  why: string;
  conditions: ConditionTrace[];
  actions: ActionTrace[];
  /** Number of actions that ran but are not listed, because there were too many. */
  omittedActions?: number;
  /** Epoch ms; undefined while the rule runs. */
  endedAt?: number;
}
