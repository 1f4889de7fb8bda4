// Making a run, and ending it. Its end is at once and definite, whatever its actions still do: the trace is closed, what
// waits is woken and thrown out, and what comes back later is not listened to.
import type { Clock } from "../../core/clock.ts";
import type { ConditionScope, Typed } from "../define.ts";
import type { ActionTrace, Trace } from "../trace.ts";
import type { DryHost } from "./dry-host.ts";
import type { Entry, Run } from "./entry.ts";

export interface NewRun {
  entry: Entry;
  actions: readonly Typed[];
  trace: Trace;
  scope: ConditionScope;
  dry?: DryHost;
  /** Names of the rules that led to it, without its own. */
  chain: readonly string[];
}

export function createRun(clock: Clock, { entry, chain, dry, ...rest }: NewRun): Run {
  entry.captured ??= new Map();
  return {
    ...rest,
    entry,
    dry,
    chain: [...chain, entry.rule.name],
    mono: clock.mono(),
    captured: dry ? new Map(entry.captured) : entry.captured,
    abort: new AbortController(),
    delays: new Set(),
    counts: { steps: 0, recorded: 0, failed: 0, firstFailure: undefined, turns: 0, turnsSince: clock.mono() },
    finished: Promise.withResolvers(),
  };
}

export function isOver({ trace }: Run): boolean {
  return trace.endedAt !== undefined;
}

export interface RunEnd {
  /** Goes behind the trace's `why`. */
  told?: string;
  /** The action that ended it: what surrounds it has done its work, the rest is cancelled. */
  by?: ActionTrace;
}

/** False when it was over already. */
export function closeRun(clock: Clock, run: Run, { told, by }: RunEnd): boolean {
  const { trace, counts } = run;
  if (isOver(run)) return false;
  trace.endedAt = clock.now();
  closeActions(trace.actions, { at: trace.endedAt, by });
  if (counts.failed > 0) trace.why += `; ${failuresOf(counts)}`;
  if (told !== undefined) trace.why += `; ${told}`;
  run.abort.abort();
  run.finished.resolve();
  return true;
}

function failuresOf({ failed, firstFailure }: Run["counts"]): string {
  return failed === 1 ? `${firstFailure}` : `${failed} actions failed, the first: ${firstFailure}`;
}

/** True when `by` is among them. */
function closeActions(actions: readonly ActionTrace[], end: { at: number; by: ActionTrace | undefined }): boolean {
  let found = false;
  for (const action of actions) {
    const leads = action === end.by || closeActions(action.parts ?? [], end);
    found ||= leads;
    if (action.result === "running") action.result = leads ? "ok" : "cancelled";
    if (action.result !== "skipped") action.durationMs ??= Math.max(0, end.at - action.startedAt);
  }
  return found;
}
