// What a replay found: the firings with their runs, as many as fit into an answer, and why the rule did not fire.
import type { Run } from "../engine/entry.ts";
import type { Evaluated } from "../engine/evaluator.ts";
import type { ActionTrace, Trace } from "../model/trace.ts";
import { redactedTrace } from "../store/redact.ts";
import { createMisses, type Miss } from "./misses.ts";

export interface Found {
  /** Runs that are over, oldest first. */
  firings: Trace[];
  /** Those that are not listed. */
  omittedFirings: number;
  misses: Miss[];
  /** How often the rule was evaluated. */
  evaluations: number;
}

export interface Results {
  readonly evaluations: number;
  add(evaluated: Evaluated): void;
  /** Takes the runs that are over; to be called now and then. */
  collect(): void;
  /** Those that are not over: at the end, they are ended. */
  open(): readonly Run[];
  found(): Found;
}

// The answer is one text, which is made at once.
const MAX_LISTED_ACTIONS = 2000;

export function createResults(withoutSecrets: boolean): Results {
  const firings: Trace[] = [];
  const misses = createMisses();
  const open = new Set<Run>();
  let listed = 0;
  let omittedFirings = 0;
  let evaluations = 0;

  function list(trace: Trace): void {
    if (listed >= MAX_LISTED_ACTIONS) omittedFirings++;
    else {
      firings.push(withoutSecrets ? redactedTrace(trace) : trace);
      listed += 1 + countActions(trace.actions);
    }
  }

  return {
    get evaluations() {
      return evaluations;
    },
    add({ run, ...rest }) {
      evaluations++;
      if (run) open.add(run);
      else {
        const { trace } = rest as { trace: Trace };
        misses.add(withoutSecrets ? redactedTrace(trace) : trace);
      }
    },
    collect() {
      for (const run of open) {
        if (run.trace.endedAt === undefined) continue;
        open.delete(run);
        list(run.trace);
      }
    },
    open: () => [...open],
    found: () => ({
      firings: firings.sort((a, b) => a.at - b.at),
      omittedFirings,
      misses: misses.list(),
      evaluations,
    }),
  };
}

function countActions(actions: readonly ActionTrace[]): number {
  return actions.reduce((sum, { parts = [] }) => sum + 1 + countActions(parts), 0);
}
