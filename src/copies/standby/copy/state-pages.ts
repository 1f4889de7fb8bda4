// The copy of the state database, page by page. The pages of an answer are written to a redo file first and then into the database;
// whoever finds a redo file does the latter again. So the database is that of one answer or of the next, wherever it was killed. Where
// people wait for each answer, the redo file keeps those of many: then one sync of one file is all that they wait for.
import { constants, Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder, writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { checkpointOf } from "../../../server/db/checkpoint-mark.ts";
import type { Home } from "../../../server/home/paths.ts";
import { contentHash, PAGE_HASH_BYTES, pageHashes, stateId } from "../hashes.ts";
import { decodeRecords, encodeRecord, type PagesHead, type SyncRecord } from "../protocol.ts";
import { uriOf } from "./check-databases.ts";
import { applicationIdOf, checkPages, extend, hashFile, overwrite, syncFile } from "./page-file.ts";

export interface StatePages {
  /** As the answers count it, over all pages that are on the disk; undefined where there is no database. */
  readonly hash: string | undefined;
  /** Those of all pages. */
  hashes(): Uint8Array;
  /**
   * On the disk when it returns, with `waits` in the redo file alone. Throws HubError `invalid` where the pages do not fit; the system's
   * error where the disk refuses.
   */
  write(head: PagesHead, content: Uint8Array, options?: { waits?: boolean }): void;
  /** Writes what the redo file of an earlier process holds. Throws where the disk refuses. */
  finish(): void;
  /** All of it is in the database, on the disk, and there is no redo file. Throws where the disk refuses. */
  settle(): void;
  /** Of the header: the journal's id comes from it (server/db/readings.ts). */
  applicationId(): number;
  /** The last segment of this journal that is in it. */
  checkpointed(id: string): number;
  devices(): number | undefined;
  /** What is wrong with it; undefined where nothing is. */
  check(): string | undefined;
  bytes(): number;
}

const MAX_REDO = 4 * 1_048_576;

export function redoPath({ data }: Pick<Home, "data">): string {
  return join(data, "standby-redo");
}

export function openStatePages(home: Pick<Home, "data" | "stateDb">): StatePages {
  const { stateDb } = home;
  const redo = redoPath(home);
  let hashes: Uint8Array | undefined;
  /** Bytes of a redo file whose pages are all in the database, though perhaps not on the disk yet. */
  let redone = 0;
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
    if (redone > 0 || !existsSync(redo)) return;
    changed();
    for (const { head, content } of wholeRecords(readFileSync(redo)))
      if (head.kind === "pages" && existsSync(stateDb)) overwrite(stateDb, head, content);
    removeRedo();
  }

  function settle(): void {
    finish();
    if (redone === 0) return;
    syncFile(stateDb);
    removeRedo();
  }

  /** As `write`, where people wait for it. */
  function append(head: PagesHead, content: Uint8Array): void {
    const before = redone;
    const known = hashes;
    changed();
    try {
      redone += appendSynced(redo, Buffer.concat(encodeRecord({ ...head, hash: contentHash(content) }, content)));
      if (before === 0) syncFolder(dirname(redo));
      extend(stateDb, head, content, { synced: false });
    } catch (error) {
      // No page that was there before has changed.
      redone = before;
      if (before === 0) removeRedo();
      else truncateSync(redo, before);
      throw error;
    }
    overwrite(stateDb, head, content, { synced: false });
    hashes = known && hashesAfter(known, head, content);
    if (redone > MAX_REDO) settle();
  }

  function removeRedo(): void {
    redone = 0;
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
    write(head, content, { waits = false } = {}) {
      if (waits) finish();
      else settle();
      checkPages(head, content, stateDb);
      if (waits && head.numbers.length < head.count) return append(head, content);
      settle();
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
    settle,
    applicationId: () => applicationIdOf(stateDb),
    checkpointed: (id) => read(`checkpointed ${id}`, (db) => checkpointOf(db, id)) ?? 0,
    devices: () => read("devices", countDevices),
    check: () => flawOf(stateDb),
    bytes: () => statSync(stateDb, { throwIfNoEntry: false })?.size ?? 0,
  };
}

/** Throws the system's error. Returns how many bytes the file has got. */
function appendSynced(path: string, bytes: Uint8Array): number {
  const file = openSync(path, "a", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fdatasyncSync(file);
    return bytes.length;
  } finally {
    closeSync(file);
  }
}

/** Those before the first that is cut. */
function* wholeRecords(redo: Uint8Array): Generator<SyncRecord> {
  try {
    for (const record of decodeRecords(redo)) {
      const { head, content } = record;
      if (head.kind === "pages" && head.hash !== undefined && head.hash !== contentHash(content)) return;
      yield record;
    }
  } catch (error) {
    // A power cut came while it was written: nobody was notified that it is here.
    if (!(error instanceof HubError)) throw error;
  }
}

function hashesAfter(before: Uint8Array, { count, numbers, pageSize }: PagesHead, content: Uint8Array): Uint8Array {
  const after = new Uint8Array(count * PAGE_HASH_BYTES);
  after.set(before.subarray(0, after.length));
  const written = pageHashes(content, pageSize);
  for (const [index, page] of numbers.entries())
    after.set(written.subarray(index * PAGE_HASH_BYTES, (index + 1) * PAGE_HASH_BYTES), page * PAGE_HASH_BYTES);
  return after;
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
