// Writes samples that arrived to the file, as they came; compaction sorts them into pages later.
import type { Database } from "bun:sqlite";
import { type CheckpointMark, setCheckpoint } from "../../../server/db/checkpoint-mark.ts";
import { numberSample } from "./compaction.ts";
import type { Arrival } from "./sample-buffer.ts";
import type { Series } from "./series.ts";

/** Appends what arrived, in one transaction; synced where there is a mark. A series gets its row with its first sample. */
export function append(db: Database, waiting: readonly Arrival[], mark: CheckpointMark | undefined): void {
  const insertSeries = db.query<{ id: number }, [string, string]>(
    "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
  );
  const insert = db.query("INSERT INTO recent (series_id, at, n, value, type) VALUES (?, ?, ?, ?, ?)");
  const begun: Series[] = [];
  try {
    if (mark) db.run("PRAGMA synchronous = FULL");
    db.transaction(() => {
      if (mark) setCheckpoint(db, mark);
      for (const { series, sample } of waiting) {
        if (series.id === 0) {
          series.id = insertSeries.get(series.deviceId, series.attribute)?.id ?? 0;
          begun.push(series);
        }
        if (sample.n < 0) numberSample(db, series, sample);
        insert.run(series.id, sample.at, sample.n, sample.value, sample.type);
      }
    }).immediate();
  } catch (error) {
    for (const series of begun) series.id = 0;
    throw error;
  } finally {
    db.run("PRAGMA synchronous = NORMAL");
  }
}
