// Twin of the history: a row for each change, committed as it comes, in tables as other hubs have them. Argument: path and
// number of changes, as JSON. Prints the milliseconds it took.
import { Database } from "bun:sqlite";
import { ATTRIBUTES, changeAt } from "../support/house-load.ts";

const { path, samples } = JSON.parse(process.argv[2] ?? "{}") as { path: string; samples: number };
const BEGIN_SECS = Date.UTC(2026, 0, 1) / 1000;
const db = new Database(path, { create: true });
db.run("PRAGMA journal_mode = WAL");
db.run("PRAGMA synchronous = NORMAL");
db.run("CREATE TABLE states_meta (metadata_id INTEGER PRIMARY KEY, entity_id TEXT UNIQUE)");
db.run("CREATE TABLE states (state_id INTEGER PRIMARY KEY, metadata_id INTEGER, state TEXT, last_updated REAL)");
db.run("CREATE INDEX states_by_time ON states (metadata_id, last_updated)");
const ids = new Map<string, number>();
const begin = db.query<{ metadata_id: number }, [string]>(
  "INSERT INTO states_meta (entity_id) VALUES (?) RETURNING metadata_id",
);
const insert = db.query("INSERT INTO states (metadata_id, state, last_updated) VALUES (?, ?, ?)");

function idOf(entity: string): number {
  const known = ids.get(entity) ?? begin.get(entity)?.metadata_id ?? 0;
  ids.set(entity, known);
  return known;
}

const begun = performance.now();
for (let index = 0; index < samples; index++) {
  const { deviceId, attribute, value } = changeAt(index);
  insert.run(idOf(`${deviceId}.${ATTRIBUTES.indexOf(attribute)}`), String(value), BEGIN_SECS + index / 10);
}
process.stdout.write(`${JSON.stringify({ ms: performance.now() - begun })}\n`);
db.run("PRAGMA wal_checkpoint(TRUNCATE)");
db.close();
