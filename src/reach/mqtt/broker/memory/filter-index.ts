// Answers quickly whether anybody may have subscribed to a topic, so that a message nobody gets does not go through the broker.
import { hasWildcard, matchesFilter } from "../../../../kit/text/topic-filter.ts";

// Beyond so many different filters with wildcards the broker's own search tree is faster than trying each.
const MAX_WILDCARDS = 32;

export class FilterIndex {
  /** How many sessions have each. */
  readonly #names = new Map<string, number>();
  readonly #wildcards = new Map<string, number>();

  add(filter: string): void {
    const filters = this.#of(filter);
    filters.set(filter, (filters.get(filter) ?? 0) + 1);
  }

  remove(filter: string): void {
    const filters = this.#of(filter);
    const left = (filters.get(filter) ?? 0) - 1;
    if (left > 0) filters.set(filter, left);
    else filters.delete(filter);
  }

  /** False only where no filter matches. */
  mayMatch(topic: string): boolean {
    if (this.#names.has(topic) || this.#wildcards.size > MAX_WILDCARDS) return true;
    for (const filter of this.#wildcards.keys()) if (matchesFilter(filter, topic)) return true;
    return false;
  }

  #of(filter: string): Map<string, number> {
    return hasWildcard(filter) ? this.#wildcards : this.#names;
  }
}
