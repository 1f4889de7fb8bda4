// Copies of the databases: taken from a hub that goes on writing, and checked when they come out of an archive. Slow: for a
// worker or a command.
import { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { isStorageFault } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf, RESTART_THE_HUB } from "../../kit/schema/errors.ts";
import { STANDBY_META } from "../../server/db/meta.ts";
import { rightsProblem } from "../../server/db/rights.ts";
import { refusal } from "./archive/zip/directory.ts";

/** `application_id` of every copy in a backup; "hubb". It distinguishes a copy from its original: see stale-wal.ts. */
export const BACKUP_MARK = 0x68756262;

/** The newest `user_version` this hub knows. */
export interface Schemas {
  state: number;
  history: number;
}

/** The most a snapshot can take on disk: what the log holds may be new pages. */
export function snapshotBytes(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Writes and checks `copy`, a file that must not exist yet. Throws HubError `storage`. */
export function takeSnapshot(path: string, copy: string): void {
  if (!existsSync(path)) throw new HubError("not_found", `there is no ${path}: name the home of a hub with --home`);
  try {
    copyDatabase(path, copy);
    mark(copy);
  } catch (error) {
    const why = isStorageFault(error) ? "the disk is full or cannot be written" : messageOf(error);
    throw new HubError("storage", `cannot take a snapshot of ${path}: ${rightsProblem(path) ?? why}`, { cause: error });
  }
  const flaw = integrityProblem(copy);
  if (flaw !== undefined)
    throw new HubError(
      "storage",
      `${path} is damaged (${flaw}): restore a backup; or ${RESTART_THE_HUB}, which sets the file aside`,
    );
}

function copyDatabase(path: string, copy: string): void {
  // Not "readonly": such a connection leaves its log behind in the home of a stopped hub.
  using db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA busy_timeout = 10000");
  // The copy is read back and checked. After a power cut the whole backup is thrown away.
  db.run("PRAGMA synchronous = OFF");
  db.query("VACUUM INTO ?").run(copy);
}

function mark(copy: string): void {
  using db = new Database(copy);
  db.run("PRAGMA synchronous = OFF");
  db.run("PRAGMA journal_mode = MEMORY");
  db.run(`PRAGMA application_id = ${BACKUP_MARK}`);
}

/** The first problem `integrity_check` finds, or why it cannot check; undefined where all is well. */
function integrityProblem(path: string): string | undefined {
  try {
    using db = new Database(path, { readonly: true });
    const verdict = db.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get()?.integrity_check;
    return verdict === "ok" ? undefined : (verdict ?? "it says nothing").replaceAll("\n", " ");
  } catch (error) {
    return messageOf(error);
  }
}

export function schemaVersion(path: string): number {
  using db = new Database(path, { readonly: true });
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Checks what was unpacked. Throws HubError `invalid`. A log that came with a database is merged into it. */
export function checkUnpackedDatabases(home: { stateDb: string; historyDb: string }, schemas: Schemas): void {
  checkOne(home.stateDb, { name: "state.redb", newest: schemas.state, table: "device_state" });
  if (existsSync(home.historyDb))
    checkOne(home.historyDb, { name: "history.db", newest: schemas.history, table: "samples" });
}

interface Kind {
  name: string;
  newest: number;
  /** A table that each of them has had since the first version. */
  table: string;
}

function checkOne(path: string, { name, newest, table }: Kind): void {
  try {
    mergeLog(path);
  } catch (error) {
    throw refusal(`${name} is not a sound SQLite database: ${messageOf(error)}`);
  }
  const flaw = integrityProblem(path);
  if (flaw !== undefined) throw refusal(`${name} is damaged: ${flaw}`);
  const version = schemaVersion(path);
  if (version > newest)
    throw refusal(
      `${name} is of a newer hub (schema ${version}, this one knows ${newest}): restore it with that version, or a later one`,
    );
  using db = new Database(path, { readonly: true });
  const found = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table);
  if (!found) throw refusal(`${name} is a database, but not one of a hub`);
}

/** Leaves one file without a log. */
function mergeLog(path: string): void {
  using db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA synchronous = FULL");
  db.query("PRAGMA journal_mode = DELETE").get();
}

/** How many messages of a copy are left to the hub that it was made of. */
export interface LeftMessages {
  /** Notifications that were not sent yet. */
  readonly queued: number;
  /** Those that waited for somebody's answer. */
  readonly unanswered: number;
}

/**
 * Removes the queued notifications from a state database of any version, with those that quiet hours hold back, and the messages
 * that wait for MQTT clients. They belong to the hub that queued them: from a copy of its database they would be sent a second time,
 * and last month's command would open a door. So do messages that wait for an answer: what became of them is not in the copy, and
 * going on would ask people about a leak of last month. They stay in the list, as closed. And the standby of the house that the copy
 * is of belongs to that house alone.
 */
export function dropQueuedMessages(db: Database): LeftMessages {
  const exists = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  if (exists.get("mqtt_queue")) db.run("DELETE FROM mqtt_queue");
  if (exists.get("meta")) db.query("DELETE FROM meta WHERE key IN (?, ?)").run(STANDBY_META.key, STANDBY_META.machine);
  const removed = (table: string): number => (exists.get(table) ? db.run(`DELETE FROM ${table}`).changes : 0);
  return {
    queued: removed("outbox") + removed("held_messages"),
    unanswered: exists.get("notices") ? closeNotices(db) : 0,
  };
}

/** Their messages in chats stay as they are: since the copy was made, they may say who answered. */
function closeNotices(db: Database): number {
  // Rules learned of it then.
  db.run("UPDATE notices SET told = 1");
  const { changes } = db.run(
    `UPDATE notices SET state = 'restored' WHERE state = 'open' AND json_valid(plan) AND json_extract(plan, '$.answerable')`,
  );
  db.run(
    "DELETE FROM notice_messages WHERE shows = '' OR notice IN (SELECT id FROM notices WHERE state = 'restored' AND ended_at IS NULL)",
  );
  return changes;
}

/** What to say of them, for people. */
export function leftMessageTexts({ queued, unanswered }: LeftMessages): string[] {
  return [
    ...(queued > 0
      ? [`the notifications queued in it (${queued}) are not sent: they belong to the hub it was made of`]
      : []),
    ...(unanswered > 0
      ? [`the messages that waited for an answer in it (${unanswered}) are closed: nobody is asked about them any more`]
      : []),
  ];
}
