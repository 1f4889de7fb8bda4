// Which pages of the state database a standby lacks. A snapshot is taken only where something was written since the last one, so a
// quiet house costs nothing.
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { isStorageFault } from "../../../../kit/files/storage-fault.ts";
import { HubError, messageOf } from "../../../../kit/schema/errors.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import { journalIdOf } from "../../../../server/db/readings.ts";
import { PAGE_HASH_BYTES, pageHashes, pageSizeOf, stateId } from "../../hashes.ts";
import type { PagesHead, SyncRequest } from "../../protocol.ts";
import { createRecent } from "../recent.ts";
import { createPace } from "./pace.ts";

export interface StateAnswer {
  /** Undefined where the standby has them all. */
  pages: { head: PagesHead; content: Uint8Array } | undefined;
  /** What the standby has then; undefined where it has to name its pages first. */
  id: string | undefined;
}

export interface StatePages extends Disposable {
  /** `now`: also where the last snapshot was taken just before. Throws HubError `storage`. */
  read(have: Pick<SyncRequest["have"], "state" | "pages">, now: boolean): StateAnswer;
  /** The name of the journal that belongs to the database. */
  journalId(): string;
}

interface Snapshot {
  id: string;
  hashes: Uint8Array;
  /** `data_version` when it was taken. */
  version: number;
}

const SHORTEST_PAUSE_MS = 3000;
const MAX_BYTES = 1_073_741_824;
const NOTHING = new Uint8Array(0);

export function openStatePages(path: string, clock: Pick<Clock, "mono">): StatePages {
  let file: { db: Database; inode: number } | undefined;
  let last: Snapshot | undefined;
  const recent = createRecent<Uint8Array>();
  const pace = createPace(clock, SHORTEST_PAUSE_MS);

  function close(): void {
    file?.db.close();
    file = undefined;
    last = undefined;
  }

  function opened(): Database {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (inode === undefined) throw new HubError("storage", `there is no ${path}`);
    if (file?.inode !== inode) close();
    file ??= { db: open(path), inode };
    return file.db;
  }

  function versionOf(db: Database): number {
    return db.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version ?? 0;
  }

  /** The whole database, and what it is named by from now on. */
  function take(db: Database): { content: Uint8Array; pageSize: number; snapshot: Snapshot } {
    return pace.measure(() => {
      const { content, version } = snapshotOf(db, versionOf);
      const pageSize = pageSizeOf(content);
      const hashes = pageHashes(content, pageSize);
      const snapshot = { id: stateId(hashes), hashes, version };
      recent.add(snapshot.id, hashes);
      last = snapshot;
      return { content, pageSize, snapshot };
    });
  }

  /** The hashes of the pages that the standby has; undefined where they are not known. */
  function baseOf({ state, pages }: Pick<SyncRequest["have"], "state" | "pages">): Uint8Array | undefined {
    if (pages !== undefined) return new Uint8Array(Buffer.from(pages, "base64"));
    return state === undefined ? NOTHING : recent.get(state);
  }

  return {
    journalId: () =>
      guarded(path, () => {
        const mark = opened().query<{ application_id: number }, []>("PRAGMA application_id").get();
        return journalIdOf(mark?.application_id ?? 0);
      }),
    read(have, now) {
      return guarded(path, () => {
        const db = opened();
        const isCurrent = last !== undefined && (last.version === versionOf(db) || (!now && !pace.isDue()));
        const taken = isCurrent ? undefined : take(db);
        if (have.state === last?.id && have.pages === undefined) return { pages: undefined, id: have.state };
        const base = baseOf(have);
        if (!base) return { pages: undefined, id: undefined };
        const { content, pageSize, snapshot } = taken ?? take(db);
        const numbers = differing(base, snapshot.hashes);
        if (numbers.length === 0 && base.length === snapshot.hashes.length)
          return { pages: undefined, id: snapshot.id };
        const count = snapshot.hashes.length / PAGE_HASH_BYTES;
        const bytes = numbers.length * pageSize;
        const chosen = numbers.length === count ? content : pagesOf(content, numbers, pageSize);
        const head: PagesHead = { kind: "pages", pageSize, count, numbers, bytes };
        return { pages: { head, content: chosen }, id: snapshot.id };
      });
    },
    [Symbol.dispose]: close,
  };
}

function open(path: string): Database {
  // Not "readonly": such a connection leaves its log behind in the home of a stopped hub.
  const db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA busy_timeout = 10000");
  // Each snapshot reads every page once.
  db.run("PRAGMA cache_size = -256");
  return db;
}

function snapshotOf(db: Database, versionOf: (db: Database) => number): { content: Uint8Array; version: number } {
  return db.transaction(() => {
    const count = Number(Object.values(db.query("PRAGMA page_count").get() ?? { none: 0 })[0]);
    const size = Number(Object.values(db.query("PRAGMA page_size").get() ?? { none: 0 })[0]);
    if (count * size > MAX_BYTES) throw new HubError("too_large", "the state database is too large for a standby");
    const version = versionOf(db);
    return { content: db.serialize(), version };
  })();
}

function pagesOf(content: Uint8Array, numbers: readonly number[], pageSize: number): Uint8Array {
  return Buffer.concat(numbers.map((page) => content.subarray(page * pageSize, (page + 1) * pageSize)));
}

function differing(base: Uint8Array, hashes: Uint8Array): number[] {
  const [had, are] = [base, hashes].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
  const numbers: number[] = [];
  for (let at = 0; at < hashes.length; at += PAGE_HASH_BYTES) {
    const isSame = at + PAGE_HASH_BYTES <= base.length && had?.getBigUint64(at) === are?.getBigUint64(at);
    if (!isSame) numbers.push(at / PAGE_HASH_BYTES);
  }
  return numbers;
}

function guarded<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof HubError) throw error;
    const why = isStorageFault(error) ? "the disk is full or cannot be read" : messageOf(error);
    throw new HubError("storage", `cannot read ${path}: ${why}`, { cause: error });
  }
}
