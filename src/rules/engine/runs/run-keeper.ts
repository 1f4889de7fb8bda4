// Keeps runs that wait on disk: each as soon as it begins to wait, until it is over. Runs that never wait cost nothing here. All
// that begin to wait in one turn of the event loop are written together. If there are so many that writing would keep the hub
// from its work, or the write budget is used up, they are collected longer; waits of a few seconds, as in loops, always are.
import { type DiskBudget, startWriteBehind } from "../../../kit/files/write-behind.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { RunChange } from "../../../server/db/run-rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import { isOver, type Run } from "../entry.ts";
import { positionToJson } from "./position.ts";
import type { RunStore } from "./run-store.ts";
import { begunOf, changingOf } from "./stored-run.ts";

export interface RunKeeper extends Disposable {
  /** The run begins to wait, for `ms` or, without it, for an unknown time. */
  keep(run: Run, ms?: number): void;
  /** It is on disk already. */
  track(run: Run): void;
  /** It has done something, which is written with the next batch if it is kept. */
  progressed(run: Run): void;
  /** Writes at once how far it is, if it is kept. */
  flushRun(run: Run): void;
  isKept(run: Run): boolean;
  /** It is kept, and was written before. */
  isStored(run: Run): boolean;
  /** It is over. */
  drop(run: Run): void;
  /** Writes the final state: from now on nothing changes on disk any more. */
  close(): void;
}

export interface RunKeeperOptions {
  clock: Clock;
  log: Log;
  store: RunStore;
  trouble: StateDb["trouble"];
  /** Of the run's actions: see action-mark.ts. */
  markOf(run: Run): string;
  /** See kit/files/write-budget.ts. */
  budget?: DiskBudget | undefined;
}

/** What is on disk of a run. */
interface Stored {
  position?: string;
  vars?: string;
}

/** For an engine that keeps nothing. */
export const NO_KEEPER: RunKeeper = {
  keep() {},
  track() {},
  progressed() {},
  flushRun() {},
  isKept: () => false,
  isStored: () => false,
  drop() {},
  close() {},
  [Symbol.dispose]() {},
};

// A shorter wait of a run that is on disk already is not worth a write of its own.
const SHORT_MS = 10_000;
const COLLECT_MS = 10_000;
// Writing at once may take this long in a burst, and a fifth of the time on average: on an SD card each write takes some ms.
const BURST_MS = 200;
const SHARE = 0.2;
const WATCH_CLOCK_MS = 10_000;
const STEP_MS = 1000;

export function createRunKeeper({ clock, log, store, trouble, markOf, budget }: RunKeeperOptions): RunKeeper {
  const kept = new Map<Run, Stored>();
  const over = new Set<string>();
  let urgent: Disposable | "soon" | undefined;
  /** Time spent on writing that was not paid for by time since; as of `spentAt`. */
  let spentMs = 0;
  let spentAt = clock.mono();
  let closed = false;
  /** What is written now must not be done twice. */
  let flushing = false;
  let aheadMs = clock.now() - clock.mono();

  function changeOf(run: Run, stored: Stored): RunChange & Required<Pick<RunChange, "position" | "vars">> {
    const position = JSON.stringify(positionToJson(clock, run.position));
    const vars = changingOf(run);
    const isNew = stored.vars === undefined;
    return {
      id: run.trace.id,
      ruleId: run.entry.rule.id,
      position,
      vars,
      begun: isNew ? begunOf(run, markOf(run)) : undefined,
    };
  }

  const unpaidMs = (): number => Math.max(0, spentMs - (clock.mono() - spentAt) * SHARE);

  /** Runs, or ids of those that are over. */
  function write(marked: Iterable<Run | string>): void {
    const begun = clock.mono();
    const changes = [...marked].flatMap((run) => {
      const stored = typeof run === "string" ? undefined : kept.get(run);
      return stored && typeof run !== "string" ? [{ run, stored, change: changeOf(run, stored) }] : [];
    });
    const changed = changes
      .map(({ stored, change }) => ({
        ...change,
        position: change.position === stored.position ? undefined : change.position,
        vars: change.vars === stored.vars ? undefined : change.vars,
      }))
      .filter(({ position, vars }) => position !== undefined || vars !== undefined);
    if (changed.length > 0 || over.size > 0) store.write(changed, [...over], { flushed: flushing });
    over.clear();
    spentMs = unpaidMs() + clock.mono() - begun;
    spentAt = clock.mono();
    for (const { run, stored, change } of changes) {
      Object.assign(stored, { position: change.position, vars: change.vars });
      run.flushed.resolve();
    }
  }

  const unwritten = startWriteBehind<Run | string>({
    clock,
    log,
    what: "what waits in rules",
    periodMs: COLLECT_MS,
    write,
    ...(budget && { budget }),
    trouble,
  });

  function flush(): void {
    if (urgent !== "soon") urgent?.[Symbol.dispose]();
    urgent = undefined;
    if (!closed) unwritten.flush();
  }

  function writeSoon(): void {
    if (urgent !== undefined) return;
    const waitMs = (budget?.allows(0) ?? true) ? (unpaidMs() - BURST_MS) / SHARE : COLLECT_MS;
    if (waitMs > 0) {
      urgent = clock.after("rules: write what waits", waitMs, flush);
      return;
    }
    urgent = "soon";
    queueMicrotask(flush);
  }

  const watching = clock.every("watch the clock for what waits", WATCH_CLOCK_MS, () => {
    const now = clock.now() - clock.mono();
    if (Math.abs(now - aheadMs) >= STEP_MS) for (const run of kept.keys()) unwritten.mark(run);
    aheadMs = now;
  });

  function keep(run: Run, ms?: number): void {
    if (closed || !run.entry.rule.durable || isOver(run)) return;
    if (run.parent) keep(run.parent);
    const isNew = !kept.has(run);
    if (isNew) kept.set(run, {});
    unwritten.mark(run);
    if (isNew || ms === undefined || ms >= SHORT_MS) writeSoon();
  }

  return {
    keep,
    track(run) {
      // The texts on disk are not compared: what is unchanged is not written either.
      kept.set(run, { vars: changingOf(run) });
      run.flushed.resolve();
    },
    progressed(run) {
      if (!closed && kept.has(run)) unwritten.mark(run);
    },
    flushRun(run) {
      if (closed) return;
      // If only the run that waits for this one were on disk, it would begin this one again.
      if (run.parent && kept.has(run.parent)) keep(run);
      if (!kept.has(run)) return;
      unwritten.mark(run);
      flushing = true;
      unwritten.flush();
      flushing = false;
    },
    isKept: (run) => kept.has(run),
    isStored: (run) => kept.get(run)?.vars !== undefined,
    drop(run) {
      const stored = kept.get(run);
      if (closed || !stored) return;
      kept.delete(run);
      unwritten.forget(run);
      if (stored.vars === undefined) return;
      over.add(run.trace.id);
      unwritten.mark(run.trace.id);
      if (run.parent && kept.has(run.parent)) unwritten.mark(run.parent);
      writeSoon();
    },
    close() {
      for (const run of kept.keys()) unwritten.mark(run);
      flush();
      closed = true;
    },
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      if (urgent !== "soon") urgent?.[Symbol.dispose]();
      unwritten[Symbol.dispose]();
    },
  };
}
