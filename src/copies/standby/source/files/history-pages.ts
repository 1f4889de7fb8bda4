// Pages of the recorded history for a standby, from the history's file alone: what is not in it yet is in the copy of the journal.
import { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { createSpanReader } from "../../../../house/history/query/span-reader.ts";
import { keptSpan } from "../../../../house/history/store/retention.ts";
import { SampleBuffer } from "../../../../house/history/store/sample-buffer.ts";
import { storeLimits } from "../../../../house/history/store/store-limits.ts";
import { silentLog } from "../../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../../kit/schema/errors.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import { checkpointOf } from "../../../../server/db/checkpoint-mark.ts";
import type { HistoryAnswer, HistoryRequest } from "../../protocol.ts";

export interface HistoryPages extends Disposable {
  /** The answer's JSON; `journal` is the name of the journal that belongs to the state database. Throws HubError `storage`. */
  read(request: HistoryRequest, journal: string): string;
}

const MAX_SAMPLES = 100_000;

interface Opened {
  db: Database;
  inode: number;
  /** Series, and the samples that are not compacted; of this `data_version`. */
  buffer: SampleBuffer;
  version: number | undefined;
}

export function openHistoryPages(path: string, clock: Pick<Clock, "now">): HistoryPages {
  const spans = createSpanReader();
  let file: Opened | undefined;

  function close(): void {
    file?.db.close();
    file = undefined;
  }

  function opened(): Opened {
    const { ino } = statSync(path);
    if (file?.inode !== ino) close();
    file ??= { db: open(path), inode: ino, buffer: new SampleBuffer(LIMITS, silentLog), version: undefined };
    return file;
  }

  /** In one transaction, so that the mark fits the samples. */
  function page({ from, most }: HistoryRequest, journal: string): string {
    const all = opened();
    const { db, buffer } = all;
    const mark = { id: journal, segment: checkpointOf(db, journal) };
    const version = db.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version;
    if (all.version !== version) buffer.reload(db);
    all.version = version;
    const { series } = buffer;
    const end = newestOf(db) + 1;
    const { cut, first } = keptSpan(db, [...series.all()], clock.now());
    const begin = Math.min(end, Math.max(from, first));
    const query = { from: begin, to: end, most: Math.min(most, MAX_SAMPLES) };
    const { text, through } = spans.read(query, { db, series });
    const rest: Omit<HistoryAnswer, "series"> = {
      through: Math.max(from, through),
      mark: through >= end ? mark : undefined,
      cut,
    };
    return `{"series":${text},${JSON.stringify(rest).slice(1)}`;
  }

  return {
    read(request, journal) {
      if (!existsSync(path)) return NO_HISTORY;
      try {
        const { db } = opened();
        return db.transaction(() => page(request, journal))();
      } catch (error) {
        close();
        throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
      }
    },
    [Symbol.dispose]: close,
  };
}

const LIMITS = { maxWaiting: Infinity, maxTextBytes: Infinity, maxSeries: storeLimits.maxSeries };

/** `[history] enabled = false`, and never recorded. */
const NO_HISTORY = JSON.stringify({
  series: [],
  through: 0,
  mark: { id: "", segment: 0 },
  cut: 0,
} satisfies HistoryAnswer);

function open(path: string): Database {
  // Not "readonly": such a connection leaves its log behind in the home of a stopped hub.
  const db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA busy_timeout = 10000");
  db.run("PRAGMA cache_size = -2000");
  return db;
}

/** The time of the last sample; -1 where there is none. */
function newestOf(db: Database): number {
  const row = db
    .query<{ at: number | null }, []>(
      `SELECT max(at) AS at FROM (
         SELECT (SELECT max(at) FROM samples WHERE series_id = series.id) AS at FROM series
         UNION ALL SELECT max(at) FROM recent)`,
    )
    .get();
  return row?.at ?? -1;
}
