// Reads series in order of time, in bounded portions: the compacted samples of the file together with those in memory.
import type { Database } from "bun:sqlite";
import type { Sample } from "../sample.ts";
import { firstFrom, type Series } from "../store/series.ts";

export interface Span {
  /** Epoch ms; `from` is included, `to` is not. */
  from: number;
  to: number;
  /** Rows read at once. */
  portion: number;
}

export interface Scanner {
  /** Oldest first, in lists: yielding single samples would cost more than reading them. */
  portions(series: Series, span: Span): Iterable<readonly Sample[]>;
  /** Oldest first. */
  samples(series: Series, span: Span): Iterable<Sample>;
  /** The last one before `at`. */
  lastBefore(series: Series, at: number): Sample | undefined;
}

export function createScanner(db: Database): Scanner {
  const portion = db.query<Sample, [number, number, number, number, number]>(
    `SELECT at, n, value, type FROM samples
     WHERE series_id = ? AND (at, n) >= (?, ?) AND at < ? ORDER BY at, n LIMIT ?`,
  );
  const last = db.query<Sample, [number, number]>(
    "SELECT at, n, value, type FROM samples WHERE series_id = ? AND at < ? ORDER BY at DESC, n DESC LIMIT 1",
  );

  const newest = db.query<{ at: number | null }, [number]>("SELECT max(at) AS at FROM samples WHERE series_id = ?");

  function* compacted(series: Series, { from, to, portion: rows }: Span): Iterable<Sample[]> {
    series.compactedBefore ??= (newest.get(series.id)?.at ?? Number.NEGATIVE_INFINITY) + 1;
    if (from >= series.compactedBefore) return;
    for (let at = from, n = 0; ; ) {
      const found = portion.all(series.id, at, n, to, rows);
      yield found;
      const end = found.at(-1);
      if (!end || found.length < rows) return;
      at = end.at;
      n = end.n + 1;
    }
  }

  function* portions(series: Series, span: Span): Iterable<readonly Sample[]> {
    const { buffered: all } = series;
    const buffered = all.slice(firstFrom(all, span.from), firstFrom(all, span.to));
    let given = 0;
    if (series.id > 0) {
      for (const found of compacted(series, span)) {
        const through = found.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
        const between = firstFrom(buffered, through);
        yield between > given ? interleave(found, buffered.slice(given, between)) : found;
        given = Math.max(given, between);
      }
    }
    if (given < buffered.length) yield given > 0 ? buffered.slice(given) : buffered;
  }

  return {
    portions,
    *samples(series, span) {
      for (const samples of portions(series, span)) yield* samples;
    },
    lastBefore(series, at) {
      const inMemory = series.buffered[firstFrom(series.buffered, at) - 1];
      const inFile = series.id > 0 ? last.get(series.id, at) : null;
      return inMemory && (!inFile || inMemory.at >= inFile.at) ? inMemory : (inFile ?? undefined);
    },
  };
}

// Within a millisecond the compacted samples are older. The sort is stable.
function interleave(compacted: readonly Sample[], buffered: readonly Sample[]): Sample[] {
  return [...compacted, ...buffered].sort((a, b) => a.at - b.at);
}
