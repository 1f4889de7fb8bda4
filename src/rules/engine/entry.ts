// A rule as the engine holds it: its text made JSON, its triggers, and what has become of it so far.
import type { JsonObject } from "../../core/json.ts";
import type { ConditionScope, Interest, TriggerContext, TriggerDefinition, Typed } from "../define.ts";
import type { Rule } from "../rule.ts";
import type { Trace } from "../trace.ts";
import type { Cause } from "./causes.ts";
import type { DryHost } from "./dry-host.ts";
import type { FiringRate } from "./firing-rate.ts";
import type { Moment } from "./moment.ts";

/** A trigger of an enabled rule. */
export interface TriggerRef {
  readonly entry: Entry;
  /** In the rule's list. */
  readonly position: number;
  /** The same while the trigger stays the same, wherever in the list it stands. */
  readonly key: string;
  readonly spec: Typed;
  readonly definition: TriggerDefinition;
}

/** What sets a rule off. */
export interface Occasion {
  /** snake_case. */
  readonly type: string;
  readonly label: string;
  readonly context: TriggerContext;
  /** Names of the rules that led to it. */
  readonly chain: readonly string[];
}

/** Actions at work, or waiting for their turn. */
export interface Run extends Cause {
  /** When it began to work. */
  mono: number;
  readonly entry: Entry;
  readonly actions: readonly Typed[];
  readonly trace: Trace;
  readonly scope: ConditionScope;
  /** Of a dry run: nothing is done. */
  readonly dry: DryHost | undefined;
  readonly captured: Map<string, Readonly<Record<string, JsonObject>>>;
  readonly abort: AbortController;
  /** Pending delays, with what cancels each. */
  readonly delays: Set<{ key: string | undefined; cancel(): void }>;
  readonly counts: RunCounts;
  readonly finished: PromiseWithResolvers<void>;
}

export interface RunCounts {
  /** Actions begun, and turns of loops. */
  steps: number;
  /** Actions in the trace. */
  recorded: number;
  failed: number;
  /** What the first of them said. */
  firstFailure: string | undefined;
  /** Turns of loops since `turnsSince`, monotonic ms. */
  turns: number;
  turnsSince: number;
}

export function interestsOf({ definition, spec }: TriggerRef): readonly Interest[] {
  return definition.interests?.(spec) ?? [];
}

/** What people are told of it. */
export function labelOf({ entry, spec, definition }: TriggerRef): string {
  return entry.rule.trigger_label ?? definition.label(spec);
}

/** What outlives restarts. */
export interface Remembered {
  fired: Moment | undefined;
  fireCount: number;
  /** `ms` undefined: until it is resumed. */
  pause: { since: Moment; ms: number | undefined } | undefined;
}

export interface Entry {
  rule: Rule;
  /** None while it is disabled, or before the engine is ready. */
  triggers: readonly TriggerRef[];
  readonly schedules: Map<string, Disposable>;
  readonly remembered: Remembered;
  readonly rate: FiringRate;
  readonly running: Set<Run>;
  readonly queue: Run[];
  lastRun: Cause | undefined;
  lastError: { at: number; message: string } | undefined;
  /** Monotonic ms until which it rests after it ran away. */
  restsUntil: number;
  /** Device states its actions keep, by key; not over restarts. */
  captured: Map<string, Readonly<Record<string, JsonObject>>> | undefined;
}
