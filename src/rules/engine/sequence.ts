// Runs actions one after the other and records each in the trace. If one fails, the failure is logged and the next one runs.
// Actions that do not wait run synchronously, so that an event is handled completely before the next one.
import type { Clock } from "../../core/clock.ts";
import { HubError, messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { ActionDefinition, ActionScope, Typed } from "../model/define.ts";
import type { RuleHost } from "../model/host.ts";
import type { ActionTrace } from "../model/trace.ts";
import type { Run } from "./entry.ts";
import type { RuleChains } from "./rule-chain.ts";
import { isOver, RunEnded } from "./runs.ts";
import { clipText } from "./traces.ts";

export interface SequenceTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly host: RuleHost;
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  readonly chains: RuleChains;
  scopeFor(run: Run, trace: ActionTrace): ActionScope;
}

// A loop that does not wait would otherwise block the hub.
const STEPS_BETWEEN_YIELDS = 100;
// A loop that runs for weeks must not fill the memory with its trace.
const MAX_RECORDED = 500;

interface Step {
  action: Typed;
  into: ActionTrace[];
}

/** Throws RunEnded if the run ends before them. Returns a promise only if one of them waits. */
export function runActions(
  tools: SequenceTools,
  run: Run,
  { actions, into }: { actions: readonly Typed[]; into: ActionTrace[] },
): Promise<void> | undefined {
  for (const [index, action] of actions.entries()) {
    const step = { action, into };
    const pending = yieldIfDue(run)?.then(() => runAction(tools, run, step)) ?? runAction(tools, run, step);
    if (!pending) continue;
    const rest = actions.slice(index + 1);
    return rest.length === 0 ? pending : pending.then(() => runActions(tools, run, { actions: rest, into }));
  }
  return undefined;
}

/** Counts a step. After many of them, lets the rest of the hub run first. */
export function yieldIfDue({ counts }: Run): Promise<void> | undefined {
  if (++counts.steps % STEPS_BETWEEN_YIELDS > 0) return undefined;
  return new Promise((resolve) => setImmediate(resolve));
}

function runAction(tools: SequenceTools, run: Run, { action, into }: Step): Promise<void> | undefined {
  if (isOver(run)) throw new RunEnded();
  const trace: ActionTrace = { type: action.type, result: "running", startedAt: tools.clock.now() };
  record(run, trace, into);
  if (action.enabled === false) {
    trace.result = "skipped";
    return undefined;
  }
  const startedMono = tools.clock.mono();

  function finish(result: "ok" | "failed", detail: string | undefined): void {
    // The run may have been cancelled, or ended by another action, meanwhile.
    if (isOver(run)) throw new RunEnded();
    if (trace.result === "running" || result === "failed") trace.result = result;
    trace.durationMs = Math.round(tools.clock.mono() - startedMono);
    if (detail !== undefined) trace.detail = clipText(detail);
  }

  function fail(error: unknown): void {
    if (error instanceof RunEnded || isOver(run)) throw new RunEnded();
    trace.error = clipText(messageOf(error));
    finish("failed", undefined);
    reportFailure(tools, run, { type: action.type, error: messageOf(error) });
  }

  try {
    const definition = tools.actions.get(action.type);
    if (!definition) throw new HubError("invalid", `there is no action "${action.type}"`);
    const result = tools.chains.during(run, () => definition.run(action, tools.scopeFor(run, trace)));
    if (result instanceof Promise) return result.then((detail) => finish("ok", detail ?? trace.detail), fail);
    finish("ok", result ?? trace.detail);
  } catch (error) {
    fail(error);
  }
  return undefined;
}

function record({ trace, counts }: Run, action: ActionTrace, into: ActionTrace[]): void {
  if (counts.recorded++ < MAX_RECORDED) into.push(action);
  else trace.omittedActions = (trace.omittedActions ?? 0) + 1;
}

function reportFailure(
  { host, log, clock }: SequenceTools,
  run: Run,
  { type, error }: { type: string; error: string },
): void {
  run.counts.failed++;
  run.counts.firstFailure ??= clipText(`${type} failed: ${error}`);
  const { entry } = run;
  entry.lastError = { at: clock.now(), message: clipText(`${type}: ${error}`) };
  log.warn("an action of a rule failed; the rule continues", { rule: entry.rule.name, action: type, error });
  host.emit({
    type: "action_failed",
    rule_id: entry.rule.id,
    rule_name: entry.rule.name,
    action_type: type,
    error,
  });
}
