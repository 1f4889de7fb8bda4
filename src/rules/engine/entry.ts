// A rule as the engine holds it: its definition, its triggers, its runs and its state, and that state on disk and for the API.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { type DurableMoment, msSince, restoreMoment } from "../../kit/time/durable-moment.ts";
import type {
  ActionScope,
  ConditionScope,
  Interest,
  TriggerContext,
  TriggerDefinition,
  Typed,
} from "../model/define.ts";
import type { HouseReads } from "../model/host.ts";
import type { ActionTrace, Trace } from "../model/trace.ts";
import type { Rule } from "../read/rule.ts";
import type { Scheduled } from "../schedule/schedule.ts";
import type { ChainedRun } from "./rule-chain.ts";
import type { LazyAbort } from "./runs/lazy-abort.ts";
import type { ListPosition } from "./runs/position.ts";
import type { StateRow } from "./store.ts";

/** A trigger of an enabled rule. */
export interface TriggerRef {
  readonly entry: Entry;
  /** In the rule's list. */
  readonly position: number;
  /** Stays the same as long as the trigger does, wherever it is in the list. */
  readonly key: string;
  readonly spec: Typed;
  readonly definition: TriggerDefinition;
}

/** One event, while it is handed to the rules that it concerns, in the order of their priority. */
export interface Dispatch {
  /** False once all of them had it. */
  open: boolean;
  /** Rules of a lower priority do not get it any more. */
  stopped?: { below: number; by: string };
}

/** Why a rule is evaluated: a trigger fired, or a person or another rule runs it. */
export interface Activation {
  /** snake_case. */
  readonly type: string;
  /** The run that waits for what it begins. */
  readonly parent?: Run | undefined;
  /** The hold that was fulfilled: see holds.ts. */
  readonly hold?: string | undefined;
  readonly label: string;
  readonly context: TriggerContext;
  /** The `id` of the trigger that fired; "" if it has none. */
  readonly triggerId?: string;
  /** Absent if no event led to it. */
  readonly dispatch?: Dispatch | undefined;
  /** Names of the rules that led to it. */
  readonly chain: readonly string[];
}

/** What of it is not the trigger's own. */
export type Cause = Pick<Activation, "chain" | "dispatch" | "hold">;

/** What conditions read, and the actions of the run write. */
export type RunScope = ConditionScope<keyof HouseReads> & Pick<ActionScope, "vars" | "privateBooleans">;

/** Actions that run, or are queued. */
export interface Run extends ChainedRun {
  /** When it began, after its time in the queue. */
  mono: number;
  readonly entry: Entry;
  readonly actions: readonly Typed[];
  /** Of the event that triggered it. */
  readonly dispatch?: Dispatch | undefined;
  readonly trace: Trace;
  readonly scope: RunScope;
  readonly position: ListPosition;
  /** Of the trigger, if it fired after a while: see holds.ts. */
  readonly hold: string | undefined;
  /** The run that waits for this one, as an action of it. */
  parent: Run | undefined;
  /** Began before the hub was started. */
  readonly restored: boolean;
  /** Actions in the trace that the hub stopped in the middle of, and that did not go on yet. */
  readonly interrupted: Set<ActionTrace>;
  readonly captured: Map<string, Readonly<Record<string, JsonObject>>>;
  readonly abort: LazyAbort;
  readonly delays: Set<{ key: string | undefined; cancel(): void }>;
  readonly counts: RunCounts;
  readonly finished: PromiseWithResolvers<void>;
  /** It is over, or on disk: the hub can be stopped without losing it. */
  readonly flushed: PromiseWithResolvers<void>;
}

export function isOver({ trace }: Run): boolean {
  return trace.endedAt !== undefined;
}

export interface RunCounts {
  /** Actions started, and turns of loops. */
  steps: number;
  /** Actions in the trace. */
  recorded: number;
  failed: number;
  firstFailure: string | undefined;
  /** Turns of loops since `turnsSince`, monotonic ms. */
  turns: number;
  turnsSince: number;
}

/** What survives a restart. */
export interface PersistedState {
  fired: DurableMoment | undefined;
  fireCount: number;
  /** `ms` undefined: until it is resumed. */
  pause: { since: DurableMoment; ms: number | undefined } | undefined;
}

/** How often the rule fired in the current window. */
export interface FiringRate {
  /** Monotonic ms. */
  windowStart: number;
  fired: number;
  /** Those that other rules caused. */
  caused: number;
}

export interface Entry {
  rule: Rule;
  /** None while it is disabled, or before the engine is ready. */
  triggers: readonly TriggerRef[];
  readonly schedules: Map<string, Scheduled>;
  readonly persisted: PersistedState;
  readonly rate: FiringRate;
  readonly running: Set<Run>;
  readonly queue: Run[];
  lastRun: ChainedRun | undefined;
  lastError: { at: number; message: string } | undefined;
  /** Monotonic ms until which it is blocked because it fired too often. */
  blockedUntil: number;
  /** Device states of `capture_device_state`, by key; they survive a restart with a run that waits. */
  captured: Map<string, Readonly<Record<string, JsonObject>>> | undefined;
}

/** What the API shows of it. */
export interface RuleState {
  /** Epoch ms. */
  last_fired_at: number | undefined;
  fire_count: number;
  /** When the first of its schedules is due, in epoch ms; undefined without one, or while it is disabled. */
  next_run_at: number | undefined;
  /** Active runs, and queued ones. */
  running: number;
  queued: number;
  paused: boolean;
  /** Epoch ms; undefined if it is not paused, or paused until it is resumed. */
  paused_until: number | undefined;
  last_error: { at: number; message: string } | undefined;
}

export function newEntry(rule: Rule, persisted: PersistedState): Entry {
  return {
    rule,
    triggers: [],
    schedules: new Map(),
    persisted,
    rate: { windowStart: Number.NEGATIVE_INFINITY, fired: 0, caused: 0 },
    running: new Set(),
    queue: [],
    lastRun: undefined,
    lastError: undefined,
    blockedUntil: Number.NEGATIVE_INFINITY,
    captured: undefined,
  };
}

export function interestsOf({ definition, spec }: TriggerRef): readonly Interest[] {
  return definition.interests?.(spec) ?? [];
}

/** That of a trigger that fired. */
export function activationBy(ref: TriggerRef, context: TriggerContext, cause: Cause): Activation {
  const { definition, spec } = ref;
  const triggerId = typeof spec.id === "string" ? spec.id : "";
  return { type: definition.type, label: labelOf(ref), context, triggerId, ...cause };
}

/** With `id` in the context if a trigger of the rule has one, so that an expression can always ask for it. */
export function identified({ rule }: Entry, activation: Activation): Activation {
  if (!rule.triggers.some(({ id }) => id !== undefined)) return activation;
  return { ...activation, context: { ...activation.context, id: activation.triggerId ?? "" } };
}

export function labelOf({ entry, spec, definition }: TriggerRef): string {
  return entry.rule.trigger_label ?? definition.label(spec);
}

/** Infinite until it is resumed; undefined if it is not paused. */
export function pauseLeftMs(clock: Clock, { persisted: { pause } }: Entry): number | undefined {
  if (!pause) return undefined;
  if (pause.ms === undefined) return Number.POSITIVE_INFINITY;
  const leftMs = pause.ms - msSince(clock, pause.since);
  return leftMs > 0 ? leftMs : undefined;
}

export function stateOf(clock: Clock, entry: Entry): RuleState {
  const { persisted, running, queue, lastError } = entry;
  const pauseMs = pauseLeftMs(clock, entry);
  return {
    last_fired_at: persisted.fired?.wall,
    fire_count: persisted.fireCount,
    next_run_at: nextRunAt(clock, entry, pauseMs),
    running: running.size,
    queued: queue.length,
    paused: pauseMs !== undefined,
    paused_until: pauseMs !== undefined && Number.isFinite(pauseMs) ? clock.now() + pauseMs : undefined,
    last_error: lastError,
  };
}

/** Of a rule that is paused for a while, the first one after that. */
function nextRunAt(clock: Clock, { schedules }: Entry, pauseMs: number | undefined): number | undefined {
  if (pauseMs === Number.POSITIVE_INFINITY || schedules.size === 0) return undefined;
  const resumedAt = pauseMs === undefined ? undefined : clock.now() + pauseMs;
  let first: number | undefined;
  for (const schedule of schedules.values()) {
    const due = schedule.dueAt();
    const at = resumedAt === undefined || (due ?? 0) >= resumedAt ? due : schedule.nextAfter(resumedAt - 1);
    if (at !== undefined && (first === undefined || at < first)) first = at;
  }
  return first;
}

export function fromRow(clock: Clock, { last_fired_at, fire_count, paused_at, paused_ms }: StateRow): PersistedState {
  return {
    fired: last_fired_at === null ? undefined : restoreMoment(clock, last_fired_at),
    fireCount: fire_count,
    pause: paused_at === null ? undefined : { since: restoreMoment(clock, paused_at), ms: paused_ms ?? undefined },
  };
}

export function toRow(ruleId: string, { fired, fireCount, pause }: PersistedState): StateRow {
  return {
    rule_id: ruleId,
    last_fired_at: fired?.wall ?? null,
    fire_count: fireCount,
    paused_at: pause?.since.wall ?? null,
    paused_ms: pause?.ms ?? null,
  };
}
