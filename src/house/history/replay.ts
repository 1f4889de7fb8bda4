// Samples from the journal of readings: what a hub or a worker that died had not written to the history's file.
import { Database } from "bun:sqlite";
import { silentLog } from "../../kit/lifecycle/log.ts";
import { checkpointOf } from "../../server/db/checkpoint-mark.ts";
import type { JournalTail, Reading } from "../../server/db/readings.ts";
import { MAX_NAME } from "./recorder.ts";
import { storedOf } from "./sample.ts";
import { append } from "./store/append.ts";
import type { NameAt } from "./store/rename.ts";
import { SampleBuffer } from "./store/sample-buffer.ts";
import { storeLimits } from "./store/store-limits.ts";
import type { SampleRows } from "./worker-protocol.ts";

/** What is recorded of these readings. */
export function rowsOf(
  readings: readonly Reading[],
  isExcluded: (deviceId: string, attribute: string) => boolean,
  nameAt: NameAt = (_, attribute) => attribute,
): SampleRows {
  const rows: SampleRows = [];
  for (const { device, at, set = {}, gone = [], unrecorded } of readings) {
    if (unrecorded) continue;
    const changes = [...Object.entries(set), ...gone.map((name) => [name, undefined] as const)];
    for (const [name, value] of changes) {
      const stored = name.length > MAX_NAME || isExcluded(device, name) ? "too_long" : storedOf(value);
      if (typeof stored !== "string") rows.push(device, nameAt(device, name, at), at, stored.value, stored.type);
    }
  }
  return rows;
}

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
