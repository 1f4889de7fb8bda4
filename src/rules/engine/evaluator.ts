// One evaluation of a rule: from the activation to its actions, or to the reason why they do not run. The rule fires when
// its conditions pass and its run mode allows a run. At that moment its cooldown begins and the firing is counted; the event
// `rule_fired` comes when its actions were executed: see run-events.ts.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { type RandomBytes, secret } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { momentNow } from "../../kit/time/durable-moment.ts";
import type { PrivateBooleans } from "../model/define.ts";
import type { RuleHost } from "../model/host.ts";
import type { ConditionTrace, Trace } from "../model/trace.ts";
import { type Activation, type Entry, identified, type Run } from "./entry.ts";
import * as refusals from "./refusals.ts";
import type { Runs } from "./runs/runs.ts";
import { type ConditionScopeTools, createConditionScope } from "./scope.ts";
import { clipContext, type Traces } from "./traces.ts";

/** A run, or the trace that says why there is none. */
export type Evaluated = { run: Run } | { run?: never; trace: Trace };

export interface Evaluator {
  /** A trigger fired: all checks apply. */
  consider(entry: Entry, activation: Activation): Evaluated;
  /** A person or another rule runs it: pause and cooldown do not apply, conditions only on request. */
  command(entry: Entry, activation: Activation, options: CommandOptions): Evaluated;
  /** Why a trigger would not fire it now, whatever its conditions say. */
  refusalNow(entry: Entry): string | undefined;
}

export interface CommandOptions {
  conditions: boolean;
  /** Added to the rule's `variables`. */
  parameters?: JsonObject | undefined;
}

export interface EvaluatorOptions {
  clock: Clock;
  log: Log;
  random: RandomBytes;
  host: RuleHost;
  scopeTools: ConditionScopeTools;
  runs: Runs;
  traces: Traces;
  quota: refusals.RunQuota;
  /** Learns of runs that do not begin because of a limit. */
  limits?: Limits | undefined;
  /** Of a rule; without them, those of each run are its own. */
  privateBooleans?: (ruleId: string) => PrivateBooleans;
  /** Why a trigger with this context does not fire the rule at present. */
  heldBack?: (ruleId: string, context: JsonObject) => string | undefined;
  /** It took so long from a trigger to the decision whether its rule runs. */
  onDecided?: (seconds: number) => void;
  /** Persists that the rule fired. */
  onFired(entry: Entry): void;
}

const MAX_CHAIN = 10;

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { clock, host, runs, traces, scopeTools, quota } = options;
  const nextId = traceIds(options.random);

  function begin(entry: Entry, activation: Activation): Trace {
    const { type, label, context } = activation;
    const trigger = { type, label, context: clipContext(context) };
    const head = { id: nextId(), ruleId: entry.rule.id, at: clock.now(), dryRun: false, trigger };
    return { ...head, outcome: "fired", why: "", conditions: [], actions: [] };
  }

  function scopeOf({ rule }: Entry, { context }: Activation, parameters: JsonObject = {}) {
    const vars = { ...copyOf(rule.variables), ...copyOf(parameters) };
    const privateBooleans = options.privateBooleans?.(rule.id);
    return createConditionScope(scopeTools, {
      ...{ host, trigger: context, vars, conditions: rule.conditions },
      ...(privateBooleans && { privateBooleans }),
    });
  }

  function refuse(entry: Entry, trace: Trace, { outcome, why, limit }: refusals.Refusal): Evaluated {
    Object.assign(trace, { outcome, why, endedAt: clock.now() });
    if (limit !== undefined)
      options.limits?.reached({ limit, account: entry.rule.name, message: `it does not run: ${why}` });
    note(entry, trace);
    traces.add(entry, trace);
    return { trace };
  }

  /** Stops rules that trigger each other in a circle, and rules that fire far too often. */
  function runaway(entry: Entry, { chain }: Activation): refusals.Refusal | undefined {
    if (chain.length >= MAX_CHAIN) {
      const circle = [...chain, entry.rule.name].join(" → ");
      return stop(entry, `rules triggered each other more than ${MAX_CHAIN} deep and were stopped: ${circle}`);
    }
    const problem = refusals.countFiring(entry.rate, clock.mono(), chain.length > 0);
    if (problem === undefined) return undefined;
    entry.blockedUntil = clock.mono() + refusals.BLOCKED_MS;
    return stop(entry, `${problem} and is blocked for ${refusals.BLOCKED_MS / 1000} s: look at what triggers it`);
  }

  function stop(entry: Entry, why: string): refusals.Refusal {
    const { id, name } = entry.rule;
    entry.lastError = { at: clock.now(), message: why };
    options.log.error("a runaway rule was stopped", { rule: name, why });
    host.emit({ type: "action_failed", rule_id: id, rule_name: name, action_type: "runaway", error: why });
    return { outcome: "runaway", why };
  }

  /** For a rule that is to be read along in the log. */
  function note({ rule }: Entry, { outcome, why }: Trace): void {
    if (rule.log_runs) options.log.info(`rule ${outcome}`, { rule: rule.name, why });
  }

  function fire(entry: Entry): void {
    entry.persisted.fired = momentNow(clock);
    entry.persisted.fireCount++;
    options.onFired(entry);
  }

  return {
    consider(entry, given) {
      const begun = clock.mono();
      const activation = identified(entry, given);
      const { rule } = entry;
      const trace = begin(entry, activation);
      const scope = scopeOf(entry, activation);
      const refusal =
        refusals.stopped(rule, activation.dispatch) ??
        refusals.blocked(clock, entry) ??
        refusals.paused(clock, entry) ??
        refusals.heldBack(options.heldBack?.(rule.id, activation.context)) ??
        recorded(trace, refusals.askTriggerCondition(rule, scope)) ??
        refusals.coolingDown(clock, entry) ??
        recorded(trace, refusals.askConditions(rule, scope)) ??
        refusals.busy(entry) ??
        quota.refusal(activation.context) ??
        runaway(entry, activation);
      options.onDecided?.((clock.mono() - begun) / 1000);
      if (refusal) return refuse(entry, trace, refusal);
      trace.why = whyFired(activation, trace.conditions);
      note(entry, trace);
      fire(entry);
      const { chain, dispatch, hold } = activation;
      return { run: runs.begin({ entry, actions: rule.actions, trace, scope, chain, dispatch, hold }) };
    },
    command(entry, given, { conditions, parameters }) {
      const activation = identified(entry, given);
      const { rule } = entry;
      const trace = begin(entry, activation);
      const scope = scopeOf(entry, activation, parameters);
      const refusal =
        refusals.blocked(clock, entry) ??
        (conditions ? recorded(trace, refusals.askConditions(rule, scope)) : undefined) ??
        refusals.busy(entry) ??
        quota.refusal(activation.context) ??
        runaway(entry, activation);
      if (refusal) return refuse(entry, trace, refusal);
      trace.why = conditions
        ? whyFired(activation, trace.conditions)
        : `${activation.label}; conditions were not evaluated`;
      note(entry, trace);
      fire(entry);
      const { chain, parent } = activation;
      return { run: runs.begin({ entry, actions: rule.actions, trace, scope, chain, parent }) };
    },
    refusalNow(entry) {
      return (refusals.paused(clock, entry) ?? refusals.coolingDown(clock, entry) ?? refusals.busy(entry))?.why;
    },
  };
}

/** Adds evaluated conditions to the trace. Returns the refusal if one did not pass. */
function recorded(trace: Trace, asked: ConditionTrace[]): refusals.Refusal | undefined {
  trace.conditions.push(...asked);
  return refusals.failedConditions(asked);
}

function whyFired({ label, triggerId }: Activation, conditions: readonly ConditionTrace[]): string {
  const cause = triggerId ? `${label} (trigger "${triggerId}")` : label;
  if (conditions.length === 0) return `${cause}; there are no conditions`;
  return `${cause}; ${conditions.length === 1 ? "the condition passed" : `all ${conditions.length} conditions passed`}`;
}

/** Most rules have none. */
function copyOf(variables: JsonObject): JsonObject {
  return Object.keys(variables).length > 0 ? structuredClone(variables) : {};
}

/** One random start, then counted up: there are thousands per second. */
function traceIds(random: RandomBytes): () => string {
  const start = secret(random, 6);
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}
