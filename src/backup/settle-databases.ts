// A log that lies beside a database is applied to it, whoever's it is: SQLite cannot tell. After a hub was killed, and its
// database then replaced by hand, that would mix the two. So each file carries a mark (`application_id`), the mark is noted
// beside it, and a log whose file bears another mark is set aside before anything is opened.
import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { writeFileAtomic } from "../core/atomic-file.ts";
import { messageOf } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Home } from "../home/paths.ts";
import { BACKUP_MARK, NO_MARK } from "./marks.ts";
import { timeInName } from "./places.ts";
import type { Schemas } from "./staged-databases.ts";
import { dropWaitingMessages } from "./waiting-messages.ts";

export interface SettleOptions {
  home: Home;
  random: RandomBytes;
  /** Epoch ms. */
  now: number;
  log: Pick<Log, "warn">;
  /** A file of a newer hub is left as it is: this one will not open it. */
  schemas: Schemas;
}

const MAGIC = "SQLite format 3\0";
const MARK_AT = 68;
const USER_VERSION_AT = 60;

/** To be called by whoever has the home's lock, before a database is opened. Never throws. */
export function settleDatabases({ home, schemas, ...options }: SettleOptions): void {
  const known = [
    { path: home.stateDb, newest: schemas.state },
    { path: home.historyDb, newest: schemas.history },
  ];
  for (const { path, newest } of known) {
    try {
      if ((headerField(path, USER_VERSION_AT) ?? 0) <= newest) settleOne(path, options);
    } catch (error) {
      options.log.warn("cannot tell whether a database and its log belong together", {
        file: path,
        error: messageOf(error),
      });
    }
  }
}

function settleOne(path: string, { random, now, log }: Pick<SettleOptions, "random" | "now" | "log">): void {
  const logFile = `${path}-wal`;
  if (bytesOf(logFile) > 0) {
    // Until the log is folded in by a clean end, the mark stays: what is in the log bears none.
    if (belongs(path)) return;
    const kept = `${logFile}.stale-${timeInName(now)}`;
    renameSync(logFile, kept);
    rmSync(`${path}-shm`, { force: true });
    log.warn("the database was replaced while the log of another lay beside it; that log was set aside", {
      file: path,
      kept_as: kept,
    });
  }
  const { fresh, dropped } = existsSync(path) ? mark(path, random) : { fresh: NO_MARK, dropped: 0 };
  note(path, fresh);
  if (dropped > 0)
    log.warn("notifications that waited in a backup are not sent again: they stay with the hub it was made of", {
      count: dropped,
    });
}

/** Whether the file is the one its log was written for. Where nothing was noted it is believed. */
function belongs(path: string): boolean {
  const found = headerField(path, MARK_AT);
  const noted = notedFor(path);
  if (noted === undefined) return found !== undefined && found !== BACKUP_MARK;
  return found === noted;
}

/** A number in the file itself, read past its log; undefined where it is no database. */
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

/** Gives the file a mark of its own, in the file and not in a log when it returns. A backup's copy loses what waits in it. */
function mark(path: string, random: RandomBytes): { fresh: number; dropped: number } {
  const fresh = freshMark(random);
  const isCopy = headerField(path, MARK_AT) === BACKUP_MARK;
  using db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA busy_timeout = 0");
  const dropped = db
    .transaction(() => {
      const waited = isCopy ? dropWaitingMessages(db) : 0;
      db.run(`PRAGMA application_id = ${fresh}`);
      return waited;
    })
    .immediate();
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { fresh, dropped };
}

// Positive as a signed number, which it is to SQLite.
function freshMark(random: RandomBytes): number {
  const mark = Buffer.from(random(4)).readUInt32BE(0) >>> 1;
  return mark === NO_MARK || mark === BACKUP_MARK ? freshMark(random) : mark;
}

function noteFile(path: string): string {
  return `${path}.mark`;
}

/** The mark that was noted beside a database; undefined where there is none. */
export function notedFor(path: string): number | undefined {
  try {
    const noted = Number.parseInt(readFileSync(noteFile(path), "utf8"), 10);
    return Number.isNaN(noted) ? undefined : noted;
  } catch {
    return undefined;
  }
}

function note(path: string, mark: number): void {
  writeFileAtomic(noteFile(path), `${mark}\n`, 0o600);
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
