// The last evaluations of each rule. One that is over is kept as JSON text: a home of thousands of rules that fire all day
// holds a quarter of a million of them.
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

const MOST_PER_RULE = 50;
// Beyond so much text the rules that add more keep fewer. Rules that rarely run keep all of theirs.
const MOST_CHARS = 64 * 1024 * 1024;
const FEWEST_PER_RULE = 10;

export function createTraces(mostChars = MOST_CHARS): Traces {
  const kept = new Map<Entry, (string | Trace)[]>();
  let chars = 0;

  function dropOldest(list: (string | Trace)[]): void {
    const oldest = list.shift();
    if (typeof oldest === "string") chars -= oldest.length;
  }

  function textOf(trace: Trace): string {
    const text = JSON.stringify(trace);
    chars += text.length;
    return text;
  }

  return {
    add(entry, trace) {
      const list = kept.get(entry) ?? [];
      kept.set(entry, list);
      list.push(trace.endedAt === undefined ? trace : textOf(trace));
      while (list.length > MOST_PER_RULE || (chars > mostChars && list.length > FEWEST_PER_RULE)) dropOldest(list);
    },
    seal(entry, trace) {
      const list = kept.get(entry);
      const at = list?.lastIndexOf(trace) ?? -1;
      if (list && at >= 0) list[at] = textOf(trace);
    },
    of: (entry) => (kept.get(entry) ?? []).map(read).reverse(),
    forget(entry) {
      const list = kept.get(entry) ?? [];
      while (list.length > 0) dropOldest(list);
      kept.delete(entry);
    },
  };
}

function read(trace: string | Trace): Trace {
  return JSON.parse(typeof trace === "string" ? trace : JSON.stringify(trace)) as Trace;
}
