// Opens the history's file: for writing, or for reading where writing is not possible.
import { constants, Database } from "bun:sqlite";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { openDatabase } from "../../../server/db/open.ts";
import { historyMigrations } from "../migrations/index.ts";

export interface HistoryFile {
  db: Database;
  /** Why it cannot be written; undefined where it can. */
  readOnly: HubError | undefined;
  /** Where a damaged predecessor was moved. */
  setAside: string | undefined;
}

/** `check`: see `OpenOptions`. Throws HubError: `storage` where it cannot be opened at all, `config` where a newer hub wrote it. */
export function openHistoryFile(
  path: string,
  now: number,
  check: "after-crash" | "never" = "after-crash",
): HistoryFile {
  try {
    const { db, setAside } = openDatabase({
      path,
      migrations: historyMigrations,
      now: () => now,
      synchronous: "normal",
      check,
    });
    // A long backup lets the log grow; afterwards it shrinks to this.
    db.run("PRAGMA journal_size_limit = 8388608");
    return { db, readOnly: undefined, setAside };
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "storage") throw error;
    return { db: openForReading(path, error), readOnly: error, setAside: undefined };
  }
}

// SQLite reads the log (WAL) only with shared memory beside the file, which needs the right to write. So the log is not read here.
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
