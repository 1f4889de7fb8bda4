// One backup or restore at a time in a home, also between the hub and the command line. The lock is the operating
// system's (through SQLite), so it ends with its process; whoever has it may clear away what a dead one left.
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeIfPossible } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { placesIn } from "./places.ts";

/** Throws HubError `in_use`, `conflict` while a swap is not ended, or `storage` where the home cannot be written. */
export function takeTurn(home: Home): Disposable {
  const places = placesIn(home);
  let db: Database | undefined;
  try {
    db = new Database(places.turn, { create: true });
    db.run("PRAGMA busy_timeout = 0");
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    // Where the file is somebody else's, SQLite has opened it for reading, and the lock would keep nobody out.
    db.run("PRAGMA user_version = 1");
    clearAway(home);
  } catch (error) {
    db?.close();
    throw explain(error, home);
  }
  const held = db;
  return { [Symbol.dispose]: () => held.close() };
}

/** Removes what killed backups and restores left behind, unless one is at work. A swap that has begun is left alone. */
export function sweepLeftovers(home: Home): void {
  const places = placesIn(home);
  if (!existsSync(places.backupWork) && !existsSync(places.restoreWork)) return;
  try {
    takeTurn(home)[Symbol.dispose]();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
  }
}

function clearAway(home: Home): void {
  const { backupWork, restoreWork, journal } = placesIn(home);
  // What lies there then is the home's new state.
  if (existsSync(journal))
    throw new HubError("conflict", `a restore of ${home.root} was cut short: start the hub, which ends it`);
  for (const work of [backupWork, restoreWork]) removeIfPossible(work);
  // Journals that were being written when their writer was killed: their swaps never began.
  for (const name of readdirSync(home.data))
    if (/^restore\.journal\.\d+\.tmp$/.test(name)) rmSync(join(home.data, name), { force: true });
}

function explain(error: unknown, home: Home): HubError {
  const { data, root } = home;
  if (error instanceof HubError) return error;
  const code = systemCode(error) ?? "";
  const cannotOpen = code.startsWith("SQLITE_CANTOPEN") && existsSync(placesIn(home).turn);
  if (code.startsWith("SQLITE_READONLY") || cannotOpen)
    return new HubError(
      "storage",
      `cannot write ${placesIn(home).turn}: give it to the user whose home this is, or mount its disk for writing`,
      { cause: error },
    );
  if (code === "SQLITE_BUSY")
    return new HubError("in_use", `a backup or a restore of ${root} is under way: wait until it has ended`);
  return new HubError(
    "storage",
    `cannot work in ${data}: ${messageOf(error)}; give its owner the right to write there`,
    {
      cause: error,
    },
  );
}
