// Runs of rules. The run mode decides whether a run starts, replaces the one before or is queued. The end of a run is
// immediate: its trace is closed, its waits are aborted, and later results of its actions are ignored. Runs that wait go on after
// a restart of the hub: see run-keeper.ts and restore-runs.ts.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { TriggerContext, Typed } from "../../model/define.ts";
import type { ActionTrace, Trace } from "../../model/trace.ts";
import { type Dispatch, type Entry, isOver, type Run, type RunScope } from "../entry.ts";
import type { Traces } from "../traces.ts";
import { createLazyAbort } from "./lazy-abort.ts";
import { type ListPosition, startOfList } from "./position.ts";
import type { RunKeeper } from "./run-keeper.ts";

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
  scope: RunScope;
  dispatch?: Dispatch | undefined;
  /** Names of the rules that led to it, without its own. */
  chain: readonly string[];
  hold?: string | undefined;
  /** The run that waits for it. */
  parent?: Run | undefined;
}

/** A run from before the hub was started. `chain` has its own name. */
export interface StoredRun extends NewRun {
  position: ListPosition;
  /** The id of the run that waits for it. */
  parentId: string | undefined;
}

/** Without `executed` and `by`, it ends before its actions were executed. With nothing at all, it is on disk and goes on after the next start. */
export interface RunEnd {
  /** It came to the end of its actions. */
  executed?: true;
  /** Appended to the trace's `why`. */
  note?: string;
  /** The action that ended the run. It and the actions around it succeeded; all others are cancelled. */
  by?: ActionTrace;
  /** Why it cannot go on although nobody ended it: also reported in the log. */
  lost?: string;
}

export interface Runs {
  /** Starts the run, or queues it. The caller has checked that the run mode allows it. */
  begin(run: NewRun): Run;
  end(run: Run, end: RunEnd): void;
  /** Cancels active and queued runs. */
  cancel(entry: Entry, why: string): void;
  /** Takes up runs from before the hub was started, all before the first of them goes on. */
  restore(runs: readonly StoredRun[]): void;
  /** An active or queued one. */
  find(id: string): Run | undefined;
  /** Those that this one waits for. */
  childrenOf(run: Run): Run[];
  /** Stops all of them. What is on disk stays there, and goes on after the next start. */
  stop(entries: Iterable<Entry>): void;
}

export interface RunsOptions {
  clock: Clock;
  log: Log;
  traces: Traces;
  quota: { take(context: TriggerContext): Disposable };
  keeper: RunKeeper;
  /** Notified of each run that is over. */
  onOver(run: Run, how: RunEnd): void;
  /** Runs its actions one after the other, from its position on. A promise only if one of them waits. */
  runActions(run: Run): Promise<void> | undefined;
}

export function createRuns({ clock, log, traces, quota, keeper, onOver, runActions }: RunsOptions): Runs {
  const taken = new WeakMap<Run, Disposable>();
  const byId = new Map<string, Run>();

  function add(run: Run): void {
    traces.add(run.entry, run.trace);
    taken.set(run, quota.take(run.scope.trigger));
    byId.set(run.trace.id, run);
  }

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
      const pending = runActions(run);
      const done = (): void => end(run, { executed: true });
      if (pending !== undefined) pending.then(done, fail);
      else done();
    } catch (error) {
      fail(error);
    }
  }

  function end(run: Run, how: RunEnd): void {
    const { entry } = run;
    if (!closeRun(clock, run, how)) return;
    taken.get(run)?.[Symbol.dispose]();
    byId.delete(run.trace.id);
    keeper.drop(run);
    traces.seal(entry, run.trace);
    // Before the next one in the queue, which reports its own end.
    onOver(run, how);
    const queuedAt = entry.queue.indexOf(run);
    if (queuedAt >= 0) entry.queue.splice(queuedAt, 1);
    if (entry.running.delete(run)) startNext(entry);
  }

  function startNext(entry: Entry): void {
    const next = entry.running.size === 0 ? entry.queue.shift() : undefined;
    if (!next) return;
    next.mono = clock.mono();
    start(next);
  }

  return {
    begin(wanted) {
      const { entry } = wanted;
      const mode = entry.rule.run_mode;
      if (mode === "restart") {
        for (const other of [...entry.running]) end(other, { note: "cancelled, because the rule was triggered again" });
      }
      const run = createRun(clock, wanted);
      add(run);
      if (mode === "queued" && entry.running.size > 0) {
        entry.queue.push(run);
        keeper.keep(run);
      } else start(run);
      return run;
    },
    end,
    cancel(entry, why) {
      for (const run of [...entry.queue.splice(0), ...entry.running]) {
        end(run, keeper.isKept(run) ? { note: `cancelled: ${why}`, lost: why } : { note: `cancelled: ${why}` });
      }
    },
    restore(stored) {
      const runs = stored.map(({ parentId: _, ...one }) => createRun(clock, { ...one, restored: true }));
      for (const run of runs) {
        add(run);
        keeper.track(run);
        if (isQueued(run)) run.entry.queue.push(run);
        else run.entry.running.add(run);
      }
      for (const [index, { parentId }] of stored.entries()) {
        const [run, parent] = [runs[index], byId.get(parentId ?? "")];
        if (run) run.parent = parent;
      }
      // Before the first goes on: its end may start the next one in its queue.
      const begun = runs.filter((run) => run.entry.running.has(run));
      for (const run of begun) {
        if (isOver(run)) continue;
        start(run);
        // What did not go on now was over when the hub stopped; only its trace was not stored since.
        for (const action of run.interrupted) action.result = "ok";
        run.interrupted.clear();
      }
      for (const { entry } of runs) if (entry.running.size === 0) startNext(entry);
    },
    find: (id) => byId.get(id),
    childrenOf: (run) => [...byId.values()].filter(({ parent }) => parent === run),
    stop(entries) {
      const all = [...entries].flatMap(({ queue, running }) => [...queue.splice(0), ...running]);
      for (const run of all.filter((one) => !keeper.isKept(one))) end(run, { note: "cancelled: the hub stopped" });
      keeper.close();
      traces.close();
      for (const run of all) end(run, {});
    },
  };
}

/** It has not begun. */
function isQueued({ position: { at, action, done } }: Run): boolean {
  return at === 0 && action === undefined && !done;
}

function createRun(
  clock: Clock,
  { entry, chain, hold, parent, restored = false, ...rest }: NewRun & { restored?: boolean },
): Run {
  entry.captured ??= new Map();
  return {
    position: startOfList(),
    ...rest,
    entry,
    hold,
    parent,
    restored,
    interrupted: new Set(restored ? runningIn(rest.trace.actions) : []),
    chain: restored ? chain : [...chain, entry.rule.name],
    mono: clock.mono(),
    captured: entry.captured,
    abort: createLazyAbort(),
    delays: new Set(),
    counts: { steps: 0, recorded: 0, failed: 0, firstFailure: undefined, turns: 0, turnsSince: clock.mono() },
    finished: Promise.withResolvers(),
    flushed: Promise.withResolvers(),
  };
}

function runningIn(actions: readonly ActionTrace[]): ActionTrace[] {
  return actions.flatMap((action) => [
    ...(action.result === "running" ? [action] : []),
    ...runningIn(action.parts ?? []),
  ]);
}

/** False if it was over already. */
function closeRun(clock: Clock, run: Run, { note, by, lost }: RunEnd): boolean {
  const { trace, counts } = run;
  if (isOver(run)) return false;
  trace.endedAt = clock.now();
  closeActions(trace.actions, { at: trace.endedAt, by });
  if (counts.failed > 0) trace.why += `; ${failureText(counts)}`;
  const last = note ?? lost;
  if (last !== undefined) trace.why += `; ${last}`;
  run.abort.abort();
  run.finished.resolve();
  run.flushed.resolve();
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
