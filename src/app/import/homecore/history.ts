// The history of the old house, row by row from one database into the other: memory does not grow with it. Running it again
// adds nothing twice: a sample has the same key each time.
import { Database } from "bun:sqlite";
import { storedOf } from "../../../house/history/sample.ts";
import { openHistoryFile } from "../../../house/history/store/history-file.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isValidId } from "../../../kit/schema/ids.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import { closeDatabase } from "../../../server/db/open.ts";

export interface HistoryImport {
  /** homeCore's history.db, unpacked. */
  readonly from: string;
  /** Our history.db; created where it is missing. */
  readonly to: string;
  /** Epoch ms. Rows before are not taken: the hub would remove them within the hour. */
  readonly since: number;
  /** Epoch ms. */
  readonly now: number;
}

export interface ImportedHistory {
  /** In the old file. */
  readonly rows: number;
  readonly added: number;
  /** Older than what this hub keeps. */
  readonly older: number;
  /** Without a time, an id or a value that can be kept here. */
  readonly unusable: number;
}

interface Row {
  device_id: string;
  attribute: string;
  value: string;
  recorded_at: string | number;
}

const BATCH = 20_000;
const MAX_SERIES = 100_000;
const MAX_NAME = 255;

/** Only counts. Throws HubError `invalid` where it is no history of homeCore. */
export function countHistory(from: string): number {
  using old = openOld(from);
  return old.query<{ n: number }, []>("SELECT count(*) AS n FROM state_history").get()?.n ?? 0;
}

/** Throws HubError: `invalid` for what is no history of homeCore, `storage`. */
export function importHistory({ from, to, since, now }: HistoryImport): ImportedHistory {
  using old = openOld(from);
  const { db, readOnly, setAside } = openHistoryFile(to, now);
  if (readOnly) throw readOnly;
  try {
    if (setAside !== undefined)
      throw new HubError(
        "storage",
        "the history here is damaged: start the hub once, which sets it aside, then import again",
      );
    return copyRows(old, db, { since, now });
  } finally {
    closeDatabase(db);
  }
}

function openOld(path: string): Database {
  let db: Database | undefined;
  try {
    db = new Database(path, { readonly: true });
    // Nothing of a foreign file is run: no functions in its views or indexes.
    db.run("PRAGMA trusted_schema = OFF");
    db.run("PRAGMA cell_size_check = ON");
    const verdict = db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check;
    if (verdict !== "ok") throw new Error(`it is damaged: ${verdict}`);
    const found = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'state_history'").get();
    if (!found) throw new Error("it has no table state_history");
    return db;
  } catch (error) {
    db?.close();
    throw new HubError("invalid", `history.db of the backup is not one of homeCore: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function copyRows(old: Database, db: Database, { since, now }: Pick<HistoryImport, "since" | "now">): ImportedHistory {
  const done = { rows: 0, added: 0, older: 0, unusable: 0 };
  const seriesOf = seriesIn(db);
  const insert = db.query(
    "INSERT INTO samples (series_id, at, n, value, type) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  // In the order of the new table's key: so it grows at its end, and samples of one millisecond are numbered.
  const rows = old.query<Row, []>(
    "SELECT device_id, attribute, value, recorded_at FROM state_history ORDER BY device_id, attribute, recorded_at, rowid",
  );
  let last = { series: 0, at: 0, n: 0 };

  function copy(row: Row): void {
    done.rows++;
    const at = timeOf(row.recorded_at);
    const stored = at === undefined ? undefined : storedIn(row.value);
    const series =
      stored === undefined || at === undefined || at > now ? undefined : seriesOf(row.device_id, row.attribute);
    if (at === undefined || stored === undefined || series === undefined) done.unusable++;
    else if (at < since) done.older++;
    else {
      last = { series, at, n: last.series === series && last.at === at ? last.n + 1 : 0 };
      done.added += insert.run(series, at, last.n, stored.value, stored.type).changes;
    }
  }

  const iterator = rows.iterate()[Symbol.iterator]();
  const copyBatch = db.transaction(() => {
    for (let index = 0; index < BATCH; index++) {
      const next = iterator.next();
      if (next.done) return false;
      copy(next.value);
    }
    return true;
  });
  while (copyBatch.immediate());
  return done;
}

/** The id of a series, which is made where it is missing. Undefined where there can be none. */
function seriesIn(db: Database): (deviceId: unknown, attribute: unknown) => number | undefined {
  const find = db.query<{ id: number }, [string, string]>(
    "SELECT id FROM series WHERE device_id = ? AND attribute = ?",
  );
  const make = db.query<{ id: number }, [string, string]>(
    "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
  );
  let count = db.query<{ n: number }, []>("SELECT count(*) AS n FROM series").get()?.n ?? 0;
  let last: { deviceId: string; attribute: string; id: number } | undefined;
  return function seriesOf(deviceId, attribute) {
    if (typeof deviceId !== "string" || typeof attribute !== "string") return undefined;
    if (last?.deviceId === deviceId && last.attribute === attribute) return last.id;
    if (!isValidId(deviceId) || attribute === "" || attribute.length > MAX_NAME) return undefined;
    let id = find.get(deviceId, attribute)?.id;
    if (id === undefined) {
      if (count >= MAX_SERIES) return undefined;
      id = make.get(deviceId, attribute)?.id;
      count++;
    }
    if (id !== undefined) last = { deviceId, attribute, id };
    return id;
  };
}

function storedIn(json: unknown) {
  if (typeof json !== "string") return undefined;
  const parsed = parseJson(json);
  const stored = parsed.ok ? storedOf(parsed.value) : undefined;
  return typeof stored === "object" ? stored : undefined;
}

/** Epoch ms of RFC 3339 text in UTC. */
function timeOf(recorded: unknown): number | undefined {
  const ms = typeof recorded === "string" ? Date.parse(recorded) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms) : undefined;
}
