// Removes the oldest samples, by age and by size, in slices. The last one before the cut stays, for it says what stood then.
import type { Database } from "bun:sqlite";
import { REMOVED } from "./sample.ts";
import { firstFrom, type Series } from "./series.ts";

const DAY_MS = 86_400_000;
const SHORTEST_STEP_MS = 600_000;
const SLICE_ROWS = 2000;
const SLICE_SERIES = 200;

export interface CutOptions {
  /** The cut of before. */
  before: number | undefined;
  /** Where it belongs by the clock. */
  wanted: number;
  /** The oldest sample not before a time; infinite where there is none. */
  oldestFrom: (at: number) => number;
}

/**
 * The next cut by age, asked for once an hour of running. A clock that leaps ahead (a Pi without one) must not wipe the
 * history: through samples the cut then moves a day at a time, and it comes back with the clock.
 */
export function nextCut({ before, wanted, oldestFrom }: CutOptions): { cut: number; heldBack: boolean } {
  if (before !== undefined && wanted - before <= 2 * DAY_MS) return { cut: wanted, heldBack: false };
  const oldest = oldestFrom(before ?? 0);
  if (oldest >= wanted) return { cut: wanted, heldBack: false };
  return { cut: Math.min(wanted, Math.max(oldest, (before ?? 0) + DAY_MS)), heldBack: true };
}

/** Whether the cut has moved far enough: each trimming writes a page for each series. */
export function isTrimDue(cut: number | undefined, next: number): boolean {
  return cut === undefined || next < cut || next - cut >= DAY_MS;
}

export interface TrimOptions {
  db: Database;
  series: readonly Series[];
  /** Epoch ms. */
  cut: number;
  /** Whether the device is no longer there: nothing of it is worth keeping beyond its time. */
  isGone: (deviceId: string) => boolean;
}

interface Doomed {
  id: number;
  at: number;
  n: number;
}

/** Removes what is older than the cut and answers the series of which nothing is left in the file. */
export function* trim({ db, series, cut, isGone }: TrimOptions): Generator<void, Series[]> {
  const last = db.query<{ at: number; n: number; type: number | null }, [number, number]>(
    "SELECT at, n, type FROM samples WHERE series_id = ? AND at < ? ORDER BY at DESC, n DESC LIMIT 1",
  );
  const first = db.query<{ at: number; n: number }, [number]>(
    "SELECT at, n FROM samples WHERE series_id = ? ORDER BY at, n LIMIT 1",
  );
  const emptied: Series[] = [];
  let doomed: Doomed[] = [];
  for (const [index, one] of series.entries()) {
    const keep = last.get(one.id, cut);
    const oldest = first.get(one.id);
    if (!oldest) emptied.push(one);
    if (keep && oldest) {
      const whole = keep.type === REMOVED || isGone(one.deviceId);
      const end = { id: one.id, at: keep.at, n: whole ? keep.n + 1 : keep.n };
      yield* longRun(db, end);
      if (oldest.at !== end.at || oldest.n !== end.n) doomed.push(end);
      if (whole) emptied.push(one);
    }
    if (doomed.length < SLICE_SERIES && index % SLICE_ROWS < SLICE_ROWS - 1) continue;
    removeBefore(db, doomed);
    doomed = [];
    yield;
  }
  removeBefore(db, doomed);
  return emptied.filter(({ id }) => !first.get(id));
}

// More than a slice of one series goes slice by slice.
function* longRun(db: Database, end: Doomed): Generator<void> {
  const bound = db.query<{ at: number; n: number }, [number, number, number, number]>(
    `SELECT at, n FROM samples WHERE series_id = ? AND (at, n) < (?, ?) ORDER BY at, n LIMIT 1 OFFSET ?`,
  );
  for (;;) {
    const found = bound.get(end.id, end.at, end.n, SLICE_ROWS);
    if (!found) return;
    removeBefore(db, [{ id: end.id, ...found }]);
    yield;
  }
}

function removeBefore(db: Database, doomed: readonly Doomed[]): void {
  if (doomed.length === 0) return;
  const remove = db.query("DELETE FROM samples WHERE series_id = ? AND (at, n) < (?, ?)");
  db.transaction(() => {
    for (const { id, at, n } of doomed) remove.run(id, at, n);
  }).immediate();
}

/** Bytes of the file that hold something. */
export function usedBytes(db: Database): number {
  const value = (name: string): number => Number(Object.values(db.query(`PRAGMA ${name}`).get() ?? { none: 0 })[0]);
  return (value("page_count") - value("freelist_count")) * value("page_size");
}

/** The cut by size removes a little: a fiftieth of the time since the oldest sample, a day at most. */
export function nextCutBySize(oldest: number, now: number): number {
  return Math.floor(oldest + Math.max(SHORTEST_STEP_MS, Math.min(DAY_MS, (now - oldest) / 50)));
}

/** The time of the oldest sample that is not before `at`, in the file or in memory; infinite where there is none. */
export function oldestFrom(db: Database, series: Iterable<Series>, at: number): number {
  const settled = db.query<{ at: number }, [number, number]>(
    "SELECT at FROM samples WHERE series_id = ? AND at >= ? ORDER BY at LIMIT 1",
  );
  let oldest = Number.POSITIVE_INFINITY;
  for (const { id, held } of series) {
    oldest = Math.min(oldest, held[firstFrom(held, at)]?.at ?? oldest, settled.get(id, at)?.at ?? oldest);
  }
  return oldest;
}
