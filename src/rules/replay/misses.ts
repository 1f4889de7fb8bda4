// Why a rule did not fire although it was triggered: counted by the first reason, without the values that were found.
import { maskedText } from "../../kit/text/masking.ts";
import type { ConditionTrace, Trace } from "../model/trace.ts";

export interface Miss {
  /** One sentence for people. */
  why: string;
  count: number;
  /** Epoch ms of the last one. */
  last: number;
}

export interface Misses {
  add(trace: Trace): void;
  /** The most frequent first. */
  list(): Miss[];
}

const MAX_KINDS = 50;
const OTHERS = "other reasons";

export function createMisses(): Misses {
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
