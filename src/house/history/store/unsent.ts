// Counts samples that retention removes although somebody who passes the history on has not read them yet.
import type { Database } from "bun:sqlite";

export interface Unsent {
  /** `name` has read everything before `from` (epoch ms). */
  readUntil(name: string, from: number): void;
  /** Samples that were removed unread since the worker started. */
  lost(name: string): number;
  /** Everything of these series before these samples is about to be removed. */
  count(db: Database, doomed: readonly { id: number; at: number; n: number }[]): void;
}

export function createUnsent(): Unsent {
  const readers = new Map<string, { from: number; lost: number }>();
  return {
    readUntil(name, from) {
      const reader = readers.get(name);
      if (reader) reader.from = from;
      else readers.set(name, { from, lost: 0 });
    },
    lost: (name) => readers.get(name)?.lost ?? 0,
    count(db, doomed) {
      for (const reader of readers.values()) {
        const unread = doomed.filter(({ at }) => at >= reader.from);
        if (unread.length === 0) continue;
        const count = db.query<{ samples: number }, [number, number, number, number]>(
          "SELECT count(*) AS samples FROM samples WHERE series_id = ? AND at >= ? AND (at, n) < (?, ?)",
        );
        for (const { id, at, n } of unread) reader.lost += count.get(id, reader.from, at, n)?.samples ?? 0;
      }
    },
  };
}
