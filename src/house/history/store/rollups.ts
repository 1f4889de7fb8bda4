// Rollups: the summaries of a day's hours, kept in the file for series that change often. Triggers remove one where its samples
// change (see the migration), so what is found here is true of the samples in the table `samples`.
import type { Database } from "bun:sqlite";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { isDamage } from "../../../server/db/open.ts";
import { HOUR_MS, type HourSummary } from "../query/hour-summary.ts";
import type { HistoryFile } from "./history-file.ts";

export const DAY_MS = 24 * HOUR_MS;

/** The beginning of the day (UTC) with that moment. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

export interface Rollup {
  seriesId: number;
  /** Epoch ms of the day's beginning, UTC. */
  begin: number;
  /** Only hours with samples, in order. */
  hours: readonly HourSummary[];
}

/** Samples an hour from which a rollup is worth its place: it then takes a twenty-fifth of theirs at most. */
const WORTH_SAMPLES = 40;

export function isWorthKeeping(hours: readonly HourSummary[]): boolean {
  const samples = hours.reduce((sum, { count }) => sum + count, 0);
  return hours.length > 0 && samples >= WORTH_SAMPLES * hours.length;
}

export interface SpanOfSeries {
  seriesId: number;
  /** Epoch ms. */
  from: number;
  to: number;
}

/** Of the days that the span touches, in order. */
export function* readRollups(db: Database, { seriesId, from, to }: SpanOfSeries): Iterable<Rollup> {
  const rows = db.query<{ day: number; hours: Uint8Array }, [number, number, number]>(
    "SELECT day, hours FROM rollups WHERE series_id = ? AND day BETWEEN ? AND ? ORDER BY day",
  );
  for (const { day, hours } of rows.all(seriesId, Math.floor(from / DAY_MS), Math.floor((to - 1) / DAY_MS))) {
    const begin = day * DAY_MS;
    yield { seriesId, begin, hours: decode(hours, begin) };
  }
}

/** In one transaction. */
export function keepRollups(db: Database, rollups: readonly Rollup[]): void {
  if (rollups.length === 0) return;
  const insert = db.query("INSERT OR REPLACE INTO rollups (series_id, day, hours) VALUES (?, ?, ?)");
  db.transaction(() => {
    for (const { seriesId, begin, hours } of rollups) insert.run(seriesId, begin / DAY_MS, encode(hours, begin));
  }).immediate();
}

// Little-endian: the hour as a byte; the first sample's milliseconds within, count and weightMs in four each; then four doubles.
const HOUR_BYTES = 1 + 3 * 4 + 4 * 8;

function encode(hours: readonly HourSummary[], begin: number): Uint8Array {
  const bytes = new Uint8Array(hours.length * HOUR_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, { at, count, weightMs, min, max, sum, last }] of hours.entries()) {
    const offset = index * HOUR_BYTES;
    view.setUint8(offset, Math.floor((at - begin) / HOUR_MS));
    for (const [place, whole] of [(at - begin) % HOUR_MS, count, weightMs].entries())
      view.setUint32(offset + 1 + 4 * place, whole, true);
    for (const [place, number] of [min, max, sum, last ?? Number.NaN].entries())
      view.setFloat64(offset + 13 + 8 * place, number, true);
  }
  return bytes;
}

function decode(bytes: Uint8Array, begin: number): HourSummary[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hours: HourSummary[] = [];
  for (let offset = 0; offset + HOUR_BYTES <= bytes.byteLength; offset += HOUR_BYTES) {
    const start = begin + view.getUint8(offset) * HOUR_MS;
    const last = view.getFloat64(offset + 37, true);
    hours.push({
      at: start + view.getUint32(offset + 1, true),
      until: start + HOUR_MS,
      count: view.getUint32(offset + 5, true),
      weightMs: view.getUint32(offset + 9, true),
      min: view.getFloat64(offset + 13, true),
      max: view.getFloat64(offset + 21, true),
      sum: view.getFloat64(offset + 29, true),
      last: Number.isNaN(last) ? undefined : last,
      sample: undefined,
    });
  }
  return hours;
}

/** A full or locked disk must not keep a query from its answer: then the next one makes the rollups again. */
export function keepRollupsIfWritable(
  { db, readOnly }: Pick<HistoryFile, "db" | "readOnly">,
  rollups: readonly Rollup[],
  log: Pick<Log, "debug">,
): void {
  try {
    if (!readOnly) keepRollups(db, rollups);
  } catch (error) {
    if (isDamage(error)) throw error;
    log.debug("the history's rollups were not kept", { error: messageOf(error) });
  }
}
