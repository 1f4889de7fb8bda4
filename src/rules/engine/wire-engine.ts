// How the engine is put together: events and the clock fire triggers, the evaluator decides, and runs perform the actions.

import type { WaitKept } from "../../kit/lifecycle/kept.ts";
import type { Limits } from "../../kit/lifecycle/limits.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import { followWallSteps } from "../../kit/time/wall-steps.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { Envelope, EventFeed } from "../../server/events/feed.ts";
import type { RulesSection } from "../config.ts";
import type {
  ActionDefinition,
  ConditionDefinition,
  Evaluate,
  TriggerContext,
  TriggerDefinition,
} from "../model/define.ts";
import type { RuleHost } from "../model/host.ts";
import { activationBy, type Cause, type Dispatch, type Entry, type Run, type TriggerRef, toRow } from "./entry.ts";
import { createEvaluator, type Evaluator } from "./evaluator.ts";
import { type BooleanStore, openBooleanStore } from "./private-booleans.ts";
import { createRunQuota } from "./refusals.ts";
import { createRuleChains, type RuleChains } from "./rule-chain.ts";
import { type Control, createControl } from "./rule-control.ts";
import { createMarks } from "./runs/action-mark.ts";
import { openEffects } from "./runs/effects.ts";
import { createPatience } from "./runs/patient-host.ts";
import { readStoredRuns } from "./runs/restore-runs.ts";
import { createRunEvents } from "./runs/run-events.ts";
import { createRunKeeper, type RunKeeper } from "./runs/run-keeper.ts";
import { openRunStore } from "./runs/run-store.ts";
import { createRuns, type Runs, type StoredRun } from "./runs/runs.ts";
import { runActions, type SequenceTools } from "./runs/sequence.ts";
import { type ActionScopeTools, createActionScope, createConditionScope } from "./scope.ts";
import type { RuleStoreOptions } from "./store.ts";
import { openRuleStore, type RuleStore, type StateRow } from "./store.ts";
import { openTraceStore } from "./trace-store.ts";
import { closeCutOff, createTraces, type Traces } from "./traces.ts";
import { withCancelOnFalse } from "./triggering/cancel-on-false.ts";
import { Holds } from "./triggering/holds.ts";
import { createSchedules, type Schedules } from "./triggering/schedules.ts";
import { createSubscriptions, createTriggerIndex } from "./triggering/trigger-index.ts";
import { createTriggers, type Triggers } from "./triggering/triggers.ts";
import { createWaits } from "./waits.ts";

export interface EngineOptions extends Omit<RuleStoreOptions, "db" | "flushMs"> {
  feed: Pick<EventFeed, "on" | "head">;
  random: RandomBytes;
  host: RuleHost;
  db: Pick<StateDb, "durable" | "relaxed" | "own" | "trouble">;
  vocabulary: {
    triggers: readonly TriggerDefinition[];
    conditions: readonly ConditionDefinition[];
    actions: readonly ActionDefinition[];
  };
  evaluate: Evaluate;
  /** Why a trigger with this context does not fire the rule at present. */
  heldBack?: (ruleId: string, context: TriggerContext) => string | undefined;
  flushMs?: number;
  config?: RulesSection;
  limits?: Limits;
  /** Before `rule_fired` is emitted: see `Kept` (kit/lifecycle/kept.ts). Without it, nothing is waited for. */
  waitKept?: WaitKept;
  /** It took so long from a trigger to the decision whether its rule runs. */
  onDecided?: (seconds: number) => void;
  /** A run took so long from its beginning to its end. */
  onRan?: (seconds: number) => void;
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
  /** Lets the runs from before the start go on, and gives them. */
  restoreRuns(): readonly StoredRun[];
  booleans: BooleanStore;
}

const FLUSH_MS = 1000;
const LATE_SECS = 86_400;
const TRACES_MB = 24;

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
  const traceStore = stack.use(
    openTraceStore({
      ...{ db: options.db, clock, log, budget: options.budget },
      maxBytes: (config?.max_traces_mb ?? TRACES_MB) * 1_048_576,
    }),
  );
  const traces = createTraces({ ...maxBytes(config?.max_traces_mb), ...withLimits, store: traceStore });
  const quota = createRunQuota(maxBytes(config?.max_running_mb));
  const chains = createRuleChains({ clock, head: () => feed.head, lastRunOf: (id) => entries.get(id)?.lastRun });
  const onAnyEvent = (): void => waits.onAnyEvent();
  const subscriptions = stack.use(createSubscriptions(feed, { onEvent, onAnyEvent }));
  const waits = createWaits({ clock, subscriptions });
  const booleans = openBooleanStore(options);
  const marks = createMarks(byType(vocabulary.actions));
  const runStore = stack.use(openRunStore(options.db, options.journal));
  const keeper = stack.use(
    createRunKeeper({
      ...{ clock, log, store: runStore, trouble: options.db.trouble, budget: options.budget },
      markOf: ({ actions }) => marks(actions),
    }),
  );
  // After what the keeper itself writes then.
  if (options.budget) stack.use(options.budget.enlist(runStore.checkpoint));
  const running = () => [...entries.values()].flatMap((entry) => [...entry.running]);
  const effects = stack.use(openEffects({ db: options.db, clock, log, keeper, running }));
  const runEvents = stack.use(createRunEvents({ host, log, chains, waitKept: options.waitKept }));
  const allRuns = createRuns({
    ...{ clock, log, traces, quota, keeper },
    onOver(run, how) {
      effects.over(run);
      options.onRan?.((clock.mono() - run.mono) / 1000);
      runEvents.ended(run, how);
    },
    runActions: (run) =>
      runActions(sequence, run, { actions: run.actions, into: run.trace.actions, position: run.position }),
  });
  const runs = withCancelOnFalse(allRuns, { clock, waits });
  const { msSince } = stack.use(followWallSteps(clock));
  const scopeTools = { evaluate: options.evaluate, conditions: byType(vocabulary.conditions), msSince };
  const evaluator = createEvaluator({
    ...options,
    scopeTools,
    runs,
    traces,
    quota,
    privateBooleans: booleans.of,
    onFired: (entry) => saveFiring(store, entry),
  });
  const control = createControl({ clock, entries, store, chains, evaluator, childrenOf: runs.childrenOf });
  const patient = createPatience({ clock, waits });
  const lateMs = (config?.late_secs ?? LATE_SECS) * 1000;
  const sequence = createSequence(options, {
    ...{ clock, log, waits, controlFor: control.for, end: runs.end, keep: keeper.keep, lateMs, patient },
    once: effects.once,
    ...{ chains, keeper },
  });
  const holds = stack.use(
    new Holds({
      ...{ clock, log, host, store },
      onDue: (ref, context, hold) => onTrigger(ref, context, { hold, chain: [] }),
    }),
  );
  const schedules = stack.use(createSchedules({ clock, log, host, store, onDue: onScheduled }));
  const triggers = createTriggers({
    log,
    host,
    definitions: byType(vocabulary.triggers),
    index: createTriggerIndex(subscriptions, host.device),
    holds,
    schedules,
  });

  function onEvent(envelope: Envelope): void {
    // Waits first: a run that starts now waits for the next event.
    waits.onEvent(envelope);
    const matching = triggers.matching(envelope);
    if (matching.length === 0) return;
    const chain = chains.chainOf(envelope);
    const dispatch: Dispatch = { open: true };
    for (const { ref, context } of matching) onTrigger(ref, context, { chain, dispatch });
    dispatch.open = false;
  }

  function onScheduled(entry: Entry, key: string, at: number): void {
    const ref = entry.triggers.find((trigger) => trigger.key === key);
    if (!ref) return;
    const more = ref.definition.contextAt?.(ref.spec, at, host);
    onTrigger(ref, { scheduled_at: new Date(at).toISOString(), ...more }, { chain: [] });
  }

  function onTrigger(ref: TriggerRef, context: TriggerContext, cause: Cause): Run | undefined {
    const { entry } = ref;
    try {
      return evaluator.consider(entry, activationBy(ref, context, cause)).run;
    } catch (error) {
      entry.lastError = { at: clock.now(), message: messageOf(error) };
      log.error("a rule could not be evaluated", { rule: entry.rule.name, error: messageOf(error) });
      return undefined;
    }
  }

  function restoreRuns(): readonly StoredRun[] {
    const stored = readStoredRuns({
      ...{ clock, store: runStore, entries, markOf: marks },
      onLost({ ruleId, id, entry, trace }, why) {
        if (trace) closeCutOff(trace, { at: clock.now(), why });
        if (entry && trace) traces.add(entry, trace);
        runEvents.lost({ ruleId, ruleName: entry?.rule.name, id }, why);
      },
      scopeFor: ({ rule }, { trigger }, { vars }) =>
        createConditionScope(scopeTools, {
          ...{ host, trigger: trigger.context, vars, conditions: rule.conditions },
          privateBooleans: booleans.of(rule.id),
        }),
    });
    runs.restore(stored);
    return stored;
  }

  return { store, traces, runs, evaluator, control, triggers, holds, schedules, booleans, restoreRuns };
}

type OwnTools = Omit<ActionScopeTools, "sequence"> & { chains: RuleChains; keeper: RunKeeper };

function createSequence(
  { clock, log, host, vocabulary }: EngineOptions,
  { chains, keeper, ...tools }: OwnTools,
): SequenceTools {
  const sequence: SequenceTools = {
    ...{ clock, log, host, chains, keeper },
    actions: byType(vocabulary.actions),
    scopeFor: (run, trace, position) => createActionScope({ ...tools, sequence }, run, { trace, position }),
  };
  return sequence;
}

function saveFiring(store: RuleStore, { rule: { id, cooldown_secs }, persisted }: Entry): void {
  const row = (): StateRow => toRow(id, persisted);
  // With a cooldown it must not fire again because the power failed a moment later.
  if (cooldown_secs > 0) store.saveStateSoon(id, row);
  else store.saveState(id, row);
}

export function byType<D extends { type: string }>(definitions: readonly D[]): ReadonlyMap<string, D> {
  return new Map(definitions.map((definition) => [definition.type, definition]));
}
