// Readings of a table that serve for a moment. SQLite takes longer to read a row than all else a request's check costs;
// but another process (`hub passwd`) may change the row, so a reading is good for these milliseconds only.
import type { Clock } from "../core/clock.ts";

const GLANCE_MS = 20;

export interface Glance<T> {
  (id: string): T | undefined;
  /** This process changed something: the next look reads again. */
  forget(): void;
}

export function createGlance<T>(clock: Clock, read: (id: string) => T | undefined): Glance<T> {
  const seen = new Map<string, T | undefined>();
  let since = Number.NEGATIVE_INFINITY;

  function glance(id: string): T | undefined {
    const now = clock.mono();
    if (now - since > GLANCE_MS) {
      seen.clear();
      since = now;
    }
    if (!seen.has(id)) seen.set(id, read(id));
    return seen.get(id);
  }

  return Object.assign(glance, { forget: () => seen.clear() });
}
