// The engine of a replay: the triggers, holds, cooldown, conditions and actions of one rule are those of the real engine.
// Only the clock and the house are of the past, and actions run dry.
import type { RandomBytes } from "../../core/ids.ts";
import { silentLog } from "../../core/log.ts";
import type { HubEvent } from "../../events/catalog.ts";
import { createEnvelope } from "../../events/feed.ts";
import { createDryHost } from "../engine/dry-run.ts";
import { activationBy, newEntry, type Run, type TriggerRef } from "../engine/entry.ts";
import { createEvaluator, type Evaluated } from "../engine/evaluator.ts";
import { Holds } from "../engine/holds.ts";
import { createRunQuota } from "../engine/refusals.ts";
import { createRuleChains } from "../engine/rule-chain.ts";
import { dryControl } from "../engine/rule-control.ts";
import { NO_KEEPER } from "../engine/run-keeper.ts";
import { createRuns, type NewRun } from "../engine/runs.ts";
import { createActionScope, createConditionScope } from "../engine/scope.ts";
import { runActions, type SequenceTools } from "../engine/sequence.ts";
import { createTriggerIndex } from "../engine/trigger-index.ts";
import { createTriggers } from "../engine/triggers.ts";
import { createWaits } from "../engine/waits.ts";
import { byType, type EngineOptions } from "../engine/wire-engine.ts";
import type { TriggerContext } from "../model/define.ts";
import type { RuleHost } from "../model/host.ts";
import type { Rule } from "../read/rule.ts";
import type { PastClock } from "./past-clock.ts";
import { createPastSchedules } from "./past-schedules.ts";

export interface PastEngine {
  /** Something happened, at the time of the clock. */
  hear(event: HubEvent): void;
  /** When the first scheduled trigger is due, in epoch ms. */
  due(): number | undefined;
  /** Fires the scheduled triggers that are due by now. */
  runDue(): void;
  /** The evaluations since the last call. Their runs may not be over yet. */
  taken(): Evaluated[];
  /** Ends a run that takes too long. */
  end(run: Run, why: string): void;
}

export interface PastEngineOptions {
  rule: Rule;
  /** Stands at the beginning of the period. */
  clock: PastClock;
  /** The house at the time of the clock. */
  host: RuleHost;
  vocabulary: EngineOptions["vocabulary"];
  evaluate: EngineOptions["evaluate"];
  random: RandomBytes;
  hasRule(id: string): boolean;
}

const NO_TRACES = { add() {}, seal() {}, of: () => [], forget() {}, close() {} };
const NOT_STORED = { holds: () => [], saveHold() {}, dropHold() {} };
const NO_SUBSCRIPTIONS = { need: (): Disposable => ({ [Symbol.dispose]() {} }) };

export function createPastEngine(options: PastEngineOptions): PastEngine {
  const { clock, host, vocabulary, random } = options;
  const log = silentLog;
  const rule = { ...options.rule, enabled: true };
  const entry = newEntry(rule, { fired: undefined, fireCount: 0, pause: undefined });
  const quota = createRunQuota({});
  const scopeTools = {
    evaluate: options.evaluate,
    conditions: byType(vocabulary.conditions),
    msSince: (at: number) => Math.max(0, clock.now() - at),
  };
  const runs = createRuns({
    clock,
    log,
    traces: NO_TRACES,
    quota,
    keeper: NO_KEEPER,
    onLost() {},
    runActions: (run) =>
      runActions(sequence, run, { actions: run.actions, into: run.trace.actions, position: run.position }),
  });
  const sequence: SequenceTools = {
    clock,
    log,
    host,
    actions: byType(vocabulary.actions),
    chains: createRuleChains({ clock, head: () => 0, lastRunOf: () => undefined }),
    scopeFor: (run, trace, position) => createActionScope(actionTools, run, { trace, position }),
    keeper: NO_KEEPER,
  };
  const control = dryControl(options.hasRule);
  const waits = createWaits({ clock, subscriptions: NO_SUBSCRIPTIONS });
  const actionTools = {
    ...{ clock, log, waits, sequence, controlFor: () => control, end: runs.end },
    ...{ keep: NO_KEEPER.keep, lateMs: 0, patient: (host: RuleHost) => host },
  };

  /** The run with a host that only reports, and keeps the variables that the run sets. */
  function dry({ scope, trace, ...run }: NewRun): NewRun {
    const dryHost = createDryHost(host);
    const { trigger, vars } = scope;
    const asked = { host: dryHost, trigger, vars, conditions: rule.conditions };
    return {
      ...run,
      trace: Object.assign(trace, { dryRun: true }),
      scope: createConditionScope(scopeTools, asked),
      dry: dryHost,
    };
  }

  const evaluator = createEvaluator({
    clock,
    log,
    random,
    host,
    scopeTools,
    runs: { ...runs, begin: (run) => runs.beginDry(dry(run)) },
    traces: NO_TRACES,
    quota,
    onFired() {},
  });
  let evaluated: Evaluated[] = [];

  function consider(ref: TriggerRef, context: TriggerContext): undefined {
    evaluated.push(evaluator.consider(entry, activationBy(ref, context, { chain: [] })));
  }

  const schedules = createPastSchedules(host, clock.now());
  const triggers = createTriggers({
    log,
    host,
    definitions: byType(vocabulary.triggers),
    index: createTriggerIndex(NO_SUBSCRIPTIONS, host.device),
    holds: new Holds({ clock, log, host, store: NOT_STORED, onDue: consider }),
    schedules,
  });
  triggers.wire(entry);

  return {
    hear(event) {
      const envelope = createEnvelope({ ...event, timestamp: new Date(clock.now()).toISOString(), seq: 0 });
      for (const { ref, context } of triggers.matching(envelope)) consider(ref, context);
    },
    due: schedules.due,
    runDue() {
      for (const { ref, at } of schedules.take(clock.now()))
        consider(ref, { scheduled_at: new Date(at).toISOString() });
    },
    taken() {
      const taken = evaluated;
      evaluated = [];
      return taken;
    },
    end: (run, why) => runs.end(run, { note: why }),
  };
}
