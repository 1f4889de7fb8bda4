// A copy in memory of a database whose disk cannot be written. Its rows can be read. One connection refuses every change
// with SQLITE_READONLY; the other accepts what the hub itself writes, until the disk can be written again.
import { constants, Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HubError } from "../../kit/schema/errors.ts";
import { closeDatabase, openDatabase } from "./open.ts";

export interface MemoryCopy extends Disposable {
  /** Refuses every change. */
  readonly refusing: Database;
  /** Accepts changes. */
  readonly accepting: Database;
  /** The file is damaged, and the copy empty. */
  readonly isDamaged: boolean;
  /** Tables that differ from the file. */
  changedTables(): string[];
  /** Writes all tables into the file, in one transaction. Throws if that is not possible: HubError `conflict` if the file was replaced. */
  writeBack(): void;
}

export interface MemoryCopyOptions {
  path: string;
  migrations: readonly string[];
  /** See `OpenOptions` in open.ts. */
  now: () => number;
}

// Folders in memory on Linux; SQLite can checkpoint a log only in a folder that it can write.
const SCRATCH_FOLDERS = ["/dev/shm", "/run", tmpdir()];
// Header bytes that say that there is a log; a copy without its log must not say so.
const JOURNAL_MODE_AT = [18, 19];
const SHARED_MEMORY = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE | constants.SQLITE_OPEN_URI;
// Makes the name of each copy unique in this process.
let copies = 0;

/** Empty if there is no file. Migrated to this hub's schema. Throws if the file cannot be read. */
export function openMemoryCopy({ path, migrations, now }: MemoryCopyOptions): MemoryCopy {
  using opening = new DisposableStack();
  const name = `file:hub-copy-${++copies}?mode=memory&cache=shared`;
  const connect = (): Database => opening.adopt(new Database(name, SHARED_MEMORY), (db) => db.close());
  const [accepting, refusing] = [connect(), connect()];
  for (const sql of migrations) accepting.run(sql);
  let stamp = stampOf(path);
  const isDamaged = stamp !== NO_FILE && !loadFile({ path, migrations, now }, accepting);
  // They share one cache: without this, a reader would wait for the writer in the same process.
  for (const db of [accepting, refusing]) db.run("PRAGMA read_uncommitted = ON");
  accepting.run("PRAGMA foreign_keys = ON");
  refusing.run("PRAGMA query_only = ON");
  let inFile = fingerprints(accepting);
  const connections = opening.move();
  return {
    refusing,
    accepting,
    isDamaged,
    changedTables() {
      const current = fingerprints(accepting);
      return [...current.keys()].filter((table) => current.get(table) !== inFile.get(table));
    },
    writeBack() {
      // A file that somebody put there meanwhile, such as a restored one, is newer.
      if (stamp !== stampOf(path)) throw new HubError("conflict", `${path} was replaced meanwhile`);
      try {
        using file = new DisposableStack();
        copyRows(accepting, file.adopt(openDatabase({ path, migrations, now }).db, closeDatabase));
        inFile = fingerprints(accepting);
      } finally {
        // Whatever changed since the comparison is this attempt's own doing, also if it failed: the next one must not take it for another file.
        stamp = stampOf(path);
      }
    },
    [Symbol.dispose]: () => connections.dispose(),
  };
}

/** False if the file is damaged. */
function loadFile({ path, migrations, now }: MemoryCopyOptions, into: Database): boolean {
  const scratch = makeScratch();
  try {
    if (scratch === undefined) {
      using from = withoutLog(path);
      copyRows(from, into);
      return true;
    }
    const copy = join(scratch, "copy.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const { db, setAside } = openDatabase({ path: copy, migrations, now });
    using from = db;
    copyRows(from, into);
    return setAside === undefined;
  } finally {
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  }
}

/** The file without its log: the last moments before a crash are missing. */
function withoutLog(path: string): Database {
  const bytes = readFileSync(path);
  for (const at of JOURNAL_MODE_AT) bytes[at] = 1;
  return Database.deserialize(bytes, { readonly: true, strict: true });
}

function makeScratch(): string | undefined {
  for (const folder of SCRATCH_FOLDERS) {
    try {
      return mkdtempSync(join(folder, "hub-copy-"));
    } catch {
      // Try the next one.
    }
  }
  return undefined;
}

type Row = (string | number | bigint | Uint8Array | null)[];

function tablesOf(db: Database): string[] {
  const named = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  return named
    .all()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("sqlite_"));
}

function columnsOf(db: Database, table: string): string[] {
  return db
    .query<{ name: string }, []>(`PRAGMA table_info("${table}")`)
    .all()
    .map(({ name }) => `"${name}"`);
}

/** Makes the tables of `into` equal to those of `from`, whose schema may be older. */
function copyRows(from: Database, into: Database): void {
  into
    .transaction(() => {
      into.run("PRAGMA defer_foreign_keys = ON");
      const known = new Set(tablesOf(into));
      const tables = tablesOf(from).filter((table) => known.has(table));
      for (const table of tables) into.run(`DELETE FROM "${table}"`);
      for (const table of tables) {
        const columns = columnsOf(from, table);
        const insert = into.query(
          `INSERT INTO "${table}" (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
        );
        for (const row of rowsOf(from, table)) insert.run(...row);
      }
    })
    .immediate();
}

function rowsOf(db: Database, table: string): Row[] {
  return db.query(`SELECT ${columnsOf(db, table).join()} FROM "${table}"`).values() as Row[];
}

function fingerprints(db: Database): Map<string, unknown> {
  return new Map(tablesOf(db).map((table) => [table, Bun.hash(JSON.stringify(rowsOf(db, table)))]));
}

const NO_FILE = "none none";

/** Changes whenever the file or its log does. */
function stampOf(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((found) => (found && found.size > 0 ? `${found.ino}:${found.size}:${found.mtimeMs}` : "none"))
    .join(" ");
}
