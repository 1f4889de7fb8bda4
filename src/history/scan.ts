// Reads series in the order of time: what is settled in the file together with what memory holds. In bounded portions.
import type { Database } from "bun:sqlite";
import type { Sample } from "./sample.ts";
import { firstFrom, type Series } from "./series.ts";

export interface Span {
  /** Epoch ms; `from` is included, `to` is not. */
  from: number;
  to: number;
  /** Rows read at once. */
  portion: number;
}

export interface Scanner {
  /** Oldest first, in lists: handing over each by itself would cost more than reading it. */
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

  function* settled(series: Series, { from, to, portion: rows }: Span): Iterable<Sample[]> {
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
    const held = series.held.slice(firstFrom(series.held, span.from), firstFrom(series.held, span.to));
    let given = 0;
    if (series.id > 0) {
      for (const found of settled(series, span)) {
        const through = found.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
        const between = firstFrom(held, through);
        yield between > given ? interleave(found, held.slice(given, between)) : found;
        given = Math.max(given, between);
      }
    }
    if (given < held.length) yield given > 0 ? held.slice(given) : held;
  }

  return {
    portions,
    *samples(series, span) {
      for (const samples of portions(series, span)) yield* samples;
    },
    lastBefore(series, at) {
      const held = series.held[firstFrom(series.held, at) - 1];
      const settled = series.id > 0 ? last.get(series.id, at) : null;
      return held && (!settled || held.at >= settled.at) ? held : (settled ?? undefined);
    },
  };
}

// Of one millisecond, the settled ones came first. A sort is stable.
function interleave(settled: readonly Sample[], held: readonly Sample[]): Sample[] {
  return [...settled, ...held].sort((a, b) => a.at - b.at);
}
