// The parts of the engine, put together: what happens goes from the feed and the clock to triggers, from there through the
// evaluator to runs, and from those back into the house.
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { RandomBytes } from "../../core/ids.ts";
import type { Limits } from "../../core/limits.ts";
import type { Log } from "../../core/log.ts";
import { followWallSteps } from "../../core/wall-steps.ts";
import type { DiskBudget } from "../../core/write-behind.ts";
import type { StateDb } from "../../db/state-db.ts";
import type { Envelope, EventFeed } from "../../events/feed.ts";
import type { RulesSection } from "../config.ts";
import type { ActionDefinition, ConditionDefinition, TriggerContext, TriggerDefinition } from "../define.ts";
import type { RuleHost } from "../host.ts";
import { createActionScope } from "./action-scope.ts";
import { type Causes, createCauses } from "./causes.ts";
import { type Entry, labelOf, type TriggerRef } from "./entry.ts";
import { createEvaluator, type Evaluator } from "./evaluator.ts";
import { createHolds, type Holds } from "./holds.ts";
import { createListening } from "./listening.ts";
import { stateRow } from "./remember.ts";
import { type Control, createControl } from "./rule-control.ts";
import { createRunRoom } from "./run-room.ts";
import { createRuns, type Runs } from "./runs.ts";
import { createSchedules, type Schedules } from "./schedules.ts";
import type { Evaluate } from "./scope.ts";
import type { SequenceTools } from "./sequence.ts";
import { openRuleStore, type RuleStore } from "./store.ts";
import { createTraces, type Traces } from "./traces.ts";
import { createTriggerIndex } from "./trigger-index.ts";
import { createTriggers, type Triggers } from "./triggers.ts";
import { createWaits, type Waits } from "./waits.ts";

export interface EngineOptions {
  feed: Pick<EventFeed, "on" | "ring">;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  host: RuleHost;
  db: Pick<StateDb, "durable" | "behind" | "trouble">;
  vocabulary: {
    triggers: readonly TriggerDefinition[];
    conditions: readonly ConditionDefinition[];
    actions: readonly ActionDefinition[];
  };
  evaluate: Evaluate;
  flushMs?: number;
  /** See core/write-budget.ts. */
  budget?: DiskBudget;
  config?: RulesSection;
  limits?: Limits;
}

export interface EngineParts {
  store: RuleStore;
  traces: Traces;
  runs: Runs;
  evaluator: Evaluator;
  control: Control;
  triggers: Triggers;
  holds: Holds;
  schedules: Schedules;
}

const FLUSH_MS = 1000;

export function createParts(
  options: EngineOptions,
  { entries, stack }: { entries: ReadonlyMap<string, Entry>; stack: DisposableStack },
): EngineParts {
  const { feed, clock, log, host, vocabulary, flushMs = FLUSH_MS, config, limits } = options;
  const told = limits ? { limits } : {};
  const store = stack.use(openRuleStore({ ...options, flushMs }));
  const megabytes = (count: number | undefined) => (count === undefined ? {} : { mostBytes: count * 1_048_576 });
  const traces = createTraces({ ...megabytes(config?.max_traces_mb), ...told });
  const room = createRunRoom({ ...megabytes(config?.max_running_mb), ...told });
  const causes = createCauses({ clock, head: () => feed.ring.head, lastRunOf: (id) => entries.get(id)?.lastRun });
  const listening = stack.use(createListening(feed, { event: onEvent, any: () => waits.heardAny() }));
  const waits = createWaits({ clock, listening });
  const runs = createRuns({ clock, log, traces, room, sequence: () => sequence });
  const { msSince } = stack.use(followWallSteps(clock));
  const evaluator = createEvaluator({
    ...options,
    scopes: { evaluate: options.evaluate, conditions: byType(vocabulary.conditions), msSince },
    runs,
    traces,
    room,
    onFired: (entry) => keepFiring(store, entry),
  });
  const control = createControl({ clock, entries, store, causes, evaluator });
  const sequence = createSequence(options, { causes, waits, control, runs });
  const holds = stack.use(createHolds({ clock, log, host, store, onDue: (ref, context) => setOff(ref, context, []) }));
  const schedules = stack.use(createSchedules({ clock, log, host, store, onDue: onScheduled }));
  const triggers = createTriggers({
    log,
    host,
    definitions: byType(vocabulary.triggers),
    index: createTriggerIndex(listening),
    holds,
    schedules,
  });

  function onEvent(envelope: Envelope): void {
    // First whoever waits: what starts now waits for the next one.
    waits.heard(envelope);
    const matching = triggers.matching(envelope);
    if (matching.length === 0) return;
    const chain = causes.chainOf(envelope);
    for (const { ref, context } of matching) setOff(ref, context, chain);
  }

  function onScheduled(entry: Entry, key: string, at: number): void {
    const ref = entry.triggers.find((trigger) => trigger.key === key);
    if (ref) setOff(ref, { scheduled_at: new Date(at).toISOString() }, []);
  }

  function setOff(ref: TriggerRef, context: TriggerContext, chain: readonly string[]): void {
    const { entry, definition } = ref;
    try {
      evaluator.consider(entry, { type: definition.type, label: labelOf(ref), context, chain });
    } catch (error) {
      entry.lastError = { at: clock.now(), message: messageOf(error) };
      log.error("a rule could not be evaluated", { rule: entry.rule.name, error: messageOf(error) });
    }
  }

  return { store, traces, runs, evaluator, control, triggers, holds, schedules };
}

function createSequence(
  { clock, log, host, vocabulary }: EngineOptions,
  { causes, waits, control, runs }: { causes: Causes; waits: Waits; control: Control; runs: Runs },
): SequenceTools {
  const scopeTools = { clock, log, waits, sequence: () => sequence, controlFor: control.for, end: runs.end };
  const sequence: SequenceTools = {
    clock,
    log,
    host,
    actions: byType(vocabulary.actions),
    causes,
    scopeFor: (run, trace) => createActionScope(scopeTools, run, trace),
  };
  return sequence;
}

function keepFiring(store: RuleStore, { rule: { id, cooldown_secs }, remembered }: Entry): void {
  store.saveState(id, () => stateRow(id, remembered));
  // It must not fire again because the power went the moment after.
  if (cooldown_secs > 0) store.soon();
}

export function byType<D extends { type: string }>(definitions: readonly D[]): ReadonlyMap<string, D> {
  return new Map(definitions.map((definition) => [definition.type, definition]));
}
