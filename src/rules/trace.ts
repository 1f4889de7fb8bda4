// The record of one evaluation: what set it off, what was asked, what was done, and if nothing was, why.
import type { Json, JsonObject } from "../core/json.ts";

export type Outcome =
  /** Conditions passed; actions ran or are running. */
  | "fired"
  /** A condition, `trigger_condition` or `required_expression` did not hold. */
  | "conditions_failed"
  /** Within `cooldown_secs` of the last time. */
  | "cooldown"
  /** `run_mode` single, and the last run is not over; or the queue is full. */
  | "busy"
  /** Paused by `pause_rule`. */
  | "paused"
  /** Too many runs in a short time, or rules that call each other without end. */
  | "runaway";

export interface ConditionTrace {
  type: string;
  passed: boolean;
  /** In words and values: `eq true`, `above 21`. */
  expected: string;
  /** What was found; the reason in words where nothing could be. */
  actual: Json;
  error?: string;
  /** Of `and`, `or`, `xor`, `not`. */
  parts?: ConditionTrace[];
}

export interface ActionTrace {
  type: string;
  result: "running" | "ok" | "failed" | "skipped" | "cancelled";
  /** What was done, or would be: `hall_lamp {"on":true}`. */
  detail?: string;
  error?: string;
  /** Epoch ms. */
  startedAt: number;
  durationMs?: number;
  /** What ran inside it, in the order of its start. */
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
  /** One sentence for people: why it ran, or why it did not. */
  why: string;
  conditions: ConditionTrace[];
  actions: ActionTrace[];
  /** Actions that ran and are not listed: a loop went on for too long. */
  omittedActions?: number;
  /** Epoch ms; undefined while it runs. */
  endedAt?: number;
}
