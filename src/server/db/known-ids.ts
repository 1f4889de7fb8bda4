// Reads ids from a state database without opening it for writing: for checks, whether or not a hub is running.
import { Database } from "bun:sqlite";
import { isObject, type JsonObject, parseJson } from "../../kit/schema/json.ts";
import { type Reading, readJournalTailBeside } from "./readings.ts";

const QUERIES = {
  devices: "SELECT id FROM devices",
  scenes: "SELECT id FROM scenes",
  // An area exists where a person made it or a device is in it.
  areas: "SELECT id FROM areas UNION SELECT area FROM devices WHERE area IS NOT NULL",
};

/** The ids of what it holds; undefined where it cannot be read. */
export function knownIds(path: string, what: keyof typeof QUERIES): ReadonlySet<string> | undefined {
  const rows = rowsOf<{ id: string }>(path, QUERIES[what]);
  return rows && new Set(rows.map(({ id }) => id));
}

/** The names of all variables; undefined if they cannot be read. */
export function knownVariables(path: string): ReadonlySet<string> | undefined {
  const rows = rowsOf<{ name: string }>(path, "SELECT name FROM variables");
  return rows && new Set(rows.map(({ name }) => name));
}

/** What the hub keeps for itself under this key; undefined if there is nothing, or it cannot be read. */
export function knownMeta(path: string, key: string): string | undefined {
  return rowsOf<{ key: string; value: string }>(path, "SELECT key, value FROM meta")?.find((row) => row.key === key)
    ?.value;
}

/** The names of each device's attributes, by its id; undefined if they cannot be read. */
export function knownAttributes(path: string): ReadonlyMap<string, readonly string[]> | undefined {
  const rows = rowsOf<{ id: string; attributes: string | null }>(
    path,
    "SELECT id, attributes FROM devices LEFT JOIN device_state ON device_id = id",
  );
  if (!rows) return undefined;
  const known = new Map(rows.map(({ id, attributes }) => [id, new Set(Object.keys(objectIn(attributes ?? "{}")))]));
  for (const { device, set = {} } of journaledReadings(path)) {
    const names = known.get(device);
    for (const name of Object.keys(set)) names?.add(name);
  }
  return new Map([...known].map(([id, names]) => [id, [...names]]));
}

/** What a running hub, or one that was killed, has in its journal. */
function journaledReadings(path: string): Reading[] {
  try {
    const { segments, checkpointed } = readJournalTailBeside(path) ?? { segments: [], checkpointed: 0 };
    return segments.filter(({ number }) => number > checkpointed).flatMap(({ readings }) => readings);
  } catch {
    return [];
  }
}

/** What each device says of itself, by its id; undefined if that cannot be read. */
export function knownDetails(path: string): ReadonlyMap<string, JsonObject> | undefined {
  const rows = rowsOf<{ id: string; details: string }>(path, "SELECT id, details FROM devices");
  return rows && new Map(rows.map(({ id, details }) => [id, objectIn(details)]));
}

export interface Administrator {
  id: string;
  role: string;
  ver: number;
}

/** An administrator's account, the oldest; undefined where there is none, or it cannot be read. */
export function anAdministrator(path: string): Administrator | undefined {
  return rowsOf<Administrator>(
    path,
    "SELECT id, role, ver FROM users WHERE role = 'admin' ORDER BY created_at, id",
  )?.[0];
}

/** When each rule fired last, in epoch ms, and how often, by its id; undefined if it cannot be read. */
export function firedRules(path: string): ReadonlyMap<string, { at: number | null; count: number }> | undefined {
  const rows = rowsOf<{ id: string; at: number | null; count: number }>(
    path,
    "SELECT rule_id AS id, last_fired_at AS at, fire_count AS count FROM rule_state",
  );
  return rows && new Map(rows.map(({ id, at, count }) => [id, { at, count }]));
}

/** Whether anything was ever kept under this key of the meta table; undefined if that cannot be read. */
export function hasMeta(path: string, key: string): boolean | undefined {
  return rowsOf<{ key: string }>(path, "SELECT key FROM meta")?.some((row) => row.key === key);
}

function objectIn(json: string): JsonObject {
  const parsed = parseJson(json);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

function rowsOf<T>(path: string, query: string): T[] | undefined {
  try {
    using db = new Database(path, { readonly: true });
    return db.query<T, []>(query).all();
  } catch {
    return undefined;
  }
}
