// SQLite applies a log (`-wal`) to whatever database lies beside it. When a hub was killed and its database was then replaced
// by hand, that would mix the two. So each database carries a mark (`application_id`), the mark is noted in a file beside it,
// and a log whose database bears another mark is set aside before anything is opened.
import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { listSegments } from "../../../kit/files/journal-reader.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import { MARK_AT, readHeader } from "../../../server/db/file-header.ts";
import { secondName, setFormerAside } from "../../../server/db/own-file.ts";
import { journalIdOf, readingsFolder } from "../../../server/db/readings.ts";
import type { Home } from "../../../server/home/paths.ts";
import { BACKUP_MARK, dropQueuedMessages, type LeftMessages, type Schemas } from "../database-copies.ts";
import { timeInName } from "../places.ts";

export interface StaleWalOptions {
  home: Home;
  random: RandomBytes;
  /** Epoch ms. */
  now: number;
  log: Pick<Log, "warn">;
  /** A file of a newer hub stays as it is: this hub will not open it. */
  schemas: Schemas;
}

const KEEPS_LOG = 0x0202;
const NOTE_DIGITS = 10;
/** Of a file without a mark. */
const NO_MARK = 0;
const NOTHING_LEFT: LeftMessages = { queued: 0, unanswered: 0 };

/** Must be called with the home locked, before a database is opened. Never throws. */
export function setAsideStaleWal({ home, schemas, ...options }: StaleWalOptions): void {
  const databases = [
    { path: home.stateDb, newest: schemas.state },
    { path: home.historyDb, newest: schemas.history },
  ];
  for (const { path, newest } of databases) {
    try {
      if ((readHeader(path)?.schema ?? 0) <= newest) checkOne(path, options);
    } catch (error) {
      options.log.warn("cannot find out whether a database and its log belong together", {
        file: path,
        error: messageOf(error),
      });
    }
  }
}

/** Whether this home ever had this database, as its mark says. */
export function hadDatabase(path: string): boolean {
  return (notedMark(path) ?? NO_MARK) !== NO_MARK;
}

function checkOne(path: string, { random, now, log }: Pick<StaleWalOptions, "random" | "now" | "log">): void {
  const wal = `${path}-wal`;
  // Where a hub was killed, its file still has a second name.
  if (existsSync(secondName(path)) && !isInPlace(path)) {
    const former = setFormerAside(path, now);
    log.warn("the database was exchanged while the hub ran; the former one was set aside", {
      file: path,
      kept_as: former,
    });
  }
  if (bytesOf(wal) > 0 || (hasReadings(path) && belongsTogether(path))) {
    // The mark stays until a clean end merges the log: a new mark would be written to the log, not to the file.
    if (belongsTogether(path)) return;
    const kept = `${wal}.stale-${timeInName(now)}`;
    renameSync(wal, kept);
    rmSync(`${path}-shm`, { force: true });
    log.warn("the database was replaced, and the log beside it belongs to the previous one; the log was set aside", {
      file: path,
      kept_as: kept,
    });
  }
  const { fresh, left } = existsSync(path) ? mark(path, random) : { fresh: NO_MARK, left: NOTHING_LEFT };
  note(path, fresh);
  if (left.queued > 0)
    log.warn("the notifications queued in the backup are not sent: they belong to the hub it was made of", {
      count: left.queued,
    });
  if (left.unanswered > 0)
    log.warn("the messages that waited for an answer in the backup are closed: nobody is asked about them any more", {
      count: left.unanswered,
    });
}

/** Whether the journal of readings beside a state database, which its mark ties to it, holds what it has not got yet. */
function hasReadings(path: string): boolean {
  const mark = readHeader(path)?.mark;
  return mark !== undefined && listSegments(readingsFolder(path), journalIdOf(mark)).length > 0;
}

/** Whether the database is the one its log was written for. Without a noted mark that is assumed. */
function belongsTogether(path: string): boolean {
  const found = readHeader(path)?.mark;
  const noted = notedMark(path);
  if (noted === undefined) return found !== undefined && found !== BACKUP_MARK;
  return found === noted;
}

/** Gives the file a mark of its own, which is in the file and not in a log on return. Queued messages of a copy are dropped. */
function mark(path: string, random: RandomBytes): { fresh: number; left: LeftMessages } {
  const fresh = freshMark(random);
  const isCopy = readHeader(path)?.mark === BACKUP_MARK;
  if (!isCopy && isAtRest(path)) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(fresh);
    overwrite(path, bytes, MARK_AT);
    return { fresh, left: NOTHING_LEFT };
  }
  using db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA busy_timeout = 0");
  const left = db
    .transaction(() => {
      const found = isCopy ? dropQueuedMessages(db) : NOTHING_LEFT;
      db.run(`PRAGMA application_id = ${fresh}`);
      return found;
    })
    .immediate();
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { fresh, left };
}

/** Whether all of the database is in its file: then its header can be written without SQLite, whose log takes three syncs. */
function isAtRest(path: string): boolean {
  if (existsSync(`${path}-journal`)) return false;
  return readHeader(path)?.journalMode === KEEPS_LOG;
}

/** Positive as a signed number, as SQLite reads it. */
function freshMark(random: RandomBytes): number {
  const mark = Buffer.from(random(4)).readUInt32BE(0) >>> 1;
  return mark === NO_MARK || mark === BACKUP_MARK ? freshMark(random) : mark;
}

function markFile(path: string): string {
  return `${path}.mark`;
}

/** In place where there is a note: then nothing but the note itself has to reach the disk. */
function note(path: string, mark: number): void {
  const text = `${String(mark).padStart(NOTE_DIGITS, "0")}\n`;
  const file = markFile(path);
  try {
    if (bytesOf(file) === text.length) {
      overwrite(file, Buffer.from(text), 0);
      return;
    }
  } catch {
    // A file of another user cannot be written, but the owner of the folder may replace it.
  }
  writeFileAtomic(file, text, 0o600);
}

/** Writes bytes that lie in one sector of the disk, so that a power cut leaves the old ones or the new ones. */
function overwrite(path: string, bytes: Buffer, at: number): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, bytes, 0, bytes.length, at);
    // Neither the size nor the place of the file changes, so its bytes are all that has to be synced.
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The mark noted beside a database; undefined where there is none. */
function notedMark(path: string): number | undefined {
  try {
    const noted = Number.parseInt(readFileSync(markFile(path), "utf8"), 10);
    return Number.isNaN(noted) ? undefined : noted;
  } catch {
    return undefined;
  }
}

/** Whether the file that was in use is still the one of that name. */
function isInPlace(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === statSync(secondName(path)).ino;
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
