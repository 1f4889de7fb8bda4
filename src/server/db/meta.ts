// Small values that the hub keeps for itself, by key.
import type { StateDb } from "./state-db.ts";

export interface Meta {
  get(key: string): string | undefined;
  /** Durable when it returns. Throws if it cannot be written. */
  set(key: string, value: string): void;
}

/** Of the second machine of a house. A backup that is restored does not bring them back: it may be another house then. */
export const STANDBY_META = { key: "standby_key", machine: "standby_machine" } as const;

export function createMeta({ own, trouble }: Pick<StateDb, "own" | "trouble">): Meta {
  const read = own.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?");
  const write = own.query(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  return {
    get: (key) => read.get(key)?.value,
    set(key, value) {
      try {
        write.run(key, value);
      } catch (error) {
        trouble.note(error);
        throw error;
      }
    },
  };
}
