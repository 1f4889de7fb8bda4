// Runs actions one after the other and records each in the trace. If one fails, the failure is logged and the next one runs.
// Actions that do not wait run synchronously, so that an event is handled completely before the next one. After a restart of
// the hub a list goes on at its stored position.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { ActionDefinition, ActionScope, Typed } from "../../model/define.ts";
import type { RuleHost } from "../../model/host.ts";
import type { ActionTrace } from "../../model/trace.ts";
import { isOver, type Run } from "../entry.ts";
import type { RuleChains } from "../rule-chain.ts";
import { clipText } from "../traces.ts";
import type { ActionPosition, ListPosition } from "./position.ts";
import type { RunKeeper } from "./run-keeper.ts";
import { RunEnded } from "./runs.ts";

export interface SequenceTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly host: RuleHost;
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  readonly chains: RuleChains;
  scopeFor(run: Run, trace: ActionTrace, position: ActionPosition): ActionScope<keyof RuleHost>;
  readonly keeper: Pick<RunKeeper, "progressed" | "flushRun">;
}

const MAX_TURNS = 10_000;
// Per minute, because a loop that waits may run for weeks.
const TURNS_WINDOW_MS = 60_000;
// A loop that does not wait would otherwise block the hub.
const STEPS_BETWEEN_YIELDS = 100;
const CUT_OFF = "the hub stopped while it ran, or right after it; it is not run again, as it may have had its effect";
// A loop that runs for weeks must not fill the memory with its trace.
const MAX_RECORDED = 500;

export interface Sequence {
  readonly actions: readonly Typed[];
  readonly into: ActionTrace[];
  readonly position: ListPosition;
}

interface Step {
  action: Typed;
  into: ActionTrace[];
  list: ListPosition;
}

/** Throws RunEnded if the run ends before them. Returns a promise only if one of them waits. */
export function runActions(tools: SequenceTools, run: Run, sequence: Sequence): Promise<void> | undefined {
  const { actions, into, position: list } = sequence;
  list.actions = actions;
  for (let action = actions[list.at]; action && !list.done; action = actions[list.at]) {
    const step = { action, into, list };
    const pending = yieldIfDue(run)?.then(() => runAction(tools, run, step)) ?? runAction(tools, run, step);
    if (pending) {
      return pending.then(() => {
        advance(tools, run, list);
        return runActions(tools, run, sequence);
      });
    }
    advance(tools, run, list);
  }
  list.done = true;
  return undefined;
}

function advance({ keeper }: SequenceTools, run: Run, list: ListPosition): void {
  list.at++;
  list.action = undefined;
  list.done = list.at >= (list.actions?.length ?? 0);
  keeper.progressed(run);
}

/** Counts a step. After many of them, lets the rest of the hub run first. */
export function yieldIfDue({ counts }: Run): Promise<void> | undefined {
  if (++counts.steps % STEPS_BETWEEN_YIELDS > 0) return undefined;
  return new Promise((resolve) => setImmediate(resolve));
}

/** Counts a turn of the loop at this position, and throws where there are too many. */
export function countTurn(run: Run, position: ActionPosition, mono: number): void {
  const { counts } = run;
  position.loops = true;
  if (isOver(run)) throw new RunEnded();
  if (mono - counts.turnsSince >= TURNS_WINDOW_MS) Object.assign(counts, { turns: 0, turnsSince: mono });
  if (++counts.turns <= MAX_TURNS) return;
  throw new HubError(
    "conflict",
    `the loop made more than ${MAX_TURNS} turns within a minute and was ended: add a delay, or correct its end condition`,
  );
}

function runAction(tools: SequenceTools, run: Run, { action, into, list }: Step): Promise<void> | undefined {
  if (isOver(run)) throw new RunEnded();
  const wasRunning = list.action !== undefined;
  const trace = (wasRunning && interruptedTrace(run, action, into)) || newTrace(tools, run, { action, into });
  if (action.enabled === false) {
    trace.result = "skipped";
    return undefined;
  }
  const startedMono = tools.clock.mono() - Math.max(0, tools.clock.now() - trace.startedAt);

  function finish(result: "ok" | "failed", detail: string | undefined): void {
    // The run may have been cancelled, or ended by another action, meanwhile.
    if (isOver(run)) throw new RunEnded();
    if (trace.result === "running" || result === "failed") trace.result = result;
    trace.durationMs = Math.round(tools.clock.mono() - startedMono);
    if (detail !== undefined) trace.detail = clipText(detail);
    const { rule } = run.entry;
    if (rule.log_runs)
      tools.log.info("an action of a rule", { rule: rule.name, action: action.type, result: trace.result, detail });
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
    const inMiddle = definition.whenInterrupted(action);
    if (wasRunning && inMiddle === "skip") throw new HubError("conflict", CUT_OFF);
    if (!wasRunning || inMiddle === "repeat") list.action = {};
    const position = list.action ?? {};
    if (inMiddle === "skip") tools.keeper.flushRun(run);
    const result = tools.chains.during(run, () => definition.run(action, tools.scopeFor(run, trace, position)));
    if (result instanceof Promise) return result.then((detail) => finish("ok", detail ?? trace.detail), fail);
    finish("ok", result ?? trace.detail);
  } catch (error) {
    fail(error);
  }
  return undefined;
}

function newTrace({ clock }: SequenceTools, { trace, counts }: Run, { action, into }: Omit<Step, "list">): ActionTrace {
  const record: ActionTrace = { type: action.type, result: "running", startedAt: clock.now() };
  if (counts.recorded++ < MAX_RECORDED) into.push(record);
  else trace.omittedActions = (trace.omittedActions ?? 0) + 1;
  return record;
}

/** The record of an action from before the restart, which goes on. */
function interruptedTrace(
  { interrupted }: Run,
  { type }: Typed,
  into: readonly ActionTrace[],
): ActionTrace | undefined {
  const found = into.find((trace) => trace.type === type && interrupted.has(trace));
  if (found) interrupted.delete(found);
  return found;
}

export function reportFailure(
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
