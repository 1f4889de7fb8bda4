// Reads ids from a state database without opening it for writing: for checks, whether or not a hub is running.
import { Database } from "bun:sqlite";

/** The ids in one of its tables; undefined if it cannot be read. */
export function knownIds(path: string, table: "devices" | "scenes"): ReadonlySet<string> | undefined {
  try {
    using db = new Database(path, { readonly: true });
    const rows = db.query<{ id: string }, []>(`SELECT id FROM ${table}`).all();
    return new Set(rows.map(({ id }) => id));
  } catch {
    return undefined;
  }
}
