// Reads the messages that wait in the state database of a hub that does not run. The file stays as it is, and nothing is left beside it.
import { constants, Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { removeIfPossible } from "../../../kit/files/atomic-file.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { type LeftMessage, messageKey } from "./left-message.ts";

const MAX_BYTES = 8 * 1_048_576;

/**
 * `messageKey` of each message that waits in this file; undefined where there are more than `most`. Reads no texts. Throws HubError
 * `storage` where the file cannot be read.
 */
export function messageKeys(stateDb: string, most: number): string[] | undefined {
  const query = "SELECT channel, message_id FROM outbox ORDER BY id LIMIT ?";
  return reading(stateDb, (db) => {
    const rows = db.query<LeftMessage, [number]>(query).all(most + 1);
    return rows.length > most ? undefined : rows.flatMap((row) => keyOf(row) ?? []);
  });
}

/**
 * Those of the waiting messages that are wanted, the oldest first: at most `most`, and not many more than 8 MB. `after` is the last one
 * of the call before; an empty list says that there are no more. Throws HubError `storage` where the file cannot be read.
 */
export function readLeftMessages(
  stateDb: string,
  isWanted: (key: string) => boolean,
  most: number,
  after?: LeftMessage,
): LeftMessage[] {
  const from = typeof after?.id === "number" ? after.id : Number.MIN_SAFE_INTEGER;
  return reading(stateDb, (db) => {
    const found: LeftMessage[] = [];
    let bytes = 0;
    for (const row of db.query<LeftMessage, [number]>("SELECT * FROM outbox WHERE id > ? ORDER BY id").iterate(from)) {
      const key = keyOf(row);
      if (key === undefined || !isWanted(key) || Object.values(row).some(isBinary)) continue;
      found.push(row);
      bytes += bytesOf(row);
      if (found.length >= most || bytes >= MAX_BYTES) break;
    }
    return found;
  });
}

/** Nothing where the database has no such table. */
function reading<T>(path: string, read: (db: Database) => T): T | never[] {
  try {
    // What a killed hub left in its log belongs to the database; reading it takes a file beside it, which SQLite does not remove.
    const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    const index = `${path}-shm`;
    const hadIndex = existsSync(index);
    try {
      using db = hasLog ? new Database(path, { readonly: true }) : openUnchanging(path);
      const exists = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'outbox'").get();
      return exists ? read(db) : [];
    } finally {
      if (hasLog && !hadIndex) removeIfPossible(index);
    }
  } catch (error) {
    const why = `cannot read the messages that wait in ${path}: ${messageOf(error)}`;
    throw new HubError("storage", why, { cause: error });
  }
}

/** Without a lock and without a file beside it. */
function openUnchanging(path: string): Database {
  const url = `${pathToFileURL(path).href}?immutable=1`;
  return new Database(url, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

function keyOf({ channel, message_id }: LeftMessage): string | undefined {
  return typeof channel === "string" && typeof message_id === "string" ? messageKey(channel, message_id) : undefined;
}

/** Not a value of JSON, and in no row that a hub wrote. */
function isBinary(value: unknown): boolean {
  return value instanceof Uint8Array;
}

function bytesOf(row: LeftMessage): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? Buffer.byteLength(value) : 8),
    0,
  );
}
