// How far the journal of readings has been checkpointed into a database: noted in the transaction that writes what was in it, so that
// each text comes in once.
import type { Database } from "bun:sqlite";

export interface CheckpointMark {
  /** The journal's. */
  id: string;
  segment: number;
}

const READINGS_CHECKPOINT = "readings_folded";

/** The last segment that is in the database; `key`: of what else the journal holds. */
export function checkpointOf(db: Database, id: string, key = READINGS_CHECKPOINT): number {
  const value = db.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
  const [of, segment] = value?.split(":") ?? [];
  return of === id ? Number(segment) || 0 : 0;
}

/** Within the transaction that writes what the journal holds. */
export function setCheckpoint(db: Database, { id, segment }: CheckpointMark, key = READINGS_CHECKPOINT): void {
  db.query("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value").run(
    key,
    `${id}:${segment}`,
  );
}

/** The journal that it speaks of does not belong to the database any more. */
export function forgetCheckpoint(db: Database, key = READINGS_CHECKPOINT): void {
  db.query("DELETE FROM meta WHERE key = ?").run(key);
}
