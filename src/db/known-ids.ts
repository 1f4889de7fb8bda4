// What a state database knows, read from outside: for checks, beside a hub that runs or without one.
import { Database } from "bun:sqlite";

const QUERIES = {
  devices: "SELECT id FROM devices",
  scenes: "SELECT id FROM scenes",
  // An area exists where a person made it or a device is in it.
  areas: "SELECT id FROM areas UNION SELECT area FROM devices WHERE area IS NOT NULL",
};

/** The ids of what it holds; undefined where it cannot be read. */
export function knownIds(path: string, what: keyof typeof QUERIES): ReadonlySet<string> | undefined {
  try {
    using db = new Database(path, { readonly: true });
    const rows = db.query<{ id: string }, []>(QUERIES[what]).all();
    return new Set(rows.map(({ id }) => id));
  } catch {
    return undefined;
  }
}
