// The runs of a rule as people see them: what each waits for, where in its actions, and until when.
import { isObject } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { wallOf } from "../../../kit/time/durable-moment.ts";
import type { Typed } from "../../model/define.ts";
import type { Entry, Run } from "../entry.ts";
import { type Waiting, waitsIn } from "./position.ts";

export interface RunInfo {
  readonly id: string;
  readonly ruleId: string;
  /** Epoch ms; also of a run that is queued. */
  readonly startedAt: number;
  readonly trigger: { readonly type: string; readonly label: string };
  readonly state: "running" | "waiting" | "queued";
  /** The outermost first. */
  readonly waits: readonly RunWait[];
}

export interface RunWait {
  /** Its type. */
  readonly action: string;
  /** Of the action within the rule: `actions[1].then_actions[0]`. */
  readonly path: string;
  /** What it waits for: `delay`, a type of event, an expression, a rule. */
  readonly for: string;
  readonly key: string | undefined;
  /** Epoch ms. */
  readonly since: number;
  /** Epoch ms; undefined if it has no deadline. */
  readonly until: number | undefined;
}

/** Those that run in the order of their starts, then those that are queued. */
export function runsOf(clock: Clock, { running, queue }: Entry): RunInfo[] {
  return [...[...running].map((run) => runInfo(clock, run)), ...queue.map((run) => runInfo(clock, run, true))];
}

function runInfo(clock: Clock, { trace, actions, position }: Run, isQueued = false): RunInfo {
  const waits = waitsIn(position).map((waiting) => waitInfo(clock, actions, waiting));
  const { type, label } = trace.trigger;
  return {
    id: trace.id,
    ruleId: trace.ruleId,
    startedAt: trace.at,
    trigger: { type, label },
    state: isQueued ? "queued" : waits.length > 0 ? "waiting" : "running",
    waits,
  };
}

function waitInfo(clock: Clock, actions: readonly Typed[], { action, wait }: Waiting): RunWait {
  const since = wallOf(clock, wait.since);
  const path = pathOf(actions, action, "actions") ?? "actions";
  const until = wait.ms === undefined ? undefined : since + wait.ms;
  return { action: action.type, path, for: wait.label, key: wait.key, since, until };
}

/** Of this very object. */
function pathOf(value: unknown, wanted: object, path: string): string | undefined {
  if (value === wanted) return path;
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = pathOf(item, wanted, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
