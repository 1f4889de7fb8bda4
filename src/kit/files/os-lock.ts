// A lock of the operating system on a file, through SQLite. It ends with its process, however that ends.
import { Database } from "bun:sqlite";
import { systemCode } from "../schema/errors.ts";

/**
 * Locks `path`, which is created where it is missing, until disposed; keep the result, or garbage collection releases the lock.
 * `waitMs`: how long it waits for one that is held. Throws SQLite's error; `isHeldError` recognises a lock that is held.
 */
export function lockFile(path: string, waitMs = 0): Disposable {
  return open(path, { create: true }, (db) => {
    db.run(`PRAGMA busy_timeout = ${waitMs}`);
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    // SQLite opens a file of another user read-only, and then the lock would keep nobody out: writing fails here.
    db.run("PRAGMA user_version = 1");
  });
}

/** A shared lock on a file that cannot be written: enough to notice that somebody else holds the lock. Throws as `lockFile`. */
export function lockFileShared(path: string): Disposable {
  return open(path, { readonly: true }, (db) => {
    db.run("BEGIN");
    db.query("PRAGMA user_version").get();
    db.query("SELECT count(*) FROM sqlite_schema").get();
  });
}

export function isHeldError(error: unknown): boolean {
  return systemCode(error) === "SQLITE_BUSY";
}

function open(path: string, how: { create: true } | { readonly: true }, lock: (db: Database) => void): Disposable {
  const db = new Database(path, how);
  try {
    db.run("PRAGMA busy_timeout = 0");
    lock(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
