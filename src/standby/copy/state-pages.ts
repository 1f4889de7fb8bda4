// The copy of the state database, page by page. The pages of an answer are written to a redo file first and then into the database;
// whoever finds a redo file does the latter again. So the database is that of one answer or of the next, wherever it was killed.
import { constants, Database } from "bun:sqlite";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder, writeFileAtomic } from "../../core/atomic-file.ts";
import { messageOf } from "../../core/errors.ts";
import { foldedOf } from "../../db/fold-mark.ts";
import type { Home } from "../../home/paths.ts";
import { stateId } from "../hashes.ts";
import { decodeRecords, encodeRecord, type PagesHead } from "../protocol.ts";
import { uriOf } from "./check-databases.ts";
import { applicationIdOf, checkPages, extend, hashFile, overwrite } from "./page-file.ts";

export interface StatePages {
  /** As the answers count it, over all pages that are on the disk; undefined where there is no database. */
  readonly hash: string | undefined;
  /** Those of all pages. */
  hashes(): Uint8Array;
  /** On the disk when it returns. Throws HubError `invalid` where the pages do not fit; the system's error where the disk refuses. */
  write(head: PagesHead, content: Uint8Array): void;
  /** Writes what a redo file holds. Throws where the disk refuses. */
  finish(): void;
  /** Of the header: the journal's id comes from it (db/readings.ts). */
  applicationId(): number;
  /** The last segment of this journal that is in it. */
  folded(id: string): number;
  devices(): number | undefined;
  /** What is wrong with it; undefined where nothing is. */
  check(): string | undefined;
  bytes(): number;
}

export function redoPath({ data }: Pick<Home, "data">): string {
  return join(data, "standby-redo");
}

export function openStatePages(home: Pick<Home, "data" | "stateDb">): StatePages {
  const { stateDb } = home;
  const redo = redoPath(home);
  let hashes: Uint8Array | undefined;
  /** What was read from it, until it changes. */
  const known = new Map<string, number>();

  function changed(): void {
    hashes = undefined;
    known.clear();
  }

  function read(what: string, query: (db: Database) => number): number | undefined {
    const before = known.get(what);
    if (before !== undefined) return before;
    try {
      using db = openAtRest(stateDb);
      const value = db && query(db);
      if (value !== undefined) known.set(what, value);
      return value;
    } catch {
      // It is damaged, or of another version.
      return undefined;
    }
  }

  function finish(): void {
    if (!existsSync(redo)) return;
    changed();
    const [record] = decodeRecords(readFileSync(redo));
    if (record?.head.kind === "pages" && existsSync(stateDb)) overwrite(stateDb, record.head, record.content);
    removeRedo();
  }

  function removeRedo(): void {
    rmSync(redo, { force: true });
    syncFolder(dirname(redo));
  }

  function counted(): Uint8Array {
    hashes ??= hashFile(stateDb);
    return hashes;
  }

  return {
    get hash() {
      return idOf(counted());
    },
    hashes: counted,
    write(head, content) {
      finish();
      checkPages(head, content, stateDb);
      changed();
      // Nothing else belongs to these pages: neither a log nor the note of a mark.
      for (const suffix of ["-wal", "-shm", "-journal", ".mark", ".own"]) rmSync(stateDb + suffix, { force: true });
      if (head.numbers.length === head.count) return writeFileAtomic(stateDb, content, 0o600);
      writeFileAtomic(redo, Buffer.concat(encodeRecord(head, content)), 0o600);
      try {
        extend(stateDb, head, content);
      } catch (error) {
        // No page that was there before has changed.
        removeRedo();
        throw error;
      }
      overwrite(stateDb, head, content);
      removeRedo();
    },
    finish,
    applicationId: () => applicationIdOf(stateDb),
    folded: (id) => read(`folded ${id}`, (db) => foldedOf(db, id)) ?? 0,
    devices: () => read("devices", countDevices),
    check: () => flawOf(stateDb),
    bytes: () => statSync(stateDb, { throwIfNoEntry: false })?.size ?? 0,
  };
}

/** As `StatePages.hash`, of any state database; its log is not looked at. */
export function stateHashOf(path: string): string | undefined {
  return idOf(hashFile(path));
}

function idOf(hashes: Uint8Array): string | undefined {
  return hashes.length === 0 ? undefined : stateId(hashes);
}

const countDevices = (db: Database): number =>
  db.query<{ devices: number }, []>("SELECT count(*) AS devices FROM devices").get()?.devices ?? 0;

function flawOf(path: string): string | undefined {
  try {
    using db = openAtRest(path);
    const verdict = db?.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check;
    return !db || verdict === "ok" ? undefined : (verdict ?? "it says nothing");
  } catch (error) {
    return messageOf(error);
  }
}

/** Immutable: SQLite would make a log beside a database that keeps one, also to read it. Undefined where there is none. */
function openAtRest(path: string): Database | undefined {
  if (!existsSync(path)) return undefined;
  return new Database(`${uriOf(path)}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}
