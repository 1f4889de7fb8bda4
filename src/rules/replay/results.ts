// What a replay found: the firings with their runs, as many as fit into an answer, and why the rule did not fire.
import { maskedText } from "../../kit/text/masking.ts";
import type { Run } from "../engine/entry.ts";
import type { Evaluated } from "../engine/evaluator.ts";
import type { ActionTrace, ConditionTrace, Trace } from "../model/trace.ts";
import { redactedTrace } from "../store/redact.ts";

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

interface Miss {
  /** One sentence for people. */
  why: string;
  count: number;
  /** Epoch ms of the last one. */
  last: number;
}

interface Misses {
  add(trace: Trace): void;
  /** The most frequent first. */
  list(): Miss[];
}

const MAX_KINDS = 50;
const OTHERS = "other reasons";

function createMisses(): Misses {
  const misses = new Map<string, Miss>();
  return {
    add(trace) {
      const reason = reasonOf(trace);
      const why = misses.has(reason) || misses.size < MAX_KINDS ? reason : OTHERS;
      const miss = misses.get(why) ?? { why, count: 0, last: trace.at };
      misses.set(why, { why, count: miss.count + 1, last: trace.at });
    },
    list: () => [...misses.values()].sort((a, b) => b.count - a.count || b.last - a.last),
  };
}

function reasonOf({ outcome, why, conditions }: Trace): string {
  const failed = conditions.find(({ passed }) => !passed);
  switch (outcome) {
    case "conditions_failed":
      return failed ? `a condition did not pass: ${wanted(failed)}` : why;
    case "cooldown":
      return "its cooldown was not over";
    case "runaway":
      return "it fired too often and was blocked";
    default:
      return why;
  }
}

/** What had to be so. Of `and` the first part that was not. */
function wanted({ type, expected, error, parts = [] }: ConditionTrace): string {
  const failed = parts.find(({ passed }) => !passed);
  if (type === "and" && failed) return wanted(failed);
  if (type === "not") return `not ${parts.map((part) => `(${wanted(part)})`).join(" and not ")}`;
  if (parts.length > 0) return `${type === "xor" ? "exactly one of" : "one of"}: ${parts.map(wanted).join("; ")}`;
  const text = expected.trim().replace(/\s*\n\s*/g, " ");
  return error === undefined ? text : `${text} (it could not be evaluated: ${maskedText(error)})`;
}
