// Which runs of a rule are at work and which wait: the run modes. Running sequences do not survive a restart of the hub.
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Entry, Run } from "./entry.ts";
import { closeRun, createRun, type NewRun, type RunEnd } from "./run.ts";
import { RunEnded } from "./run-ended.ts";
import type { RunRoom } from "./run-room.ts";
import { runActions, type SequenceTools } from "./sequence.ts";
import type { Traces } from "./traces.ts";

export interface Runs {
  /** Starts it, or queues it behind the one that runs. Whether it may was asked before. */
  begin(run: NewRun): Run;
  /** A run of its own that no mode concerns and that is not kept: a dry one. */
  beginApart(run: NewRun): Run;
  end(run: Run, end: RunEnd): void;
  /** All that run and wait. */
  cancel(entry: Entry, why: string): void;
}

export interface RunsOptions {
  clock: Clock;
  log: Log;
  traces: Traces;
  room: RunRoom;
  sequence(): SequenceTools;
}

export function createRuns({ clock, log, traces, room, sequence }: RunsOptions): Runs {
  const taken = new WeakMap<Run, Disposable>();

  function start(run: Run): void {
    const { entry, trace, chain, mono } = run;
    entry.running.add(run);
    entry.lastRun = { chain, mono };
    work(run, () => runActions(sequence(), run, { actions: run.actions, into: trace.actions }));
  }

  /** Whatever comes of it, the run has an end. */
  function work(run: Run, act: () => Promise<void> | undefined): void {
    const fault = (error: unknown): void => {
      const told = error instanceof RunEnded ? {} : { told: `it broke off: ${messageOf(error)}` };
      if (told.told) log.error("a run of a rule broke off", { rule: run.entry.rule.name, error: messageOf(error) });
      end(run, told);
    };
    try {
      const pending = act();
      if (pending !== undefined) pending.then(() => end(run, {}), fault);
      else end(run, {});
    } catch (error) {
      fault(error);
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
        for (const other of [...entry.running]) end(other, { told: "cancelled, because it was set off again" });
      }
      const run = createRun(clock, wanted);
      traces.add(entry, trace);
      taken.set(run, room.take(run.scope.trigger));
      if (mode === "queued" && entry.running.size > 0) entry.queue.push(run);
      else start(run);
      return run;
    },
    beginApart(wanted) {
      const run = createRun(clock, wanted);
      work(run, () => runActions(sequence(), run, { actions: run.actions, into: run.trace.actions }));
      return run;
    },
    end,
    cancel(entry, why) {
      for (const run of entry.queue.splice(0)) end(run, { told: `cancelled: ${why}` });
      for (const run of [...entry.running]) end(run, { told: `cancelled: ${why}` });
    },
  };
}
