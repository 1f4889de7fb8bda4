// Removes the oldest samples: hourly by age, and by size where the file is too large. It works in slices. The last sample before
// the cut stays, as its value lasts beyond it. Writes nothing where nothing is due.
import type { Database } from "bun:sqlite";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { REMOVED } from "../sample.ts";
import type { KeptSpan } from "../worker-protocol.ts";
import { compact } from "./compaction.ts";
import type { SampleBuffer } from "./sample-buffer.ts";
import { firstFrom, type Series } from "./series.ts";
import type { Unsent } from "./unsent.ts";

const DAY_MS = 86_400_000;
const SHORTEST_STEP_MS = 600_000;
const SLICE_ROWS = 2000;
const SLICE_SERIES = 200;

export interface RetainOptions {
  db: Database;
  buffer: SampleBuffer;
  now: number;
  retentionDays: number;
  maxBytes: number;
  /** Ids of the existing devices; undefined where they are not known. */
  devices: readonly string[] | undefined;
  /** Is notified of what is about to be removed. */
  unsent?: Pick<Unsent, "count"> | undefined;
}

type MetaKey = "age_cut" | "size_cut";

/** Returns whether the cut is held back because the clock leapt. */
export function* retainByAge(options: RetainOptions): Generator<void, boolean> {
  const { db, buffer, now, retentionDays } = options;
  const wanted = now - retentionDays * DAY_MS;
  const before = getMeta(db, "age_cut");
  const oldest = (at: number): number => oldestFrom(db, buffer.series.all(), at);
  const { cut, heldBack } = nextCut({ before, wanted, oldestFrom: oldest });
  if (!isTrimDue(before, cut)) return false;
  if (before === undefined || cut > before) {
    const isOld = ({ buffered }: Series): boolean => (buffered[0]?.at ?? cut) < cut;
    if ([...buffer.series.all()].some(isOld)) yield* compactAll(options);
    yield* trimAndForget(options, cut);
  }
  setMeta(db, "age_cut", cut);
  return heldBack;
}

export function* retainBySize(options: RetainOptions): Generator<void> {
  const { db, buffer, now, maxBytes } = options;
  if (usedBytes(db) <= maxBytes) return;
  yield* compactAll(options);
  let cut = Math.max(getMeta(db, "size_cut") ?? 0, Math.min(now, getMeta(db, "age_cut") ?? 0));
  // A clock that was ahead may have left a cut that is later than every sample.
  if (!Number.isFinite(oldestFrom(db, buffer.series.all(), cut))) cut = 0;
  while (usedBytes(db) > maxBytes) {
    const oldest = oldestFrom(db, buffer.series.all(), cut);
    if (!Number.isFinite(oldest)) break;
    cut = nextCutBySize(oldest, now);
    yield* trimAndForget(options, cut);
    setMeta(db, "size_cut", cut);
  }
}

/** Logs where removing begins to be held back. */
export function createCatchUpNotice(log: Pick<Log, "info">): (heldBack: boolean) => void {
  let catchingUp = false;
  return function note(heldBack) {
    if (heldBack && !catchingUp)
      log.info(
        "the clock leapt, the hub was off for days, or fewer days are kept than before: each hour a day of old samples is removed",
      );
    catchingUp = heldBack;
  };
}

function* compactAll({ db, buffer }: RetainOptions): Generator<void> {
  yield* compact(db, buffer.series.all(), (samples, bytes) => buffer.release(samples, bytes));
}

interface CutOptions {
  /** The last cut. */
  before: number | undefined;
  /** The cut by the clock. */
  wanted: number;
  /** The oldest sample not before a time; infinite where there is none. */
  oldestFrom: (at: number) => number;
}

/**
 * The next cut by age, computed once an hour of running. A clock that leaps ahead (as on a Pi without one) must not erase the
 * history: then the cut moves through the samples a day at a time, and moves back when the clock does.
 */
function nextCut({ before, wanted, oldestFrom }: CutOptions): { cut: number; heldBack: boolean } {
  if (before !== undefined && wanted - before <= 2 * DAY_MS) return { cut: wanted, heldBack: false };
  const oldest = oldestFrom(before ?? 0);
  if (oldest >= wanted) return { cut: wanted, heldBack: false };
  return { cut: Math.min(wanted, Math.max(oldest, (before ?? 0) + DAY_MS)), heldBack: true };
}

/** Whether the cut has moved far enough: each trimming writes a page for each series. */
function isTrimDue(cut: number | undefined, next: number): boolean {
  return cut === undefined || next < cut || next - cut >= DAY_MS;
}

/** The cut by size moves by a fiftieth of the time since the oldest sample, a day at most. */
function nextCutBySize(oldest: number, now: number): number {
  return Math.floor(oldest + Math.max(SHORTEST_STEP_MS, Math.min(DAY_MS, (now - oldest) / 50)));
}

/** Trims, and removes series without samples. */
function* trimAndForget({ db, buffer, devices, unsent }: RetainOptions, cut: number): Generator<void> {
  const existing = devices && new Set(devices);
  const series = [...buffer.series.all()].filter(({ id }) => id > 0);
  const isGone = (deviceId: string): boolean => existing !== undefined && !existing.has(deviceId);
  const emptied: Series[] = yield* trim({ db, series, cut, isGone, unsent });
  const remove = db.query("DELETE FROM series WHERE id = ?");
  db.transaction(() => {
    for (const one of emptied) {
      // It may have got new samples between two slices.
      if (one.buffered.length > 0) continue;
      remove.run(one.id);
      buffer.series.remove(one);
    }
  }).immediate();
}

interface TrimOptions {
  db: Database;
  series: readonly Series[];
  /** Epoch ms. */
  cut: number;
  /** Whether the device was removed: then its last sample before the cut goes too. */
  isGone: (deviceId: string) => boolean;
  unsent: RetainOptions["unsent"];
}

/** Everything of a series before this sample. */
interface Doomed {
  id: number;
  at: number;
  n: number;
}

/** Removes samples that are older than the cut. Returns the series that have none left in the file. */
function* trim({ db, series, cut, isGone, unsent }: TrimOptions): Generator<void, Series[]> {
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
      yield* removeLongRun(db, end, unsent);
      if (oldest.at !== end.at || oldest.n !== end.n) doomed.push(end);
      if (whole) emptied.push(one);
    }
    if (doomed.length < SLICE_SERIES && index % SLICE_ROWS < SLICE_ROWS - 1) continue;
    removeBefore(db, doomed, unsent);
    doomed = [];
    yield;
  }
  removeBefore(db, doomed, unsent);
  return emptied.filter(({ id }) => !first.get(id));
}

/** Removes all but the last slice of one series, slice by slice. */
function* removeLongRun(db: Database, end: Doomed, unsent: TrimOptions["unsent"]): Generator<void> {
  const bound = db.query<{ at: number; n: number }, [number, number, number, number]>(
    `SELECT at, n FROM samples WHERE series_id = ? AND (at, n) < (?, ?) ORDER BY at, n LIMIT 1 OFFSET ?`,
  );
  for (;;) {
    const found = bound.get(end.id, end.at, end.n, SLICE_ROWS);
    if (!found) return;
    removeBefore(db, [{ id: end.id, ...found }], unsent);
    yield;
  }
}

function removeBefore(db: Database, doomed: readonly Doomed[], unsent: TrimOptions["unsent"]): void {
  if (doomed.length === 0) return;
  unsent?.count(db, doomed);
  const remove = db.query("DELETE FROM samples WHERE series_id = ? AND (at, n) < (?, ?)");
  db.transaction(() => {
    for (const { id, at, n } of doomed) remove.run(id, at, n);
  }).immediate();
}

/** Bytes of the file that are in use. */
export function usedBytes(db: Database): number {
  const value = (name: string): number => Number(Object.values(db.query(`PRAGMA ${name}`).get() ?? { none: 0 })[0]);
  return (value("page_count") - value("freelist_count")) * value("page_size");
}

/** What is there, whatever was removed. */
export function keptSpan(db: Database, series: readonly Series[], now: number): KeptSpan {
  const cut = Math.max(0, ...(["age_cut", "size_cut"] as const).map((key) => getMeta(db, key) ?? 0));
  const from = (at: number): number => Math.min(now, oldestFrom(db, series, at));
  return { cut, oldest: from(cut), first: from(0) };
}

/** The time of the oldest sample that is not before `at`, in the file or in memory; infinite where there is none. */
function oldestFrom(db: Database, series: Iterable<Series>, at: number): number {
  const compacted = db.query<{ at: number }, [number, number]>(
    "SELECT at FROM samples WHERE series_id = ? AND at >= ? ORDER BY at LIMIT 1",
  );
  let oldest = Number.POSITIVE_INFINITY;
  for (const { id, buffered } of series) {
    oldest = Math.min(oldest, buffered[firstFrom(buffered, at)]?.at ?? oldest, compacted.get(id, at)?.at ?? oldest);
  }
  return oldest;
}

function getMeta(db: Database, key: MetaKey): number | undefined {
  return db.query<{ value: number }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
}

function setMeta(db: Database, key: MetaKey, value: number): void {
  db.query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value);
}
