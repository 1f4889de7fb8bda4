// After a start: takes up the runs that waited when the hub stopped, where their rules are still what they were. Of the others
// it is said why they do not go on.
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Typed } from "../../model/define.ts";
import type { Trace } from "../../model/trace.ts";
import type { Entry, RunScope } from "../entry.ts";
import { readTrace } from "../trace-store.ts";
import { positionFromJson } from "./position.ts";
import type { RunRow, RunStore } from "./run-store.ts";
import type { StoredRun } from "./runs.ts";
import { type Begun, type Changing, objectOf, readBegun, readChanging } from "./stored-run.ts";

export interface RestoreOptions {
  clock: Clock;
  store: RunStore;
  entries: ReadonlyMap<string, Entry>;
  markOf(actions: readonly Typed[]): string;
  scopeFor(entry: Entry, begun: Begun, changing: Changing): RunScope;
  /** Reports that a run does not go on. */
  onLost(run: { ruleId: string; id: string; entry: Entry | undefined; trace: Trace | undefined }, why: string): void;
}

const WENT_ON = "; the hub was restarted meanwhile";

/** The runs that go on. The rows of all others are gone. */
export function readStoredRuns({ store, onLost, ...options }: RestoreOptions): StoredRun[] {
  const lost: string[] = [];
  const runs = store.read().flatMap((row) => {
    const entry = options.entries.get(row.rule_id);
    try {
      const begun = readBegun(row);
      const trace = traceFor(row, begun);
      const why = reasonAgainst(entry, begun, options.markOf);
      if (entry && why === undefined) return [storedRun({ row, begun, trace, entry }, options)];
      onLost({ ruleId: row.rule_id, id: row.id, entry, trace }, why ?? "");
    } catch (error) {
      onLost(
        { ruleId: row.rule_id, id: row.id, entry, trace: undefined },
        `its stored state is damaged: ${messageOf(error)}`,
      );
    }
    lost.push(row.id);
    return [];
  });
  if (lost.length > 0) store.write([], lost);
  return runs;
}

function reasonAgainst(entry: Entry | undefined, begun: Begun, markOf: RestoreOptions["markOf"]): string | undefined {
  if (!entry) return "its rule is gone, or its file has problems";
  if (!entry.rule.enabled) return "its rule was disabled";
  if (!entry.rule.durable) return "its rule is no longer durable";
  return markOf(entry.rule.actions) === begun.actions ? undefined : "its rule's actions were changed";
}

interface Read {
  row: RunRow;
  begun: Begun;
  trace: Trace;
  entry: Entry;
}

/** Throws TypeError if the row is damaged. */
function storedRun(
  { row, begun, trace, entry }: Read,
  { clock, scopeFor }: Pick<RestoreOptions, "clock" | "scopeFor">,
): StoredRun {
  const changing = readChanging(row);
  const position = positionFromJson(clock, objectOf(row.position));
  entry.captured ??= new Map();
  for (const key in changing.captured) entry.captured.set(key, changing.captured[key] ?? {});
  const { hold, chain, parent } = begun;
  const scope = scopeFor(entry, begun, changing);
  return { entry, actions: entry.rule.actions, trace, scope, chain, hold, position, parentId: parent };
}

/** Of a trace that was not stored yet, what is known. */
function traceFor({ id, rule_id, trace: text }: RunRow, { at, trigger, why }: Begun): Trace {
  const stored = text === null ? undefined : readTrace(text);
  const known = { id, ruleId: rule_id, at, dryRun: false, outcome: "fired", why, conditions: [], actions: [] } as const;
  const trace: Trace = stored ?? { ...known, trigger: { ...trigger }, conditions: [], actions: [] };
  delete trace.endedAt;
  if (!trace.why.includes(WENT_ON)) trace.why += WENT_ON;
  return trace;
}
