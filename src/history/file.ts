// The history's file: opened for writing, or for reading where writing is not possible.
import { constants, Database } from "bun:sqlite";
import { HubError, messageOf } from "../core/errors.ts";
import { openDatabase } from "../db/open.ts";
import { historyMigrations } from "./migrations/index.ts";

export interface HistoryFile {
  db: Database;
  /** Why nothing can be written. */
  readOnly: HubError | undefined;
  /** Where a damaged predecessor was moved. */
  setAside: string | undefined;
}

/** Throws HubError `storage` where it cannot be used at all, `config` where it is of a newer hub. */
export function openHistoryFile(path: string, now: number): HistoryFile {
  try {
    const { db, setAside } = openDatabase({
      path,
      migrations: historyMigrations,
      now: () => now,
      synchronous: "normal",
      check: "after-crash",
    });
    // What a long copy of the file kept from being folded in does not stay on the disk for ever.
    db.run("PRAGMA journal_size_limit = 8388608");
    return { db, readOnly: undefined, setAside };
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "storage") throw error;
    return { db: openForReading(path, error), readOnly: error, setAside: undefined };
  }
}

// Without the right to write there is no shared memory beside the file, and so no log either: what it held is not seen.
function openForReading(path: string, why: HubError): Database {
  let db: Database | undefined;
  try {
    const uri = `file:${encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")}?immutable=1`;
    db = new Database(uri, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
    const version = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
    if (version !== historyMigrations.length) throw new Error(`it has the schema ${version}`);
    return db;
  } catch (error) {
    db?.close();
    throw new HubError("storage", why.message, { cause: messageOf(error) });
  }
}
