// The last traces of each rule. A finished one is kept as JSON text, because a home with thousands of rules holds a quarter
// of a million of them. Large values are cut, because traces are for people to read. Some of them are also on disk, see
// trace-store.ts.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { bytesHeldBy, ownBeginning } from "../../kit/schema/memory-size.ts";
import type { ActionTrace, ConditionTrace, Trace } from "../model/trace.ts";
import type { Entry } from "./entry.ts";
import type { TraceStore } from "./trace-store.ts";

export interface Traces {
  /** Adds a trace that is finished, or one that still runs and will be `seal`ed. */
  add(entry: Entry, trace: Trace): void;
  /** Converts the trace into its final form: it will not change any more. */
  seal(entry: Entry, trace: Trace): void;
  /** Newest first, in their current state. */
  of(entry: Entry): Trace[];
  forget(entry: Entry): void;
  /** Writes them to disk in their current state, and nothing after that. */
  close(): void;
}

export interface TracesOptions {
  /** Limit for all rules together. Beyond it, the rules with the most bytes keep fewer traces; the others keep theirs. */
  maxBytes?: number;
  limits?: Limits;
  store?: TraceStore;
}

const MAX_PER_RULE = 50;
const MAX_BYTES_PER_RULE = 1_048_576;
const MAX_BYTES = 24 * 1_048_576;
// Frees more than is needed, so that not every new trace has to search.
const FREED_SHARE = 0.05;
const MAX_TEXT_CHARS = 500;
const MAX_JSON_CHARS = 1000;

interface Kept {
  list: (string | Trace)[];
  bytes: number;
}

export function createTraces({ maxBytes = MAX_BYTES, limits, store }: TracesOptions = {}): Traces {
  const rules = new Map<Entry, Kept>();
  let total = 0;

  function addBytes(kept: Kept, bytes: number): void {
    kept.bytes += bytes;
    total += bytes;
  }

  function dropOldest(kept: Kept): void {
    const oldest = kept.list.shift();
    if (typeof oldest === "string") addBytes(kept, -bytesHeldBy(oldest));
  }

  function enforceLimits(kept: Kept): void {
    while (kept.list.length > MAX_PER_RULE || (kept.bytes > MAX_BYTES_PER_RULE && kept.list.length > 1))
      dropOldest(kept);
    if (total > maxBytes) evict();
  }

  function evict(): void {
    const message = `some rules keep fewer than ${MAX_PER_RULE} traces, because there are many traces or large ones`;
    limits?.reached({ limit: "[rules] max_traces_mb", account: "all", message });
    const largest = [...rules.values()].sort((a, b) => b.bytes - a.bytes);
    const goal = maxBytes * (1 - FREED_SHARE);
    // The largest shrinks to the size of the second, then both to that of the third, and so on.
    for (let count = 1; total > goal && count <= largest.length; count++) {
      const floor = largest[count]?.bytes ?? 0;
      for (const kept of largest.slice(0, count))
        while (total > goal && kept.bytes > floor && kept.list.length > 1) dropOldest(kept);
    }
  }

  function textOf(kept: Kept, trace: Trace): string {
    const text = JSON.stringify(trace);
    addBytes(kept, bytesHeldBy(text));
    return text;
  }

  return {
    add(entry, trace) {
      const kept = rules.get(entry) ?? { list: [], bytes: 0 };
      rules.set(entry, kept);
      kept.list.push(trace.endedAt === undefined ? trace : textOf(kept, trace));
      enforceLimits(kept);
      store?.changed(entry.rule.id, () => kept.list);
    },
    seal(entry, trace) {
      const kept = rules.get(entry);
      const at = kept?.list.lastIndexOf(trace) ?? -1;
      if (!kept || at < 0) return;
      kept.list[at] = textOf(kept, trace);
      enforceLimits(kept);
      store?.changed(entry.rule.id, () => kept.list);
    },
    of(entry) {
      const kept = (rules.get(entry)?.list ?? []).map(read).reverse();
      const ids = new Set(kept.map(({ id }) => id));
      const stored = store?.of(entry.rule.id).filter(({ id }) => !ids.has(id)) ?? [];
      for (const trace of stored) {
        if (trace.endedAt === undefined) closeCutOff(trace, { at: trace.at, why: "the hub stopped while it ran" });
      }
      return [...kept, ...stored].sort((a, b) => b.at - a.at).slice(0, MAX_PER_RULE);
    },
    forget(entry) {
      store?.forget(entry.rule.id);
      const kept = rules.get(entry);
      while (kept && kept.list.length > 0) dropOldest(kept);
      rules.delete(entry);
    },
    close: () => store?.close(),
  };
}

function read(trace: string | Trace): Trace {
  return JSON.parse(typeof trace === "string" ? trace : JSON.stringify(trace)) as Trace;
}

/** The trace of a run that the hub was stopped in the middle of, and that does not go on. */
export function closeCutOff(trace: Trace, { at, why }: { at: number; why: string }): void {
  trace.endedAt = at;
  trace.why += `; ${why}`;
  cancelRunning(trace.actions);
}

function cancelRunning(actions: readonly ActionTrace[]): void {
  for (const action of actions) {
    if (action.result === "running") action.result = "cancelled";
    cancelRunning(action.parts ?? []);
  }
}

export function clipText(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${ownBeginning(text, MAX_TEXT_CHARS)}…` : text;
}

function clip(value: Json): Json {
  if (typeof value === "string") return clipText(value);
  if (typeof value !== "object" || value === null) return value ?? null;
  const text = JSON.stringify(value);
  return text.length > MAX_JSON_CHARS ? clipText(text) : value;
}

/** Cuts each field on its own, so that small ones stay readable. */
export function clipContext(context: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(context).map(([key, value]) => [key, clip(value)]));
}

export function clipCondition(trace: ConditionTrace): ConditionTrace {
  return { ...trace, expected: clipText(trace.expected), actual: clip(trace.actual) };
}
