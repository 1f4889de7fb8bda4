// SQLite applies a log (`-wal`) to whatever database lies beside it. When a hub was killed and its database was then replaced
// by hand, that would mix the two. So each database carries a mark (`application_id`), the mark is noted in a file beside it,
// and a log whose database bears another mark is set aside before anything is opened.
import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { writeFileAtomic } from "../core/atomic-file.ts";
import { messageOf } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Home } from "../home/paths.ts";
import { BACKUP_MARK, dropQueuedMessages, type Schemas } from "./database-copies.ts";
import { timeInName } from "./places.ts";

export interface StaleWalOptions {
  home: Home;
  random: RandomBytes;
  /** Epoch ms. */
  now: number;
  log: Pick<Log, "warn">;
  /** A file of a newer hub stays as it is: this hub will not open it. */
  schemas: Schemas;
}

const MAGIC = "SQLite format 3\0";
const MARK_AT = 68;
const USER_VERSION_AT = 60;
/** Of a file without a mark. */
const NO_MARK = 0;

/** Must be called with the home locked, before a database is opened. Never throws. */
export function setAsideStaleWal({ home, schemas, ...options }: StaleWalOptions): void {
  const databases = [
    { path: home.stateDb, newest: schemas.state },
    { path: home.historyDb, newest: schemas.history },
  ];
  for (const { path, newest } of databases) {
    try {
      if ((headerField(path, USER_VERSION_AT) ?? 0) <= newest) checkOne(path, options);
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
  if (bytesOf(wal) > 0) {
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
  const { fresh, dropped } = existsSync(path) ? mark(path, random) : { fresh: NO_MARK, dropped: 0 };
  writeFileAtomic(markFile(path), `${fresh}\n`, 0o600);
  if (dropped > 0)
    log.warn("the notifications queued in the backup are not sent: they belong to the hub it was made of", {
      count: dropped,
    });
}

/** Whether the database is the one its log was written for. Without a noted mark that is assumed. */
function belongsTogether(path: string): boolean {
  const found = headerField(path, MARK_AT);
  const noted = notedMark(path);
  if (noted === undefined) return found !== undefined && found !== BACKUP_MARK;
  return found === noted;
}

/** A number in the header of the file itself, without its log; undefined where the file is not a database. */
function headerField(path: string, at: number): number | undefined {
  if (bytesOf(path) < MARK_AT + 4) return undefined;
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(MARK_AT + 4);
    readSync(file, head, 0, head.length, 0);
    return head.toString("latin1", 0, MAGIC.length) === MAGIC ? head.readUInt32BE(at) : undefined;
  } finally {
    closeSync(file);
  }
}

/** Gives the file a mark of its own, which is in the file and not in a log on return. Queued messages of a copy are dropped. */
function mark(path: string, random: RandomBytes): { fresh: number; dropped: number } {
  const fresh = freshMark(random);
  const isCopy = headerField(path, MARK_AT) === BACKUP_MARK;
  using db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA busy_timeout = 0");
  const dropped = db
    .transaction(() => {
      const queued = isCopy ? dropQueuedMessages(db) : 0;
      db.run(`PRAGMA application_id = ${fresh}`);
      return queued;
    })
    .immediate();
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { fresh, dropped };
}

/** Positive as a signed number, as SQLite reads it. */
function freshMark(random: RandomBytes): number {
  const mark = Buffer.from(random(4)).readUInt32BE(0) >>> 1;
  return mark === NO_MARK || mark === BACKUP_MARK ? freshMark(random) : mark;
}

function markFile(path: string): string {
  return `${path}.mark`;
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

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
