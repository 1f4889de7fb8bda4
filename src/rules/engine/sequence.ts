// Runs actions one after the other. Each leaves its trace; one that fails is told and logged, and the next one follows. As
// long as actions do not wait, they run in one go: an event is answered before the next is looked at.
import type { Clock } from "../../core/clock.ts";
import { HubError, messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { ActionDefinition, ActionScope, Typed } from "../define.ts";
import type { RuleHost } from "../host.ts";
import type { ActionTrace } from "../trace.ts";
import type { Causes } from "./causes.ts";
import { clipText } from "./clip.ts";
import type { Run } from "./entry.ts";
import { isOver } from "./run.ts";
import { RunEnded } from "./run-ended.ts";

export interface SequenceTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly host: RuleHost;
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  readonly causes: Causes;
  /** What this action may look at and do. */
  scopeFor(run: Run, trace: ActionTrace): ActionScope;
}

// A loop without a wait would otherwise keep the hub from everything else.
const STEPS_IN_ONE_GO = 100;
// A loop over weeks must not fill the memory with what it did.
const MOST_RECORDED = 500;

interface Step {
  action: Typed;
  into: ActionTrace[];
}

/** Throws RunEnded when the run is over before they are. A promise only if one of them waits. */
export function runActions(
  tools: SequenceTools,
  run: Run,
  { actions, into }: { actions: readonly Typed[]; into: ActionTrace[] },
): Promise<void> | undefined {
  for (const [index, action] of actions.entries()) {
    const step = { action, into };
    const pending = takeBreath(run)?.then(() => runAction(tools, run, step)) ?? runAction(tools, run, step);
    if (!pending) continue;
    const rest = actions.slice(index + 1);
    return rest.length === 0 ? pending : pending.then(() => runActions(tools, run, { actions: rest, into }));
  }
  return undefined;
}

/** Lets the rest of the hub have its turn now and then. */
export function takeBreath({ counts }: Run): Promise<void> | undefined {
  if (++counts.steps % STEPS_IN_ONE_GO > 0) return undefined;
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
  const begun = tools.clock.mono();

  function done(result: "ok" | "failed", detail: string | undefined): void {
    // Cancelled, or ended by another action, while this one was at work.
    if (isOver(run)) throw new RunEnded();
    if (trace.result === "running" || result === "failed") trace.result = result;
    trace.durationMs = Math.round(tools.clock.mono() - begun);
    if (detail !== undefined) trace.detail = clipText(detail);
  }

  function failed(error: unknown): void {
    if (error instanceof RunEnded || isOver(run)) throw new RunEnded();
    trace.error = clipText(messageOf(error));
    done("failed", undefined);
    tellFailure(tools, run, { type: action.type, error: messageOf(error) });
  }

  try {
    const definition = tools.actions.get(action.type);
    if (!definition) throw new HubError("invalid", `there is no action "${action.type}"`);
    const answer = tools.causes.during(run, () => definition.run(action, tools.scopeFor(run, trace)));
    if (answer instanceof Promise) return answer.then((detail) => done("ok", detail ?? trace.detail), failed);
    done("ok", answer ?? trace.detail);
  } catch (error) {
    failed(error);
  }
  return undefined;
}

function record({ trace, counts }: Run, action: ActionTrace, into: ActionTrace[]): void {
  if (counts.recorded++ < MOST_RECORDED) into.push(action);
  else trace.omittedActions = (trace.omittedActions ?? 0) + 1;
}

function tellFailure({ host, log, clock }: SequenceTools, run: Run, told: { type: string; error: string }): void {
  const { type, error } = told;
  run.counts.failed++;
  run.counts.firstFailure ??= clipText(`${type} failed: ${error}`);
  if (run.dry) return;
  const { entry } = run;
  entry.lastError = { at: clock.now(), message: clipText(`${type}: ${error}`) };
  log.warn("a rule's action failed; the next one follows", { rule: entry.rule.name, action: type, error });
  host.emit({
    type: "action_failed",
    rule_id: entry.rule.id,
    rule_name: entry.rule.name,
    action_type: type,
    error,
  });
}
