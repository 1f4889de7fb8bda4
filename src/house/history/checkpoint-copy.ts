// Puts the samples of a journal of readings into a copy of the history's file, for those who copy the file of a hub that works or
// was killed.
import { Database } from "bun:sqlite";
import { silentLog } from "../../kit/lifecycle/log.ts";
import { checkpointOf } from "../../server/db/checkpoint-mark.ts";
import type { JournalTail } from "../../server/db/readings.ts";
import { append } from "./append.ts";
import { rowsOf } from "./replay.ts";
import { SampleBuffer } from "./sample-buffer.ts";
import { storeLimits } from "./store-limits.ts";

/**
 * The journal must have been read before the copy was made: then each sample is in the copy once, also where the hub has written
 * some of them to its file in between.
 */
export function checkpointSamplesIntoCopy(
  copy: string,
  { id, segments }: Pick<JournalTail, "id" | "segments">,
  isExcluded: (deviceId: string, attribute: string) => boolean,
): void {
  using db = new Database(copy);
  db.run("PRAGMA journal_mode = MEMORY");
  const checkpointed = checkpointOf(db, id);
  const missing = segments.filter(({ number }) => number > checkpointed);
  if (missing.length === 0) return;
  const { maxSeries } = storeLimits;
  const buffer = new SampleBuffer({ maxWaiting: Infinity, maxTextBytes: Infinity, maxSeries }, silentLog);
  buffer.reload(db);
  for (const { number, readings } of missing) {
    buffer.record(rowsOf(readings, isExcluded));
    append(db, buffer.waiting, { id, segment: number });
    buffer.markWritten();
  }
}
