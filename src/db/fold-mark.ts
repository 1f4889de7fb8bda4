// How far the journal of readings has been folded into a database: noted in the transaction that writes what was in it, so that
// each text comes in once.
import type { Database } from "bun:sqlite";

export interface FoldMark {
  /** The journal's. */
  id: string;
  segment: number;
}

const READINGS_FOLDED = "readings_folded";

/** The last segment that is in the database; `key`: of what else the journal holds. */
export function foldedOf(db: Database, id: string, key = READINGS_FOLDED): number {
  const value = db.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
  const [of, segment] = value?.split(":") ?? [];
  return of === id ? Number(segment) || 0 : 0;
}

/** Within the transaction that writes what the journal holds. */
export function setFolded(db: Database, { id, segment }: FoldMark, key = READINGS_FOLDED): void {
  db.query("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value").run(
    key,
    `${id}:${segment}`,
  );
}

/** The journal that it speaks of does not belong to the database any more. */
export function forgetFolded(db: Database, key = READINGS_FOLDED): void {
  db.query("DELETE FROM meta WHERE key = ?").run(key);
}
