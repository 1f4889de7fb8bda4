// What a calendar says at a moment: the event that goes on, the one that comes next, and until when that holds.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Occurrence } from "./occurrence.ts";

export interface Present {
  attributes: JsonObject;
  next: Occurrence | undefined;
  /** Holds in [since, until), in epoch ms. */
  since: number;
  until: number;
}

/** `occurrences`: by start. Of several that go on, the one that began last counts. */
export function presentOf(occurrences: readonly Occurrence[], now: number): Present {
  const begun = occurrences.filter(({ start }) => start <= now);
  const current = begun.findLast(({ end }) => now < end);
  const next = occurrences[begun.length];
  let since = Number.NEGATIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  for (const edge of occurrences.flatMap(({ start, end }) => [start, end])) {
    if (edge <= now) since = Math.max(since, edge);
    else until = Math.min(until, edge);
  }
  return {
    attributes: { on: current !== undefined, ...fieldsOf(current, ""), ...fieldsOf(next, "next_") },
    next,
    since,
    until,
  };
}

function fieldsOf(one: Occurrence | undefined, prefix: "" | "next_"): JsonObject {
  const fields = {
    title: one?.title ?? null,
    start: one ? new Date(one.start).toISOString() : null,
    end: one ? new Date(one.end).toISOString() : null,
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [prefix + name, value]));
}
