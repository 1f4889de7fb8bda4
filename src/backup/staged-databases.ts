// The databases of an archive, unpacked and not yet in their place: whether they are sound and of a kind this hub knows.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { messageOf } from "../core/errors.ts";
import { integrityProblem } from "./snapshot.ts";
import { refusal } from "./zip/directory.ts";

/** The newest `user_version` this hub knows. */
export interface Schemas {
  state: number;
  history: number;
}

interface Kind {
  name: string;
  newest: number;
  /** A table each of them has had from the first version on. */
  table: string;
}

/** Throws HubError `invalid`. A log that came along is folded in. */
export function checkStagedDatabases(staged: { stateDb: string; historyDb: string }, schemas: Schemas): void {
  checkOne(staged.stateDb, { name: "state.redb", newest: schemas.state, table: "device_state" });
  if (existsSync(staged.historyDb))
    checkOne(staged.historyDb, { name: "history.db", newest: schemas.history, table: "samples" });
}

function checkOne(path: string, { name, newest, table }: Kind): void {
  try {
    foldIn(path);
    const flaw = integrityProblem(path);
    if (flaw !== undefined) throw refusal(`${name} is damaged: ${flaw}`);
  } catch (error) {
    throw refusal(`${name} is no sound SQLite database: ${messageOf(error)}`);
  }
  using db = new Database(path, { readonly: true });
  const version = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  if (version > newest)
    throw refusal(
      `${name} is of a newer hub (schema ${version}, this one knows ${newest}): restore it with that version, or a later one`,
    );
  const found = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table);
  if (!found) throw refusal(`${name} is a database, but none of a hub`);
}

/** One file without a log, whatever it came as. */
function foldIn(path: string): void {
  using db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA synchronous = FULL");
  db.query("PRAGMA journal_mode = DELETE").get();
}
