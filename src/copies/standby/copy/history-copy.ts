// The copy of the history: a file of this machine's own, filled by pages. With the last page of a run comes the mark that says which
// segments of the journal are in it; the rest of the journal's copy is then put in by the hub that starts from it, each sample once.
import type { Database } from "bun:sqlite";
import { REMOVED } from "../../../house/history/sample.ts";
import { openHistoryFile } from "../../../house/history/store/history-file.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type CheckpointMark, checkpointOf, setCheckpoint } from "../../../server/db/checkpoint-mark.ts";
import { closeDatabase } from "../../../server/db/open.ts";
import type { HistoryAnswer } from "../protocol.ts";
import { createSeriesRows, type SeriesRows } from "./history-series.ts";

/** The key of house/history/store/retention.ts: a hub that starts from the copy goes on there. */
const CUT = "age_cut";

export interface HistoryCopy extends Disposable {
  /**
   * The next `from`. A run begins just before `journalFrom`, the oldest reading in the journal's copy that is not in the file by its
   * mark: where the other hub's clock stepped back, that is before what is here.
   */
  nextFrom(journalFrom: number): number;
  /** Everything before was there at the end of the last whole run; undefined where there was none. */
  readonly through: number | undefined;
  /** The last segment of this journal that is in the file. */
  checkpointed(id: string): number;
  /** Returns whether more is to be asked for. Throws HubError `invalid`, or SQLite's error; then nothing of the page is in the file. */
  apply(page: HistoryAnswer, journalFrom: number): boolean;
  /** Closes a damaged file. */
  abandon(): void;
  /** Closes the file as a hub does that ends, for one that starts. */
  release(): void;
}

/** In the file's own meta table. `through` while the file was never whole, so that a later run goes on there. */
const THROUGH = "standby_through";
const WHOLE = "standby_whole";
/** Of a former hub's file, its own last day is asked for again: the other machine's clock may differ. */
const OVERLAP_MS = 86_400_000;
export const DAMAGED = "the copy of the history was damaged; it was set aside and is made anew";
const CACHE_KIB = 32_768;

/** Makes the file where there is none; its pages are not looked at. Throws HubError `storage` or `config`. */
export function openHistoryCopy(path: string, now: number, log: Pick<Log, "error">): HistoryCopy {
  const { db, readOnly, setAside: damaged } = openHistoryFile(path, now, "never");
  if (readOnly) {
    db.close();
    throw readOnly;
  }
  if (damaged) log.error(DAMAGED, { kept_as: damaged });
  try {
    return copyIn(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function copyIn(db: Database): HistoryCopy {
  // What is in the file by its mark is then removed from the copy of the journal.
  db.run("PRAGMA synchronous = FULL");
  compactAll(db);
  const series = createSeriesRows(db);
  let isWhole = metaOf(db, WHOLE) !== undefined;
  let from = metaOf(db, THROUGH) ?? newestOf(db) - OVERLAP_MS;
  /** A transaction is open: pages of a run that cannot stand without its end. */
  let inRun = false;
  let isRunning = false;
  /** The mark at the end of the run before this one, which has to be done again. */
  let seen: CheckpointMark | undefined;

  function begin(): void {
    if (inRun) return;
    db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    db.run("BEGIN IMMEDIATE");
    inRun = true;
  }

  function commit(): void {
    db.run("COMMIT");
    inRun = false;
  }

  function undo(): void {
    isRunning = false;
    seen = undefined;
    if (!inRun) return;
    inRun = false;
    if (db.inTransaction) db.run("ROLLBACK");
    series.forget();
    isWhole = metaOf(db, WHOLE) !== undefined;
    from = metaOf(db, THROUGH) ?? newestOf(db) - OVERLAP_MS;
  }

  /**
   * Whether something was checkpointed while the run went on, and where the other hub's clock stepped back, it is before the pages that
   * came since. Then the run is done again from the journal's oldest reading, which is short.
   */
  function mayLack({ mark }: HistoryAnswer, journalFrom: number): boolean {
    return mark !== undefined && seen?.segment !== mark.segment && journalFrom < from;
  }

  function finish({ mark, through, cut }: HistoryAnswer): void {
    cutHistory(db, cut, series);
    // A hub that records nothing has none.
    if (mark && mark.id !== "") setCheckpoint(db, mark);
    setMeta(db, THROUGH, through);
    setMeta(db, WHOLE, 1);
    commit();
    isWhole = true;
    db.run("PRAGMA shrink_memory");
  }

  return {
    nextFrom: (journalFrom) => Math.max(0, isRunning ? from : Math.min(from, journalFrom)),
    get through() {
      return isWhole ? from : undefined;
    },
    checkpointed: (id) => checkpointOf(db, id),
    apply(page, journalFrom) {
      // Before the first checkpoint there is no mark; then a page without samples is the last one.
      const isLast = page.mark !== undefined || page.series.length === 0;
      const changesBefore = inRun ? -1 : changesOf(db);
      begin();
      try {
        const newest = series.insert(page.series);
        if (isLast && isRunning && mayLack(page, journalFrom)) {
          seen = page.mark;
          from = journalFrom;
          return true;
        }
        const isNews = !isWhole || changesOf(db) !== changesBefore || !isCheckpointed(db, page.mark);
        if (isLast && isNews) finish(page);
        // A quiet house costs no write.
        else if (isLast) undo();
        // What the journal holds as well must not be in the file without the mark: a hub that starts from it would put it in again.
        else if (newest < journalFrom) {
          setMeta(db, THROUGH, page.through);
          commit();
        }
        from = page.through;
        isRunning = !isLast;
        if (isLast) seen = undefined;
      } catch (error) {
        undo();
        throw error;
      }
      return !isLast;
    },
    abandon: () => db.close(),
    release() {
      try {
        undo();
        db.query("DELETE FROM meta WHERE key = ?").run(WHOLE);
        if (isWhole) db.query("DELETE FROM meta WHERE key = ?").run(THROUGH);
      } finally {
        closeDatabase(db);
      }
    },
    [Symbol.dispose]() {
      undo();
      closeDatabase(db);
    },
  };
}

/** What a hub that ended had not sorted in yet (house/history/store/compaction.ts). */
function compactAll(db: Database): void {
  if (!db.query("SELECT 1 FROM recent LIMIT 1").get()) return;
  db.transaction(() => {
    db.run("INSERT OR REPLACE INTO samples SELECT series_id, at, n, value, type FROM recent");
    db.run("DELETE FROM recent");
  }).immediate();
}

function changesOf(db: Database): number {
  return db.query<{ changes: number }, []>("SELECT total_changes() AS changes").get()?.changes ?? 0;
}

function isCheckpointed(db: Database, mark: CheckpointMark | undefined): boolean {
  return !mark || checkpointOf(db, mark.id) === mark.segment;
}

function newestOf(db: Database): number {
  // Of each series by itself: the table is sorted by it.
  const newest = "SELECT max((SELECT max(at) FROM samples WHERE series_id = series.id)) AS at FROM series";
  return db.query<{ at: number | null }, []>(newest).get()?.at ?? 0;
}

function metaOf(db: Database, key: string): number | undefined {
  return db.query<{ value: number }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
}

function setMeta(db: Database, key: string, value: number): void {
  db.query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value);
}

/** Within a transaction. `cut` is in epoch ms. */
function cutHistory(db: Database, cut: number, series: Pick<SeriesRows, "forget">): void {
  const before = db.query<{ value: number }, [string]>("SELECT value FROM meta WHERE key = ?").get(CUT)?.value ?? 0;
  if (cut === before || cut <= 0) return;
  db.query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(CUT, cut);
  if (cut < before) return;
  const last = db.query<{ at: number; n: number; type: number | null }, [number, number]>(
    "SELECT at, n, type FROM samples WHERE series_id = ? AND at < ? ORDER BY at DESC, n DESC LIMIT 1",
  );
  const remove = db.query("DELETE FROM samples WHERE series_id = ? AND (at, n) < (?, ?)");
  for (const { id } of db.query<{ id: number }, []>("SELECT id FROM series").all()) {
    const kept = last.get(id, cut);
    if (kept) remove.run(id, kept.at, kept.type === REMOVED ? kept.n + 1 : kept.n);
  }
  db.run("DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM samples WHERE series_id = series.id)");
  series.forget();
}
