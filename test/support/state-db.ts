// The state database of a test's house. That of a new house is laid out once in a process and copied: it is the same file, and the
// migrations take ten times as long as to open it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { openStateDb, type StateDb } from "../../src/db/state-db.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

let laidOut: Uint8Array | undefined;

/** Puts that of a new house there, unless there is one. */
export function layOutStateDb(path: string): void {
  if (existsSync(path)) return;
  laidOut ??= newStateDb();
  writeFileSync(path, laidOut);
}

/** As `openStateDb`. */
export function openTestState(path: string, now: () => number, trouble?: StateDb["trouble"]): StateDb {
  layOutStateDb(path);
  return openStateDb(path, now, trouble);
}

function newStateDb(): Uint8Array {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  openStateDb(path, Date.now)[Symbol.dispose]();
  return readFileSync(path);
}
