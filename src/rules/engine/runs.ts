// Runs of rules. The run mode decides whether a run starts, replaces the one before or is queued. The end of a run is
// immediate: its trace is closed, its waits are aborted, and later results of its actions are ignored. Runs do not survive a
// restart of the hub.
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { ConditionScope, TriggerContext, Typed } from "../model/define.ts";
import type { ActionTrace, Trace } from "../model/trace.ts";
import type { Entry, Run } from "./entry.ts";
import type { Traces } from "./traces.ts";

/** Thrown by whatever an action waits for when its run ends. It is not a failure, and nobody reports it. */
export class RunEnded extends Error {
  constructor() {
    super("this run of the rule is over");
    this.name = "RunEnded";
  }
}

export interface NewRun {
  entry: Entry;
  actions: readonly Typed[];
  trace: Trace;
  scope: ConditionScope;
  /** Names of the rules that led to it, without its own. */
  chain: readonly string[];
}

export interface RunEnd {
  /** Appended to the trace's `why`. */
  note?: string;
  /** The action that ended the run. It and the actions around it succeeded; all others are cancelled. */
  by?: ActionTrace;
}

export interface Runs {
  /** Starts the run, or queues it. The caller has checked that the run mode allows it. */
  begin(run: NewRun): Run;
  end(run: Run, end: RunEnd): void;
  /** Cancels active and queued runs. */
  cancel(entry: Entry, why: string): void;
}

export interface RunsOptions {
  clock: Clock;
  log: Log;
  traces: Traces;
  quota: { take(context: TriggerContext): Disposable };
  /** Runs these actions one after the other. A promise only if one of them waits. */
  runActions(run: Run, actions: readonly Typed[], into: ActionTrace[]): Promise<void> | undefined;
}

export function isOver({ trace }: Run): boolean {
  return trace.endedAt !== undefined;
}

export function createRuns({ clock, log, traces, quota, runActions }: RunsOptions): Runs {
  const taken = new WeakMap<Run, Disposable>();

  function start(run: Run): void {
    const { entry, chain, mono } = run;
    entry.running.add(run);
    entry.lastRun = { chain, mono };
    execute(run);
  }

  /** The run ends in any case, also if an error is thrown. */
  function execute(run: Run): void {
    const fail = (error: unknown): void => {
      const isFault = !(error instanceof RunEnded);
      if (isFault) log.error("a run of a rule failed", { rule: run.entry.rule.name, error: messageOf(error) });
      end(run, isFault ? { note: `the run failed: ${messageOf(error)}` } : {});
    };
    try {
      const pending = runActions(run, run.actions, run.trace.actions);
      if (pending !== undefined) pending.then(() => end(run, {}), fail);
      else end(run, {});
    } catch (error) {
      fail(error);
    }
  }

  function end(run: Run, how: RunEnd): void {
    const { entry } = run;
    if (!closeRun(clock, run, how)) return;
    taken.get(run)?.[Symbol.dispose]();
    traces.seal(entry, run.trace);
    if (!entry.running.delete(run)) return;
    const next = entry.running.size === 0 ? entry.queue.shift() : undefined;
    if (!next) return;
    next.mono = clock.mono();
    start(next);
  }

  return {
    begin(wanted) {
      const { entry, trace } = wanted;
      const mode = entry.rule.run_mode;
      if (mode === "restart") {
        for (const other of [...entry.running]) end(other, { note: "cancelled, because the rule was triggered again" });
      }
      const run = createRun(clock, wanted);
      traces.add(entry, trace);
      taken.set(run, quota.take(run.scope.trigger));
      if (mode === "queued" && entry.running.size > 0) entry.queue.push(run);
      else start(run);
      return run;
    },
    end,
    cancel(entry, why) {
      for (const run of entry.queue.splice(0)) end(run, { note: `cancelled: ${why}` });
      for (const run of [...entry.running]) end(run, { note: `cancelled: ${why}` });
    },
  };
}

function createRun(clock: Clock, { entry, chain, ...rest }: NewRun): Run {
  entry.captured ??= new Map();
  return {
    ...rest,
    entry,
    chain: [...chain, entry.rule.name],
    mono: clock.mono(),
    captured: entry.captured,
    abort: new AbortController(),
    delays: new Set(),
    counts: { steps: 0, recorded: 0, failed: 0, firstFailure: undefined, turns: 0, turnsSince: clock.mono() },
    finished: Promise.withResolvers(),
  };
}

/** False if it was over already. */
function closeRun(clock: Clock, run: Run, { note, by }: RunEnd): boolean {
  const { trace, counts } = run;
  if (isOver(run)) return false;
  trace.endedAt = clock.now();
  closeActions(trace.actions, { at: trace.endedAt, by });
  if (counts.failed > 0) trace.why += `; ${failureText(counts)}`;
  if (note !== undefined) trace.why += `; ${note}`;
  run.abort.abort();
  run.finished.resolve();
  return true;
}

function failureText({ failed, firstFailure }: Run["counts"]): string {
  return failed === 1 ? `${firstFailure}` : `${failed} actions failed, the first: ${firstFailure}`;
}

/** True if `by` is among them. */
function closeActions(actions: readonly ActionTrace[], end: { at: number; by: ActionTrace | undefined }): boolean {
  let found = false;
  for (const action of actions) {
    const containsEnd = action === end.by || closeActions(action.parts ?? [], end);
    found ||= containsEnd;
    if (action.result === "running") action.result = containsEnd ? "ok" : "cancelled";
    if (action.result !== "skipped") action.durationMs ??= Math.max(0, end.at - action.startedAt);
  }
  return found;
}
