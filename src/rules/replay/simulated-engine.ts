// The engine of a simulation: the triggers, holds, cooldown, conditions, run modes, actions and waits of one rule are those
// of the real engine. Only the clock and the house are made up, so a delay of a day takes no time, and nothing is done.
import { silentLog } from "../../kit/lifecycle/log.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import { createEnvelope } from "../../server/events/feed.ts";
import {
  type Activation,
  activationBy,
  type Cause,
  type Dispatch,
  newEntry,
  type Run,
  type TriggerRef,
} from "../engine/entry.ts";
import { createEvaluator, type Evaluated } from "../engine/evaluator.ts";
import { overlaid } from "../engine/private-booleans.ts";
import { createRunQuota } from "../engine/refusals.ts";
import { createRuleChains } from "../engine/rule-chain.ts";
import { dryControl } from "../engine/rule-control.ts";
import { NO_KEEPER } from "../engine/runs/run-keeper.ts";
import { createRuns } from "../engine/runs/runs.ts";
import { runActions, type SequenceTools } from "../engine/runs/sequence.ts";
import { createActionScope } from "../engine/scope.ts";
import { withCancelOnFalse } from "../engine/triggering/cancel-on-false.ts";
import { Holds } from "../engine/triggering/holds.ts";
import { createTriggerIndex } from "../engine/triggering/trigger-index.ts";
import { createTriggers } from "../engine/triggering/triggers.ts";
import { createWaits } from "../engine/waits.ts";
import { byType, type EngineOptions } from "../engine/wire-engine.ts";
import type { PrivateBooleans, TriggerContext } from "../model/define.ts";
import type { RuleHost } from "../model/host.ts";
import type { Rule } from "../read/rule.ts";
import { createPastSchedules } from "./past-schedules.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export interface SimulatedEngine {
  /** Something happens, at the time of the clock; `timestamp` is that in ISO 8601, where it is known. */
  receive(event: HubEvent, timestamp?: string): void;
  /** Evaluates the rule as if a trigger had fired. */
  consider(activation: Activation): Evaluated;
  /** When the first scheduled trigger is due, in epoch ms. */
  due(): number | undefined;
  /** Fires the scheduled triggers that are due by now. */
  runDue(): void;
  /** The evaluations since the last call. Their runs may not be over yet. */
  taken(): Evaluated[];
  /** Active runs. */
  readonly running: ReadonlySet<Run>;
  /** Resolves once every run is over, or waits for the clock or for an event. Runs for which `stop` gives a reason end. */
  settle(stop: (run: Run) => string | undefined): Promise<void>;
  /** Ends a run; `why` is added to its trace. */
  end(run: Run, why: string): void;
}

export interface SimulatedEngineOptions {
  rule: Rule;
  /** Stands at the beginning. */
  clock: SimulatedClock;
  /** The house at the time of the clock; nothing that is asked of it reaches the real one. */
  host: RuleHost;
  vocabulary: EngineOptions["vocabulary"];
  evaluate: EngineOptions["evaluate"];
  random: RandomBytes;
  hasRule(id: string): boolean;
  /** Whether its triggers fire by events and the clock; otherwise only `consider` evaluates it. */
  listens: boolean;
  /** Device states that `capture_device_state` stored before. */
  captured?: ReadonlyMap<string, Readonly<Record<string, JsonObject>>> | undefined;
  /** As the rule left them; what it sets here does not reach them. */
  privateBooleans?: PrivateBooleans | undefined;
}

const NO_TRACES = { add() {}, seal() {}, of: () => [], forget() {}, close() {} };
const NOT_STORED = { holds: () => [], saveHold() {}, dropHold() {} };
const NO_SUBSCRIPTIONS = { need: (): Disposable => ({ [Symbol.dispose]() {} }) };

export function createSimulatedEngine(options: SimulatedEngineOptions): SimulatedEngine {
  const { clock, host, vocabulary, random } = options;
  const log = silentLog;
  const rule = { ...options.rule, enabled: true };
  const entry = newEntry(rule, { fired: undefined, fireCount: 0, pause: undefined });
  entry.captured = options.captured && new Map(options.captured);
  const quota = createRunQuota({});
  const scopeTools = {
    evaluate: options.evaluate,
    conditions: byType(vocabulary.conditions),
    msSince: (at: number) => Math.max(0, clock.now() - at),
  };
  const waits = createWaits({ clock, subscriptions: NO_SUBSCRIPTIONS });
  const allRuns = createRuns({
    ...{ clock, log, traces: NO_TRACES, quota, keeper: NO_KEEPER, onOver() {} },
    runActions: (run) =>
      runActions(sequence, run, { actions: run.actions, into: run.trace.actions, position: run.position }),
  });
  const runs = withCancelOnFalse(allRuns, { clock, waits });
  const sequence: SequenceTools = {
    clock,
    log,
    host,
    actions: byType(vocabulary.actions),
    chains: createRuleChains({ clock, head: () => 0, lastRunOf: () => undefined }),
    scopeFor: (run, trace, position) => createActionScope(actionTools, run, { trace, position }),
    keeper: NO_KEEPER,
  };
  const control = {
    ...dryControl(options.hasRule),
    cancelDelays(ruleId: string, key?: string): number {
      if (ruleId !== rule.id) return dryControl(options.hasRule).cancelDelays(ruleId, key);
      const delays = [...entry.running].flatMap((run) => [...run.delays]);
      const cancelled = delays.filter((delay) => key === undefined || delay.key === key);
      for (const { cancel } of cancelled) cancel();
      return cancelled.length;
    },
  };
  const actionTools = {
    ...{ clock, log, waits, sequence, controlFor: () => control, end: runs.end },
    ...{ keep: NO_KEEPER.keep, once: () => undefined, lateMs: 0, patient: (house: RuleHost) => house },
  };
  const privateBooleans = overlaid(options.privateBooleans);
  const evaluator = createEvaluator({
    clock,
    log,
    random,
    host,
    scopeTools,
    runs: { ...runs, begin: (run) => runs.begin({ ...run, trace: Object.assign(run.trace, { dryRun: true }) }) },
    traces: NO_TRACES,
    quota,
    privateBooleans: () => privateBooleans,
    onFired() {},
  });
  let evaluated: Evaluated[] = [];

  function consider(activation: Activation): Evaluated {
    const found = evaluator.consider(entry, activation);
    if (activation.dispatch) activation.dispatch.open = false;
    if (!found.run) found.trace.dryRun = true;
    return found;
  }

  const schedules = createPastSchedules(host, clock.now());
  const triggers = createTriggers({
    log,
    host,
    definitions: byType(vocabulary.triggers),
    index: createTriggerIndex(NO_SUBSCRIPTIONS, host.device),
    holds: new Holds({
      ...{ clock, log, host, store: NOT_STORED },
      onDue: (ref, context, hold) => fire(ref, context, { hold, chain: [] }),
    }),
    schedules,
  });
  if (options.listens) triggers.wire(entry);

  function fire(ref: TriggerRef, context: TriggerContext, cause: Cause): Run | undefined {
    const found = consider(activationBy(ref, context, cause));
    evaluated.push(found);
    return found.run;
  }

  /** Changes whenever a run goes on. */
  const progress = (): string => [...entry.running].map(({ counts }) => counts.steps).join();

  return {
    consider,
    receive(event, timestamp = new Date(clock.now()).toISOString()) {
      const envelope = createEnvelope({ ...event, timestamp, seq: 0 });
      // Waits first, as in the real engine: a run that starts now waits for the next event.
      if (entry.running.size > 0) {
        waits.onEvent(envelope);
        waits.onAnyEvent();
      }
      for (const { ref, context } of triggers.matching(envelope)) {
        const dispatch: Dispatch = { open: true };
        fire(ref, context, { chain: [], dispatch });
      }
    },
    due: schedules.due,
    runDue() {
      for (const { ref, at } of schedules.take(clock.now())) {
        const more = ref.definition.contextAt?.(ref.spec, at, host);
        fire(ref, { scheduled_at: new Date(at).toISOString(), ...more }, { chain: [] });
      }
    },
    taken() {
      const taken = evaluated;
      evaluated = [];
      return taken;
    },
    running: entry.running,
    async settle(stop) {
      while (entry.running.size > 0) {
        const before = progress();
        // Everything that a run does between two waits is done when this comes, but for a pause of a long loop.
        await new Promise((resolve) => setImmediate(resolve));
        if (progress() === before) return;
        for (const run of [...entry.running]) {
          const why = stop(run);
          if (why !== undefined) runs.end(run, { note: why });
        }
      }
    },
    end: (run, why) => runs.end(run, { note: why }),
  };
}
