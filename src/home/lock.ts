// One hub per home. The lock is a lock of the operating system (through SQLite), so it ends with the process, however it ends.
import { Database } from "bun:sqlite";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { removeIfPossible } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import { storageFaultOf } from "../core/storage-fault.ts";
import type { Home } from "./paths.ts";

export interface HomeLock extends Disposable {
  /** Whoever had the home before ended without giving it back: a power cut, a crash or a kill. */
  readonly wasLeftLocked: boolean;
}

/** Takes the home for a hub. Throws HubError `in_use` naming the process that has it. */
export function lockHome(home: Home): HomeLock {
  return take(home, { what: "" });
}

/**
 * The same for a command, or for a moment before the hub itself takes it: how the last hub ended is left for the next one
 * to see, and a command that is killed is no hub that was.
 */
export function borrowHome(home: Home): Disposable {
  return take(home, { what: COMMAND });
}

// Behind the process id in the file.
const COMMAND = "command\n";

function take(home: Home, { what }: { what: string }): HomeLock {
  const pidFile = `${home.lock}.pid`;
  const left = leftIn(pidFile);
  let db: Database | undefined;
  try {
    db = lockFile(home.lock);
  } catch (error) {
    if (storageFaultOf(error) === undefined) throw explain(error, home, pidFile);
    db = lockUnwritable(home, pidFile);
  }
  writeIfPossible(pidFile, `${process.pid}\n${left === undefined ? what : ""}`);
  return {
    wasLeftLocked: left !== undefined,
    [Symbol.dispose]() {
      if (what === COMMAND && left !== undefined) writeIfPossible(pidFile, left);
      else removeIfPossible(pidFile);
      db?.close();
    },
  };
}

/** What a hub that had no time to take it away has left there. */
function leftIn(pidFile: string): string | undefined {
  try {
    const text = readFileSync(pidFile, "utf8");
    return text.endsWith(COMMAND) ? undefined : text;
  } catch (error) {
    // One that cannot be read is there all the same.
    return systemCode(error) === "ENOENT" ? undefined : "";
  }
}

/** It is for a message and an alert only. */
function writeIfPossible(path: string, text: string): void {
  try {
    // Somebody else's file cannot be written, but its folder's owner may put his own in its place.
    rmSync(path, { force: true });
    writeFileSync(path, text);
  } catch {
    // A disk that takes nothing is told of elsewhere.
  }
}

function lockFile(path: string): Database {
  const db = new Database(path, { create: true });
  try {
    db.run("PRAGMA busy_timeout = 0");
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    // Where the file is somebody else's, SQLite has opened it for reading, and the lock would keep nobody out.
    db.run("PRAGMA user_version = 1");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * The lock of a home whose disk takes nothing, or whose lock is somebody else's file. Such a file is replaced if nobody holds
 * it; where that is not possible either, reading it is enough to see another hub, and two that only read do no harm.
 */
function lockUnwritable(home: Home, pidFile: string): Database | undefined {
  if (!existsSync(home.lock)) return undefined;
  let reader: Database | undefined;
  try {
    reader = new Database(home.lock, { readonly: true });
    reader.run("PRAGMA busy_timeout = 0");
    reader.run("BEGIN");
    reader.query("PRAGMA user_version").get();
    reader.query("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    reader?.close();
    if (systemCode(error) === "SQLITE_BUSY" || isAlive(pidFile)) throw explain(error, home, pidFile);
    reader = undefined;
  }
  try {
    rmSync(home.lock);
    const db = lockFile(home.lock);
    reader?.close();
    return db;
  } catch {
    return reader;
  }
}

/** Whether the process that wrote its number there still runs. */
function isAlive(pidFile: string): boolean {
  try {
    process.kill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function explain(error: unknown, home: Home, pidFile: string): HubError {
  if (systemCode(error) === "SQLITE_BUSY") {
    return new HubError(
      "in_use",
      `another hub${holder(pidFile)} runs in ${home.root}: stop it first, or give this one another --home`,
    );
  }
  return new HubError("storage", `cannot lock ${home.root}: ${messageOf(error)}`, { cause: error });
}

function holder(pidFile: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(pidFile, "utf8"), 10)})`;
  } catch {
    return "";
  }
}
