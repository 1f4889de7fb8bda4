// One evaluation: from what set a rule off to its actions, or to the reason why not. A rule fires when its conditions
// passed and its run mode takes it: at that moment its cooldown begins and `rule_fired` is told, before its first action,
// because the last one may be hours away.
import type { Clock } from "../../core/clock.ts";
import { type RandomBytes, secret } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { RuleHost } from "../host.ts";
import type { ConditionTrace, Trace } from "../trace.ts";
import { clipContext } from "./clip.ts";
import { createDryHost } from "./dry-host.ts";
import type { Entry, Occasion, Run } from "./entry.ts";
import { countFiring } from "./firing-rate.ts";
import * as gates from "./gates.ts";
import { momentNow } from "./moment.ts";
import type { RunRoom } from "./run-room.ts";
import type { Runs } from "./runs.ts";
import { createScope, type ScopeTools } from "./scope.ts";
import type { Traces } from "./traces.ts";

/** A run, or the trace that says why there is none. */
export type Evaluated = { run: Run } | { run?: never; trace: Trace };

export interface Evaluator {
  /** Set off by a trigger: everything is asked. */
  consider(entry: Entry, occasion: Occasion): Evaluated;
  /** Set off by a person or another rule: neither pauses nor the cooldown keep it, and conditions only where asked. */
  command(entry: Entry, occasion: Occasion, options: { conditions: boolean }): Evaluated;
  /** Without effect, and whatever pauses, cooldown and run mode say: what it would do. */
  dryRun(entry: Entry, occasion: Occasion): Evaluated;
}

export interface EvaluatorOptions {
  clock: Clock;
  log: Log;
  random: RandomBytes;
  host: RuleHost;
  scopes: ScopeTools;
  runs: Runs;
  traces: Traces;
  room: RunRoom;
  /** It fired: to be kept. */
  onFired(entry: Entry): void;
}

const MOST_CHAINED = 10;

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { clock, host, runs, traces, scopes, room } = options;
  const nextId = traceIds(options.random);

  function begin(entry: Entry, occasion: Occasion, dryRun: boolean): Trace {
    const { type, label, context } = occasion;
    const trigger = { type, label, context: clipContext(context) };
    const about = { id: nextId(), ruleId: entry.rule.id, at: clock.now(), dryRun, trigger };
    return { ...about, outcome: "fired", why: "", conditions: [], actions: [] };
  }

  function scopeOf({ rule }: Entry, { context }: Occasion, house: RuleHost) {
    const vars = copyOf(rule.variables);
    return createScope(scopes, { host: house, trigger: context, vars, conditions: rule.conditions });
  }

  function refuse(entry: Entry, trace: Trace, refusal: gates.Refusal): Evaluated {
    Object.assign(trace, refusal, { endedAt: clock.now() });
    if (!trace.dryRun) traces.add(entry, trace);
    return { trace };
  }

  /** Rules that set each other off without end, and those that fire faster than anybody means. */
  function runaway(entry: Entry, { chain }: Occasion): gates.Refusal | undefined {
    if (chain.length >= MOST_CHAINED) {
      const circle = [...chain, entry.rule.name].join(" → ");
      return stop(entry, `rules set each other off more than ${MOST_CHAINED} deep, and were stopped: ${circle}`);
    }
    const problem = countFiring(entry.rate, clock.mono(), chain.length > 0);
    if (problem === undefined) return undefined;
    entry.restsUntil = clock.mono() + gates.RUNAWAY_REST_MS;
    return stop(entry, `${problem}, and rests for ${gates.RUNAWAY_REST_MS / 1000} s: look at what sets it off`);
  }

  function stop(entry: Entry, why: string): gates.Refusal {
    const { id, name } = entry.rule;
    entry.lastError = { at: clock.now(), message: why };
    options.log.error("a rule ran away", { rule: name, why });
    host.emit({ type: "action_failed", rule_id: id, rule_name: name, action_type: "runaway", error: why });
    return { outcome: "runaway", why };
  }

  function fire(entry: Entry, occasion: Occasion): void {
    entry.remembered.fired = momentNow(clock);
    entry.remembered.fireCount++;
    options.onFired(entry);
    host.emit({
      type: "rule_fired",
      rule_id: entry.rule.id,
      rule_name: entry.rule.name,
      trigger_type: upperCamelCase(occasion.type),
      trigger_context: occasion.context,
      trigger_label: occasion.label,
    });
  }

  return {
    consider(entry, occasion) {
      const { rule } = entry;
      const trace = begin(entry, occasion, false);
      const scope = scopeOf(entry, occasion, host);
      const asked = asking(trace);
      const refusal =
        gates.resting(clock, entry) ??
        gates.paused(clock, entry) ??
        asked(gates.askTrigger(rule, scope)) ??
        gates.coolingDown(clock, entry) ??
        asked(gates.askConditions(rule, scope)) ??
        gates.busy(entry) ??
        room.refusal(rule.name, occasion.context) ??
        runaway(entry, occasion);
      if (refusal) return refuse(entry, trace, refusal);
      trace.why = gates.whyFired(occasion.label, trace.conditions);
      fire(entry, occasion);
      return { run: runs.begin({ entry, actions: rule.actions, trace, scope, chain: occasion.chain }) };
    },
    command(entry, occasion, { conditions }) {
      const { rule } = entry;
      const trace = begin(entry, occasion, false);
      const scope = scopeOf(entry, occasion, host);
      const refusal =
        gates.resting(clock, entry) ??
        (conditions ? asking(trace)(gates.askConditions(rule, scope)) : undefined) ??
        gates.busy(entry) ??
        room.refusal(rule.name, occasion.context) ??
        runaway(entry, occasion);
      if (refusal) return refuse(entry, trace, refusal);
      trace.why = conditions
        ? gates.whyFired(occasion.label, trace.conditions)
        : `${occasion.label}; nothing was asked`;
      fire(entry, occasion);
      return { run: runs.begin({ entry, actions: rule.actions, trace, scope, chain: occasion.chain }) };
    },
    dryRun(entry, occasion) {
      const { rule } = entry;
      const trace = begin(entry, occasion, true);
      const dry = createDryHost(host);
      const scope = scopeOf(entry, occasion, dry);
      const refusal = asking(trace)([...gates.askTrigger(rule, scope), ...gates.askConditions(rule, scope)]);
      if (refusal) return refuse(entry, trace, refusal);
      const now = gates.paused(clock, entry) ?? gates.coolingDown(clock, entry) ?? gates.busy(entry);
      trace.why = `${gates.whyFired(occasion.label, trace.conditions)}${now ? `; now it would not fire: ${now.why}` : ""}`;
      return { run: runs.beginApart({ entry, actions: rule.actions, trace, scope, dry, chain: [] }) };
    },
  };
}

/** Keeps what was asked, and gives the refusal that comes of it. */
function asking(trace: Trace): (asked: ConditionTrace[]) => gates.Refusal | undefined {
  return function keep(asked) {
    trace.conditions.push(...asked);
    return gates.refusalOf(asked);
  };
}

/** Most rules have none. */
function copyOf(variables: JsonObject): JsonObject {
  return Object.keys(variables).length > 0 ? structuredClone(variables) : {};
}

/** Random once, then counted: there are thousands a second. */
function traceIds(random: RandomBytes): () => string {
  const start = secret(random, 6);
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}

function upperCamelCase(type: string): string {
  return type.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
