// Compaction: moves samples from the table `recent`, where they arrive, to `samples`, sorted by series and time. It works in
// slices, so that a query never waits long, and may stop after any slice: a sample that is in both tables has the same key there.
import type { Database } from "bun:sqlite";
import { type Sample, textBytes } from "../sample.ts";
import { firstFrom, type Series } from "./series.ts";

const SLICE_SAMPLES = 2000;

/** Called with how many samples left the memory, and the memory of their texts. */
type Released = (samples: number, textBytes: number) => void;

/** Compacts everything in `recent`; each step is one transaction. */
export function* compact(db: Database, series: Iterable<Series>, released: Released): Generator<void> {
  const through = db.query<{ id: number | null }, []>("SELECT max(rowid) AS id FROM recent").get()?.id ?? 0;
  for (const slice of slicesOf(series)) {
    write(db, slice);
    for (const [one, samples] of slice) {
      release(one, samples);
      released(
        samples.length,
        samples.reduce((sum, sample) => sum + textBytes(sample), 0),
      );
    }
    yield;
  }
  if (through > 0) db.query("DELETE FROM recent WHERE rowid <= ?").run(through);
}

type Slice = [Series, Sample[]][];

function* slicesOf(series: Iterable<Series>): Iterable<Slice> {
  const filled = [...series].filter(({ id, buffered }) => id > 0 && buffered.length > 0).sort((a, b) => a.id - b.id);
  let slice: Slice = [];
  let left = SLICE_SAMPLES;
  for (const one of filled) {
    const inFile = one.buffered.filter(({ n }) => n >= 0);
    for (let start = 0; start < inFile.length; ) {
      const samples = inFile.slice(start, start + left);
      slice.push([one, samples]);
      start += samples.length;
      left -= samples.length;
      if (left > 0) continue;
      yield slice;
      slice = [];
      left = SLICE_SAMPLES;
    }
  }
  if (slice.length > 0) yield slice;
}

function write(db: Database, slice: Slice): void {
  const insert = db.query("INSERT OR REPLACE INTO samples (series_id, at, n, value, type) VALUES (?, ?, ?, ?, ?)");
  db.transaction(() => {
    for (const [{ id }, samples] of slice)
      for (const { at, n, value, type } of samples) insert.run(id, at, n, value, type);
  }).immediate();
}

function release(series: Series, samples: readonly Sample[]): void {
  const last = samples.at(-1);
  if (last && series.compactedBefore !== undefined)
    series.compactedBefore = Math.max(series.compactedBefore, last.at + 1);
  if (last && series.buffered[samples.length - 1] === last) series.buffered = series.buffered.slice(samples.length);
  else {
    const compacted = new Set(samples);
    series.buffered = series.buffered.filter((sample) => !compacted.has(sample));
  }
}

/** Gives a sample its number within its millisecond, one that the file does not have yet. */
export function numberSample(db: Database, series: Series, sample: Sample): void {
  series.newest ??= newestOf(db, series);
  if (sample.at > series.newest) {
    series.newest = sample.at;
    series.newestNumber = 0;
    sample.n = 0;
    return;
  }
  const isNewest = sample.at === series.newest;
  sample.n = 1 + ((isNewest ? series.newestNumber : undefined) ?? highestNumber(db, series, sample.at));
  if (isNewest) series.newestNumber = sample.n;
}

/** Of those within one millisecond, in the file or in memory; -1 where there is none. */
export function highestNumber(db: Database, series: Series, at: number): number {
  const compacted = db
    .query<{ n: number | null }, [number, number]>("SELECT max(n) AS n FROM samples WHERE series_id = ? AND at = ?")
    .get(series.id, at)?.n;
  let highest = compacted ?? -1;
  const { buffered } = series;
  for (let index = firstFrom(buffered, at); buffered[index]?.at === at; index++)
    highest = Math.max(highest, buffered[index]?.n ?? -1);
  return highest;
}

function newestOf(db: Database, { id, buffered }: Series): number {
  const compacted = db
    .query<{ at: number | null }, [number]>("SELECT max(at) AS at FROM samples WHERE series_id = ?")
    .get(id)?.at;
  const inFile = buffered.findLast(({ n }) => n >= 0)?.at;
  return Math.max(compacted ?? Number.NEGATIVE_INFINITY, inFile ?? Number.NEGATIVE_INFINITY);
}
