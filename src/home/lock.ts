// One hub per home. The lock is a lock of the operating system (through SQLite), so it ends with the process, however it ends.
import { Database } from "bun:sqlite";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { Home } from "./paths.ts";

export interface HomeLock extends Disposable {
  /** Whoever had the home before ended without giving it back: a power cut, a crash or a kill. */
  readonly wasLeftLocked: boolean;
}

/** Takes the home. Throws HubError `in_use` naming the process that has it. */
export function lockHome(home: Home): HomeLock {
  const pidFile = `${home.lock}.pid`;
  const wasLeftLocked = existsSync(pidFile);
  let db: Database | undefined;
  try {
    db = new Database(home.lock, { create: true });
    db.run("PRAGMA busy_timeout = 0");
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    // Where the file is somebody else's, SQLite has opened it for reading, and the lock would keep nobody out.
    db.run("PRAGMA user_version = 1");
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    db?.close();
    throw explain(error, home, pidFile);
  }
  const held = db;
  return {
    wasLeftLocked,
    [Symbol.dispose]() {
      rmSync(pidFile, { force: true });
      held.close();
    },
  };
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
