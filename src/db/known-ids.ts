// What a state database knows, read from outside: for checks, beside a hub that runs or without one.
import { Database } from "bun:sqlite";

/** The ids in one of its tables; undefined where it cannot be read. */
export function knownIds(path: string, table: "devices" | "scenes"): ReadonlySet<string> | undefined {
  try {
    using db = new Database(path, { readonly: true });
    const rows = db.query<{ id: string }, []>(`SELECT id FROM ${table}`).all();
    return new Set(rows.map(({ id }) => id));
  } catch {
    return undefined;
  }
}
