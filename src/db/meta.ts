// Small values of the hub itself, by name.
import type { Database } from "bun:sqlite";

export interface Meta {
  get(key: string): string | undefined;
  /** Durable when it returns. */
  set(key: string, value: string): void;
}

export function createMeta(db: Database): Meta {
  const read = db.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?");
  const write = db.query(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  return {
    get: (key) => read.get(key)?.value,
    set: (key, value) => void write.run(key, value),
  };
}
