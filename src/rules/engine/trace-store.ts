// The last traces of each rule on disk, so that they outlive a restart. Traces are for people, and rules may fire a thousand
// times a second: they are written once a minute, those of one rule once in five, and a bounded amount at a time; the rest waits
// for the next minute, or for the end of the hub. What is on disk is read only when somebody asks.
import { type DiskBudget, startWriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { isObject } from "../../kit/schema/json.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { Trace } from "../model/trace.ts";

/** As JSON, or one that still runs. */
export type KeptTrace = string | Trace;

export interface TraceStore extends Disposable {
  /** The rule has new traces. When they are written, `kept` gives those in memory, the oldest first. */
  changed(ruleId: string, kept: () => readonly KeptTrace[]): void;
  /** Newest first. */
  of(ruleId: string): Trace[];
  forget(ruleId: string): void;
  /** Writes what is left, and nothing after that. */
  close(): void;
}

export interface TraceStoreOptions {
  db: Pick<StateDb, "relaxed" | "trouble">;
  clock: Clock;
  log: Log;
  /** For all of them on disk; beyond it, the oldest are deleted. */
  maxBytes: number;
  budget?: DiskBudget | undefined;
}

const STORED_PER_RULE = 20;
const PERIOD_MS = 60_000;
// A rule that fires all day replaces its traces, each time on several pages.
const RULE_PERIOD_MS = 5 * PERIOD_MS;
const MAX_BYTES_AT_ONCE = 65_536;
// A longer one is not stored.
const MAX_CHARS = 65_536;
const DELETED_AT_ONCE = 100;

interface Size {
  id: string;
  bytes: number;
}

export function openTraceStore({ db, clock, log, maxBytes, budget }: TraceStoreOptions): TraceStore {
  const { relaxed, trouble } = db;
  // One that is there unchanged is not written.
  const put = relaxed.query(
    `INSERT INTO rule_traces (id, rule_id, at, trace)
      VALUES (json_extract($trace, '$.id'), $rule_id, json_extract($trace, '$.at'), $trace)
      ON CONFLICT (id) DO UPDATE SET trace = excluded.trace WHERE trace IS NOT excluded.trace`,
  );
  const removeSurplus = relaxed.query(
    `DELETE FROM rule_traces WHERE id IN (
      SELECT id FROM rule_traces WHERE rule_id = ? ORDER BY at DESC, id DESC LIMIT -1 OFFSET ${STORED_PER_RULE})`,
  );
  const oldest = relaxed.query<Size, []>(
    `SELECT id, length(trace) AS bytes FROM rule_traces ORDER BY at LIMIT ${DELETED_AT_ONCE}`,
  );
  const total = relaxed.query<{ bytes: number | null }, []>("SELECT sum(length(trace)) AS bytes FROM rule_traces");
  const remove = relaxed.query("DELETE FROM rule_traces WHERE id = ?");
  const removeAll = relaxed.query("DELETE FROM rule_traces WHERE rule_id = ?");
  const readAll = relaxed.query<{ trace: string }, [string]>(
    "SELECT trace FROM rule_traces WHERE rule_id = ? ORDER BY at DESC, id DESC",
  );

  const sources = new Map<string, () => readonly KeptTrace[]>();
  /** Monotonic ms, by rule. */
  const writtenAt = new Map<string, number>();
  let used: number | undefined;
  let isLast = false;
  let closed = false;
  let rest: Timer | undefined;

  /** Gives the bytes that it wrote. */
  function writeRule(ruleId: string): number {
    let bytes = 0;
    const source = sources.get(ruleId);
    if (source) writtenAt.set(ruleId, clock.mono());
    else removeAll.run(ruleId);
    for (const kept of source?.().slice(-STORED_PER_RULE) ?? []) {
      const trace = typeof kept === "string" ? kept : JSON.stringify(kept);
      if (trace.length <= MAX_CHARS && put.run({ trace, rule_id: ruleId }).changes > 0) bytes += trace.length;
    }
    removeSurplus.run(ruleId);
    return bytes;
  }

  function wasJustWritten(ruleId: string): boolean {
    const at = writtenAt.get(ruleId);
    return at !== undefined && clock.mono() - at < RULE_PERIOD_MS;
  }

  /** Counts what it adds, and looks again only when that may be too much. */
  function enforceLimit(added: number): void {
    used = (used ?? total.get()?.bytes ?? 0) + added;
    if (used <= maxBytes) return;
    used = total.get()?.bytes ?? 0;
    for (let rows = oldest.all(); used > maxBytes && rows.length > 0; rows = oldest.all()) {
      for (const { id, bytes } of rows) {
        if (used <= maxBytes) break;
        remove.run(id);
        used -= bytes;
      }
    }
  }

  /** Gives the rules that have to wait. */
  const writeSome = relaxed.transaction((ruleIds: readonly string[]) => {
    let bytes = 0;
    const left = ruleIds.filter((ruleId) => {
      if ((bytes >= MAX_BYTES_AT_ONCE || wasJustWritten(ruleId)) && !isLast) return true;
      bytes += writeRule(ruleId);
      return false;
    });
    enforceLimit(bytes);
    return left;
  }).immediate;

  const unwritten = startWriteBehind<string>({
    clock,
    log,
    what: "what rules did",
    periodMs: PERIOD_MS,
    write(ruleIds) {
      const left = writeSome([...ruleIds]);
      rest = clock.after("rules: the rest of the traces", 0, () => left.forEach(unwritten.mark));
    },
    ...(budget && { budget }),
    trouble,
  });

  return {
    changed(ruleId, kept) {
      if (closed) return;
      sources.set(ruleId, kept);
      unwritten.mark(ruleId);
    },
    of: (ruleId) => readAll.all(ruleId).flatMap(({ trace }) => readTrace(trace) ?? []),
    forget(ruleId) {
      if (closed) return;
      sources.delete(ruleId);
      writtenAt.delete(ruleId);
      unwritten.mark(ruleId);
    },
    close() {
      isLast = true;
      unwritten.flush();
      closed = true;
    },
    [Symbol.dispose]() {
      isLast = true;
      unwritten[Symbol.dispose]();
      rest?.[Symbol.dispose]();
    },
  };
}

/** Undefined if it is damaged: others may have edited the database. */
export function readTrace(text: unknown): Trace | undefined {
  try {
    const trace: unknown = JSON.parse(String(text));
    const isWhole =
      isObject(trace) && isObject(trace.trigger) && [trace.conditions, trace.actions].every(Array.isArray);
    return isWhole && typeof trace.at === "number" && typeof trace.why === "string"
      ? (trace as unknown as Trace)
      : undefined;
  } catch {
    return undefined;
  }
}
