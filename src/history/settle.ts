// Moves what arrived into its place: sorted by series and time, in slices, so that a query never waits long. Cut short
// at any point it leaves nothing out and nothing double: what is in both places is known by its key.
import type { Database } from "bun:sqlite";
import { type Sample, textBytes } from "./sample.ts";
import { firstFrom, type Series } from "./series.ts";

const SLICE_SAMPLES = 2000;

/** Told how many left the memory, and what their texts took there. */
type Done = (samples: number, textBytes: number) => void;

/** Settles all that is in `recent`; every step is one transaction. */
export function* settle(db: Database, series: Iterable<Series>, done: Done): Generator<void> {
  const through = db.query<{ id: number | null }, []>("SELECT max(rowid) AS id FROM recent").get()?.id ?? 0;
  for (const slice of slicesOf(series)) {
    write(db, slice);
    for (const [one, samples] of slice) {
      release(one, samples);
      done(
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
  const filled = [...series].filter(({ id, held }) => id > 0 && held.length > 0).sort((a, b) => a.id - b.id);
  let slice: Slice = [];
  let room = SLICE_SAMPLES;
  for (const one of filled) {
    const inFile = one.held.filter(({ n }) => n >= 0);
    for (let start = 0; start < inFile.length; ) {
      const part = inFile.slice(start, start + room);
      slice.push([one, part]);
      start += part.length;
      room -= part.length;
      if (room > 0) continue;
      yield slice;
      slice = [];
      room = SLICE_SAMPLES;
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
  if (last && series.held[samples.length - 1] === last) series.held = series.held.slice(samples.length);
  else {
    const settled = new Set(samples);
    series.held = series.held.filter((sample) => !settled.has(sample));
  }
}

/** Gives a sample its number within its millisecond, one that the file does not hold yet. */
export function numberSample(db: Database, series: Series, sample: Sample): void {
  series.newest ??= newestOf(db, series);
  if (sample.at > series.newest) {
    series.newest = sample.at;
    sample.n = 0;
    return;
  }
  // Twice within one millisecond, or the clock stepped back.
  const settled = db
    .query<{ n: number | null }, [number, number]>("SELECT max(n) AS n FROM samples WHERE series_id = ? AND at = ?")
    .get(series.id, sample.at)?.n;
  let highest = settled ?? -1;
  const { held } = series;
  for (let index = firstFrom(held, sample.at); held[index]?.at === sample.at; index++)
    highest = Math.max(highest, held[index]?.n ?? -1);
  sample.n = highest + 1;
}

function newestOf(db: Database, { id, held }: Series): number {
  const settled = db
    .query<{ at: number | null }, [number]>("SELECT max(at) AS at FROM samples WHERE series_id = ?")
    .get(id)?.at;
  const inFile = held.findLast(({ n }) => n >= 0)?.at;
  return Math.max(settled ?? Number.NEGATIVE_INFINITY, inFile ?? Number.NEGATIVE_INFINITY);
}
