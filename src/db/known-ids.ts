// What a state database knows, read from outside: for checks, beside a hub that runs or without one.
import { Database } from "bun:sqlite";
import { isObject, parseJson } from "../core/json.ts";

/** The ids in one of its tables; undefined where it cannot be read. */
export function knownIds(path: string, table: "devices" | "scenes"): ReadonlySet<string> | undefined {
  const rows = rowsOf<{ id: string }>(path, `SELECT id FROM ${table}`);
  return rows && new Set(rows.map(({ id }) => id));
}

/** The names of all variables; undefined if they cannot be read. */
export function knownVariables(path: string): ReadonlySet<string> | undefined {
  const rows = rowsOf<{ name: string }>(path, "SELECT name FROM variables");
  return rows && new Set(rows.map(({ name }) => name));
}

/** The names of each device's attributes, by its id; undefined if they cannot be read. */
export function knownAttributes(path: string): ReadonlyMap<string, readonly string[]> | undefined {
  const rows = rowsOf<{ id: string; attributes: string | null }>(
    path,
    "SELECT id, attributes FROM devices LEFT JOIN device_state ON device_id = id",
  );
  return rows && new Map(rows.map(({ id, attributes }) => [id, keysOf(attributes ?? "{}")]));
}

function keysOf(json: string): string[] {
  const parsed = parseJson(json);
  return parsed.ok && isObject(parsed.value) ? Object.keys(parsed.value) : [];
}

function rowsOf<T>(path: string, query: string): T[] | undefined {
  try {
    using db = new Database(path, { readonly: true });
    return db.query<T, []>(query).all();
  } catch {
    return undefined;
  }
}
