// How the engine is put together: events and the clock fire triggers, the evaluator decides, and runs perform the actions.
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
import type {
  ActionDefinition,
  ConditionDefinition,
  Evaluate,
  TriggerContext,
  TriggerDefinition,
} from "../model/define.ts";
import type { RuleHost } from "../model/host.ts";
import { withCancelOnFalse } from "./cancel-on-false.ts";
import { type Entry, labelOf, type TriggerRef, toRow } from "./entry.ts";
import { createEvaluator, type Evaluator } from "./evaluator.ts";
import { Holds } from "./holds.ts";
import { type BooleanStore, openBooleanStore } from "./private-booleans.ts";
import { createRunQuota } from "./refusals.ts";
import { createRuleChains, type RuleChains } from "./rule-chain.ts";
import { type Control, createControl } from "./rule-control.ts";
import { createRuns, type Runs } from "./runs.ts";
import { createSchedules, type Schedules } from "./schedules.ts";
import { createActionScope } from "./scope.ts";
import { runActions, type SequenceTools } from "./sequence.ts";
import { openRuleStore, type RuleStore } from "./store.ts";
import { createTraces, type Traces } from "./traces.ts";
import { createSubscriptions, createTriggerIndex } from "./trigger-index.ts";
import { createTriggers, type Triggers } from "./triggers.ts";
import { createWaits, type Waits } from "./waits.ts";

export interface EngineOptions {
  feed: Pick<EventFeed, "on" | "head">;
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

export interface EngineWiring {
  store: RuleStore;
  traces: Traces;
  runs: Runs;
  evaluator: Evaluator;
  control: Control;
  triggers: Triggers;
  holds: Holds;
  schedules: Schedules;
  booleans: BooleanStore;
}

const FLUSH_MS = 1000;

/** Resources go on the stack. */
export function wireEngine(
  options: EngineOptions,
  { entries, stack }: { entries: ReadonlyMap<string, Entry>; stack: DisposableStack },
): EngineWiring {
  const { feed, clock, log, host, vocabulary, flushMs = FLUSH_MS, config, limits } = options;
  const withLimits = limits ? { limits } : {};
  const maxBytes = (megabytes: number | undefined) =>
    megabytes === undefined ? {} : { maxBytes: megabytes * 1_048_576 };
  const store = stack.use(openRuleStore({ ...options, flushMs }));
  const traces = createTraces({ ...maxBytes(config?.max_traces_mb), ...withLimits });
  const quota = createRunQuota({ ...maxBytes(config?.max_running_mb), ...withLimits });
  const chains = createRuleChains({ clock, head: () => feed.head, lastRunOf: (id) => entries.get(id)?.lastRun });
  const onAnyEvent = (): void => waits.onAnyEvent();
  const subscriptions = stack.use(createSubscriptions(feed, { onEvent, onAnyEvent }));
  const waits = createWaits({ clock, subscriptions });
  const booleans = openBooleanStore(options);
  const allRuns = createRuns({
    clock,
    log,
    traces,
    quota,
    runActions: (run, actions, into) => runActions(sequence, run, { actions, into }),
  });
  const runs = withCancelOnFalse(allRuns, waits);
  const { msSince } = stack.use(followWallSteps(clock));
  const evaluator = createEvaluator({
    ...options,
    scopeTools: { evaluate: options.evaluate, conditions: byType(vocabulary.conditions), msSince },
    runs,
    traces,
    quota,
    privateBooleans: booleans.of,
    onFired: (entry) => saveFiring(store, entry),
  });
  const control = createControl({ clock, entries, store, chains, evaluator });
  const sequence = createSequence(options, { chains, waits, control, runs });
  const holds = stack.use(new Holds({ clock, log, host, store, onDue: (ref, context) => onTrigger(ref, context, []) }));
  const schedules = stack.use(createSchedules({ clock, log, host, store, onDue: onScheduled }));
  const triggers = createTriggers({
    log,
    host,
    definitions: byType(vocabulary.triggers),
    index: createTriggerIndex(subscriptions),
    holds,
    schedules,
  });

  function onEvent(envelope: Envelope): void {
    // Waits first: a run that starts now waits for the next event.
    waits.onEvent(envelope);
    const matching = triggers.matching(envelope);
    if (matching.length === 0) return;
    const chain = chains.chainOf(envelope);
    for (const { ref, context } of matching) onTrigger(ref, context, chain);
  }

  function onScheduled(entry: Entry, key: string, at: number): void {
    const ref = entry.triggers.find((trigger) => trigger.key === key);
    if (ref) onTrigger(ref, { scheduled_at: new Date(at).toISOString() }, []);
  }

  function onTrigger(ref: TriggerRef, context: TriggerContext, chain: readonly string[]): void {
    const { entry, definition } = ref;
    try {
      evaluator.consider(entry, { type: definition.type, label: labelOf(ref), context, chain });
    } catch (error) {
      entry.lastError = { at: clock.now(), message: messageOf(error) };
      log.error("a rule could not be evaluated", { rule: entry.rule.name, error: messageOf(error) });
    }
  }

  return { store, traces, runs, evaluator, control, triggers, holds, schedules, booleans };
}

function createSequence(
  { clock, log, host, vocabulary }: EngineOptions,
  { chains, waits, control, runs }: { chains: RuleChains; waits: Waits; control: Control; runs: Runs },
): SequenceTools {
  const sequence: SequenceTools = {
    clock,
    log,
    host,
    actions: byType(vocabulary.actions),
    chains,
    scopeFor: (run, trace) => createActionScope(scopeTools, run, trace),
  };
  const scopeTools = { clock, log, waits, sequence, controlFor: control.for, end: runs.end };
  return sequence;
}

function saveFiring(store: RuleStore, { rule: { id, cooldown_secs }, persisted }: Entry): void {
  store.saveState(id, () => toRow(id, persisted));
  // With a cooldown it must not fire again because the power failed a moment later.
  if (cooldown_secs > 0) store.soon();
}

export function byType<D extends { type: string }>(definitions: readonly D[]): ReadonlyMap<string, D> {
  return new Map(definitions.map((definition) => [definition.type, definition]));
}
