// Opens an SQLite file: pragmas, check for damage, migrations. A damaged file is set aside, never deleted.
import { Database } from "bun:sqlite";
import { existsSync, renameSync, statSync } from "node:fs";
import { isStorageFault } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import { isComplete } from "./file-header.ts";

export interface OpenOptions {
  path: string;
  migrations: readonly string[];
  /** Epoch ms, for the name of a damaged file that is set aside. */
  now: () => number;
  /** See `connect`; `full` when absent. */
  synchronous?: Synchronous;
  /**
   * When every page is checked: at each opening (when absent), or only if the last end left a log behind, for files that
   * take long to read; or never, where the caller does it later. Damage is then found when the damaged page is read.
   */
  check?: "always" | "after-crash" | "never";
}

export type Synchronous = "full" | "normal";

export interface OpenedDatabase {
  db: Database;
  /** Where a damaged file was moved. */
  setAside?: string;
}

/** Opens or creates the file. Throws HubError: `storage` if it cannot be used, `config` if a newer hub wrote it. */
export function openDatabase(options: OpenOptions): OpenedDatabase {
  try {
    return { db: openSound(options) };
  } catch (error) {
    if (!isDamage(error)) throw explain(error, options.path);
    if (isBeingCopied(options.path)) return openDatabase(options);
    const kept = setAside(options.path, options.now());
    return { db: openSound(options), setAside: kept };
  }
}

/**
 * A second connection to a file that is open already. `normal` syncs the log at checkpoints only: a power cut may lose
 * the last moments, but does not damage the file.
 */
export function connect(path: string, synchronous: Synchronous): Database {
  const db = new Database(path, { create: true, strict: true });
  try {
    db.run("PRAGMA busy_timeout = 5000");
    keepLog(db);
    db.run(`PRAGMA synchronous = ${synchronous}`);
    db.run("PRAGMA foreign_keys = ON");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const MAX_TRIES = 100;
const RETRY_MS = 20;
/** Whoever copies a file writes again within this time. */
const COPYING_MS = 500;

/** For this change alone SQLite does not wait: another connection may be opening or closing the same new file. */
function keepLog(db: Database): void {
  for (let tries = 1; ; tries++) {
    try {
      db.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (tries === MAX_TRIES || !systemCode(error)?.startsWith("SQLITE_BUSY")) throw error;
      Bun.sleepSync(RETRY_MS);
    }
  }
}

/** Checkpoints the log into the file and closes it. */
export function closeDatabase(db: Database): void {
  try {
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The log stays beside the file and is read at the next start.
  }
  db.close();
}

/** Whether somebody copies into the file just now, which looks like damage; waits a moment to find out. */
function isBeingCopied(path: string): boolean {
  const stamp = (): string | undefined => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && `${stat.size}:${stat.mtimeMs}`;
  };
  if (isComplete(path)) return false;
  const before = stamp();
  Bun.sleepSync(COPYING_MS);
  return stamp() !== before;
}

/** Renames a closed file with its log and the note of its mark (copies/backup/restore/stale-wal.ts), and returns the new name. */
export function setAside(path: string, now: number): string {
  const target = `${path}.damaged-${new Date(now).toISOString().replace(/[:.]/g, "-")}`;
  // The log of the new file would not fit the old one's mark, and a kill would cost all that is in it.
  for (const suffix of ["", "-wal", "-shm", ".mark"])
    if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
  return target;
}

/** Whether an error says that the file itself is damaged. */
export function isDamage(error: unknown): boolean {
  return ["SQLITE_CORRUPT", "SQLITE_NOTADB"].some((code) => systemCode(error)?.startsWith(code));
}

function openSound({ path, migrations, synchronous = "full", check = "always" }: OpenOptions): Database {
  // A clean end removes the log.
  const checkAll = check === "always" || (check === "after-crash" && existsSync(`${path}-wal`));
  const db = connect(path, synchronous);
  try {
    if (checkAll) checkPages(db);
    migrate(db, migrations, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function checkPages(db: Database): void {
  const verdict = db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check;
  if (verdict !== "ok") throw Object.assign(new Error(`quick_check: ${verdict}`), { code: "SQLITE_CORRUPT" });
}

function migrate(db: Database, migrations: readonly string[], path: string): void {
  const layout = db.query<{ user_version: number }, []>("PRAGMA user_version");
  const version = layout.get()?.user_version ?? 0;
  if (version > migrations.length) {
    throw new HubError(
      "config",
      `${path} was written by a newer hub (schema ${version}, this one knows ${migrations.length}): run that version, or restore an older backup`,
    );
  }
  if (version === migrations.length) return;
  db.transaction(() => {
    // A worker that was ordered to end may still be opening the same file: it was first, then.
    for (const sql of migrations.slice(layout.get()?.user_version)) db.run(sql);
    db.run(`PRAGMA user_version = ${migrations.length}`);
  }).immediate();
}

function explain(error: unknown, path: string): unknown {
  if (error instanceof HubError) return error;
  const why = isStorageFault(error) ? "the disk is full or cannot be written" : messageOf(error);
  return new HubError("storage", `cannot open ${path}: ${why}`, { cause: error });
}
