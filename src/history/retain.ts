// The hourly care of the file: by age, then by size. Writes nothing where nothing is due.
import type { Database } from "bun:sqlite";
import type { Memory } from "./memory.ts";
import { isTrimDue, nextCut, nextCutBySize, oldestFrom, trim, usedBytes } from "./retention.ts";
import type { Series } from "./series.ts";
import { settle } from "./settle.ts";

const DAY_MS = 86_400_000;

export interface RetainOptions {
  db: Database;
  memory: Memory;
  now: number;
  retentionDays: number;
  maxBytes: number;
  /** Ids of the devices there are; all where it is not known. */
  devices: readonly string[] | undefined;
}

type MetaKey = "age_cut" | "size_cut";

/** Answers whether the cut is held back because the clock leapt. */
export function* retainByAge(options: RetainOptions): Generator<void, boolean> {
  const { db, memory, now, retentionDays } = options;
  const wanted = now - retentionDays * DAY_MS;
  const before = getMeta(db, "age_cut");
  const oldest = (at: number): number => oldestFrom(db, memory.series.all(), at);
  const { cut, heldBack } = nextCut({ before, wanted, oldestFrom: oldest });
  if (!isTrimDue(before, cut)) return false;
  if (before === undefined || cut > before) {
    for (const { held } of memory.series.all()) {
      if ((held[0]?.at ?? cut) >= cut) continue;
      yield* settle(db, memory.series.all(), memory.released);
      break;
    }
    yield* trimAndForget(options, cut);
  }
  setMeta(db, "age_cut", cut);
  return heldBack;
}

export function* retainBySize(options: RetainOptions): Generator<void> {
  const { db, memory, now, maxBytes } = options;
  if (usedBytes(db) <= maxBytes) return;
  yield* settle(db, memory.series.all(), memory.released);
  let cut = Math.max(getMeta(db, "size_cut") ?? 0, Math.min(now, getMeta(db, "age_cut") ?? 0));
  // A clock that was ahead may have left a mark behind which nothing lies.
  if (!Number.isFinite(oldestFrom(db, memory.series.all(), cut))) cut = 0;
  while (usedBytes(db) > maxBytes) {
    const oldest = oldestFrom(db, memory.series.all(), cut);
    if (!Number.isFinite(oldest)) break;
    cut = nextCutBySize(oldest, now);
    yield* trimAndForget(options, cut);
    setMeta(db, "size_cut", cut);
  }
}

function* trimAndForget({ db, memory, devices }: RetainOptions, cut: number): Generator<void> {
  const there = devices && new Set(devices);
  const series = [...memory.series.all()].filter(({ id }) => id > 0);
  const isGone = (deviceId: string): boolean => there !== undefined && !there.has(deviceId);
  const emptied: Series[] = yield* trim({ db, series, cut, isGone });
  const remove = db.query("DELETE FROM series WHERE id = ?");
  db.transaction(() => {
    for (const one of emptied) {
      // It may have come back to life between two slices.
      if (one.held.length > 0) continue;
      remove.run(one.id);
      memory.series.remove(one);
    }
  }).immediate();
}

function getMeta(db: Database, key: MetaKey): number | undefined {
  return db.query<{ value: number }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
}

function setMeta(db: Database, key: MetaKey, value: number): void {
  db.query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value);
}
