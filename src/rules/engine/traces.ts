// The last evaluations of each rule. One that is over is kept as JSON text: a home of thousands of rules that fire all day
// holds a quarter of a million of them.
import type { Limits } from "../../core/limits.ts";
import { bytesHeldBy } from "../../core/memory-size.ts";
import type { Trace } from "../trace.ts";
import type { Entry } from "./entry.ts";

export interface Traces {
  /** One that is over, or still runs and will be `seal`ed. */
  add(entry: Entry, trace: Trace): void;
  /** It will not change any more. */
  seal(entry: Entry, trace: Trace): void;
  /** Newest first, as they are now. */
  of(entry: Entry): Trace[];
  forget(entry: Entry): void;
}

export interface TracesOptions {
  /** All rules together: beyond, those that hold the most keep fewer. Rules that rarely run keep all of theirs. */
  mostBytes?: number;
  limits?: Limits;
}

const MOST_PER_RULE = 50;
const MOST_BYTES_PER_RULE = 1_048_576;
const MOST_BYTES = 24 * 1_048_576;
// Room is made for more than one, so that it is not looked for with each.
const MAKE_ROOM = 0.05;

interface Kept {
  list: (string | Trace)[];
  bytes: number;
}

export function createTraces({ mostBytes = MOST_BYTES, limits }: TracesOptions = {}): Traces {
  const rules = new Map<Entry, Kept>();
  let total = 0;

  function count(kept: Kept, bytes: number): void {
    kept.bytes += bytes;
    total += bytes;
  }

  function dropOldest(kept: Kept): void {
    const oldest = kept.list.shift();
    if (typeof oldest === "string") count(kept, -bytesHeldBy(oldest));
  }

  function dropWithin(kept: Kept): void {
    while (kept.list.length > MOST_PER_RULE || (kept.bytes > MOST_BYTES_PER_RULE && kept.list.length > 1))
      dropOldest(kept);
    if (total > mostBytes) makeRoom();
  }

  function makeRoom(): void {
    const message = "rules keep fewer of their traces than 50: they are many, or large";
    limits?.reached({ limit: "[rules] max_traces_mb", account: "all", message });
    const fullest = [...rules.values()].sort((a, b) => b.bytes - a.bytes);
    const goal = mostBytes * (1 - MAKE_ROOM);
    // Down to what the next one holds, then both, and so on.
    for (let most = 1; total > goal && most <= fullest.length; most++) {
      const floor = fullest[most]?.bytes ?? 0;
      for (const kept of fullest.slice(0, most))
        while (total > goal && kept.bytes > floor && kept.list.length > 1) dropOldest(kept);
    }
  }

  function textOf(kept: Kept, trace: Trace): string {
    const text = JSON.stringify(trace);
    count(kept, bytesHeldBy(text));
    return text;
  }

  return {
    add(entry, trace) {
      const kept = rules.get(entry) ?? { list: [], bytes: 0 };
      rules.set(entry, kept);
      kept.list.push(trace.endedAt === undefined ? trace : textOf(kept, trace));
      dropWithin(kept);
    },
    seal(entry, trace) {
      const kept = rules.get(entry);
      const at = kept?.list.lastIndexOf(trace) ?? -1;
      if (!kept || at < 0) return;
      kept.list[at] = textOf(kept, trace);
      dropWithin(kept);
    },
    of: (entry) => (rules.get(entry)?.list ?? []).map(read).reverse(),
    forget(entry) {
      const kept = rules.get(entry);
      while (kept && kept.list.length > 0) dropOldest(kept);
      rules.delete(entry);
    },
  };
}

function read(trace: string | Trace): Trace {
  return JSON.parse(typeof trace === "string" ? trace : JSON.stringify(trace)) as Trace;
}
