// The history in the worker: takes samples in, writes them, and looks after its file, whatever befalls that. What is in no
// file waits in memory. Knows nothing of threads; long work comes as generators that yield between short steps.
import type { Database } from "bun:sqlite";
import { HubError, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { isStorageFault, type StorageFault, storageFaultOf } from "../core/storage-fault.ts";
import { createZone } from "../core/zone.ts";
import { closeDatabase, isDamage, setAside } from "../db/open.ts";
import { type HistoryFile, openHistoryFile } from "./file.ts";
import { createMemory, type MemoryLimits } from "./memory.ts";
import type { HistoryPage, HistoryQuery, Moment, SampleRows, StoreHealth, StoreOptions } from "./messages.ts";
import { answerQuery } from "./query.ts";
import { retainByAge, retainBySize } from "./retain.ts";
import type { Series } from "./series.ts";
import { numberSample, settle } from "./settle.ts";

const REOPEN_MS = 60_000;

export interface StoreLimits extends MemoryLimits {
  /** Samples in memory at which they are settled. */
  settleAt: number;
}

export const storeLimits: StoreLimits = {
  settleAt: 50_000,
  mostWaiting: 200_000,
  mostTextBytes: 16 * 1_048_576,
  mostSeries: 100_000,
};

export interface Store {
  readonly health: StoreHealth;
  /** Whether there is enough to settle. */
  readonly settleDue: boolean;
  /** Whether there is twice as much. */
  readonly settleLate: boolean;
  record(rows: SampleRows): void;
  /** Writes what waits; false where it still does. */
  flush(at: Moment): boolean;
  /** Puts what was written into its place, and keeps the size in bounds. */
  settle(at: Moment): Generator<void>;
  /** Once an hour of running. */
  retain(at: Moment, devices: readonly string[] | undefined): Generator<void>;
  /** Throws HubError `unavailable` where the file cannot be read. */
  query(query: HistoryQuery, at: Moment): HistoryPage;
  /** Writes what waits and folds the log in. */
  close(at: Moment): void;
}

export interface OpenStoreOptions extends StoreOptions {
  log: Log;
  limits?: StoreLimits;
}

/** Opens, or says in its health why it could not; it tries again by itself. */
export function openStore(options: OpenStoreOptions, begin: Moment): Store {
  const { path, log, limits = { ...storeLimits, mostTextBytes: options.mostTextBytes } } = options;
  const zone = createZone(options.timezone);
  const memory = createMemory(limits, log);
  // What is wrong with which work; each is told once.
  const faults = new Map<"open" | "write" | "settle", { problem: string; storage: StorageFault | undefined }>();
  let damagedFile: string | undefined;
  let file: HistoryFile | undefined;
  let triedAt = begin.mono;
  let recorded = 0;
  let catchingUp = false;

  function open({ now, mono }: Moment): void {
    triedAt = mono;
    try {
      file?.db.close();
      file = undefined;
      file = openHistoryFile(path, now);
      if (file.setAside) reportDamage(file.setAside);
      memory.reload(file.db);
      if (file.readOnly) fault("open", file.readOnly);
      else mended("open");
    } catch (error) {
      if (isDamage(error)) replace(now);
      else fault("open", error);
    }
  }

  /** Sets a damaged file aside and begins a new one with all that is in memory. */
  function replace(now: number): void {
    memory.unsettle();
    try {
      file?.db.close();
      file = undefined;
      reportDamage(setAside(path, now));
      file = openHistoryFile(path, now);
      memory.reload(file.db);
      mended("open");
    } catch (error) {
      fault("open", error);
    }
  }

  function reportDamage(keptAs: string): void {
    damagedFile = keptAs;
    log.error("the history was damaged; it was set aside and a new one begun", { kept_as: keptAs });
  }

  function fault(work: "open" | "write" | "settle", error: unknown): void {
    const why = isStorageFault(error) ? "the disk is full or cannot be written" : messageOf(error);
    const newer = error instanceof HubError && error.code === "config";
    const mend = newer ? "" : `; free some space, or let the hub write ${path}`;
    const problem = `the history cannot be recorded: ${why}${mend}`;
    if (!faults.has(work)) log.error(problem);
    faults.set(work, { problem, storage: work === "open" ? undefined : storageFaultOf(error) });
  }

  function mended(work: "open" | "write" | "settle"): void {
    if (faults.delete(work) && faults.size === 0) log.info("the history is recorded again");
  }

  /** The database where it can be written; tried again once a minute. */
  function writable(at: Moment): Database | undefined {
    if ((!file || file.readOnly) && at.mono - triedAt >= REOPEN_MS) open(at);
    return file && !file.readOnly ? file.db : undefined;
  }

  function failed(work: "write" | "settle", error: unknown, { now }: Moment): void {
    if (isDamage(error)) replace(now);
    else fault(work, error);
  }

  function* guarded(steps: (db: Database) => Generator<void>, at: Moment): Generator<void> {
    const db = writable(at);
    if (!db) return;
    try {
      yield* steps(db);
      mended("settle");
    } catch (error) {
      // Between two steps the file may have been replaced: then there is nothing left to do.
      if (file?.db === db) failed("settle", error, at);
    }
  }

  const retention = (db: Database, { now }: Moment, devices: readonly string[] | undefined) => {
    const { retentionDays, maxBytes } = options;
    return { db, memory, now, retentionDays, maxBytes, devices };
  };

  /** What is written and not settled, as a part of what makes it worth settling. */
  function written(): number {
    const samples = (memory.held - memory.waiting.length) / limits.settleAt;
    // A quarter: as much again may come before it is done.
    return Math.max(samples, (4 * (memory.heldTextBytes - memory.waitingTextBytes)) / limits.mostTextBytes);
  }

  const store: Store = {
    get health() {
      const [first] = faults.values();
      return {
        problem: first?.problem,
        recorded,
        waiting: memory.waiting.length,
        dropped: memory.dropped,
        storageFault: first?.storage,
        damagedFile,
      };
    },
    get settleDue() {
      return written() >= 1;
    },
    get settleLate() {
      return written() >= 2;
    },
    record: (rows) => memory.record(rows),
    flush(at) {
      const samples = memory.waiting.length;
      if (samples === 0) return true;
      const db = writable(at);
      // What cannot be settled is held as long as there is room; then writing waits too, which is bounded.
      const unsettled = { held: memory.held - samples, text: memory.heldTextBytes - memory.waitingTextBytes };
      if (!db || unsettled.held > limits.mostWaiting || unsettled.text > limits.mostTextBytes) return false;
      try {
        append(db, memory.waiting);
        memory.written();
        recorded += samples;
        mended("write");
        return true;
      } catch (error) {
        failed("write", error, at);
        return false;
      }
    },
    settle: (at) =>
      guarded(function* settleAll(db) {
        yield* settle(db, memory.series.all(), memory.released);
        yield* retainBySize(retention(db, at, undefined));
      }, at),
    retain: (at, devices) =>
      guarded(function* retainAll(db) {
        const heldBack = yield* retainByAge(retention(db, at, devices));
        if (heldBack && !catchingUp)
          log.info(
            "the clock leapt, the hub was off for days, or fewer days are kept than before: old samples go a day an hour now",
          );
        catchingUp = heldBack;
        yield* retainBySize(retention(db, at, devices));
      }, at),
    query(query, at) {
      if (!file) writable(at);
      if (!file) throw new HubError("unavailable", faults.get("open")?.problem ?? "the history is not open");
      try {
        return answerQuery(query, { db: file.db, series: memory.series, zone, now: at.now });
      } catch (error) {
        if (error instanceof HubError) throw error;
        if (isDamage(error)) replace(at.now);
        throw new HubError("unavailable", `the history cannot be read: ${messageOf(error)}`, { cause: error });
      }
    },
    close(at) {
      store.flush(at);
      if (file?.readOnly) file.db.close();
      else if (file) closeDatabase(file.db);
      file = undefined;
    },
  };
  open(begin);
  return store;
}

/** Appends what arrived, in one transaction; a series is begun with its first sample. */
function append(
  db: Database,
  waiting: readonly { series: Series; sample: Parameters<typeof numberSample>[2] }[],
): void {
  const begin = db.query<{ id: number }, [string, string]>(
    "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
  );
  const insert = db.query("INSERT INTO recent (series_id, at, n, value, type) VALUES (?, ?, ?, ?, ?)");
  const begun: Series[] = [];
  try {
    db.transaction(() => {
      for (const { series, sample } of waiting) {
        if (series.id === 0) {
          series.id = begin.get(series.deviceId, series.attribute)?.id ?? 0;
          begun.push(series);
        }
        if (sample.n < 0) numberSample(db, series, sample);
        insert.run(series.id, sample.at, sample.n, sample.value, sample.type);
      }
    }).immediate();
  } catch (error) {
    for (const series of begun) series.id = 0;
    throw error;
  }
}
