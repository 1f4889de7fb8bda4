// A read-only copy in memory of a database that cannot be opened where it is, because its disk takes nothing: what was kept
// can be read, and whoever writes gets SQLITE_READONLY.
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeDatabase, openDatabase } from "./open.ts";

// Where Linux keeps files in memory; SQLite can only fold in a log where it may write.
const SCRATCH_FOLDERS = ["/dev/shm", "/run", tmpdir()];
// Offsets of the header that say "with a log"; a copy in memory has none.
const JOURNAL_MODE_AT = [18, 19];

/** The whole file, or an empty one where there is none, brought to this hub's schema. Throws where it cannot be read, or is damaged. */
export function readWhole(path: string, migrations: readonly string[]): Uint8Array {
  if (!existsSync(path)) return serialized(":memory:", migrations);
  const scratch = makeScratch();
  if (scratch === undefined) return withoutLog(path);
  try {
    const copy = join(scratch, "copy.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    return serialized(copy, migrations);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function serialized(path: string, migrations: readonly string[]): Uint8Array {
  const { db } = openDatabase({ path, migrations, now: () => 0 });
  db.run("PRAGMA journal_mode = DELETE");
  const bytes = db.serialize();
  closeDatabase(db);
  return bytes;
}

export function openInMemory(bytes: Uint8Array): Database {
  const db = Database.deserialize(bytes, { readonly: true, strict: true });
  db.run("PRAGMA query_only = ON");
  return db;
}

function makeScratch(): string | undefined {
  for (const folder of SCRATCH_FOLDERS) {
    try {
      return mkdtempSync(join(folder, "hub-copy-"));
    } catch {
      // The next may do.
    }
  }
  return undefined;
}

/** What the log holds is missing then: the last moments before a crash. */
function withoutLog(path: string): Uint8Array {
  const bytes = readFileSync(path);
  for (const at of JOURNAL_MODE_AT) bytes[at] = 1;
  return bytes;
}
