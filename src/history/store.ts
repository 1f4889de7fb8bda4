// The history in the worker: takes samples, writes them, and maintains its file through damage and full disks. Samples that are
// not in the file wait in memory. Knows nothing of threads; long work is a generator that yields between short steps.
import type { Database } from "bun:sqlite";
import { HubError, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { isStorageFault, type StorageFault, storageFaultOf } from "../core/storage-fault.ts";
import { createZone, type Zone } from "../core/zone.ts";
import { closeDatabase, isDamage, setAside } from "../db/open.ts";
import { compact, numberSample } from "./compaction.ts";
import { type HistoryFile, openHistoryFile } from "./history-file.ts";
import { answerQuery } from "./query.ts";
import { retainByAge, retainBySize } from "./retention.ts";
import { type Arrival, type BufferLimits, SampleBuffer } from "./sample-buffer.ts";
import type { Series } from "./series.ts";
import type { HistoryPage, HistoryQuery, Moment, SampleRows, StoreHealth, StoreOptions } from "./worker-protocol.ts";

const REOPEN_MS = 60_000;

export interface StoreLimits extends BufferLimits {
  /** Samples in memory at which they are compacted. */
  compactAt: number;
}

export const storeLimits: StoreLimits = {
  compactAt: 50_000,
  mostWaiting: 200_000,
  mostTextBytes: 16 * 1_048_576,
  mostSeries: 100_000,
};

export interface OpenStoreOptions extends StoreOptions {
  log: Log;
  limits?: StoreLimits;
}

type Work = "open" | "write" | "compact";

/** Opens the file; where that fails, `health` says why and it is tried again later. */
export function openStore(options: OpenStoreOptions, at: Moment): Store {
  const store = new Store(options);
  store.open(at);
  return store;
}

export class Store {
  readonly #options: OpenStoreOptions;
  readonly #limits: StoreLimits;
  readonly #zone: Zone;
  readonly #buffer: SampleBuffer;
  /** What is wrong with which work; each is logged once. */
  readonly #faults = new Map<Work, { problem: string; storage: StorageFault | undefined }>();
  #damagedFile: string | undefined;
  #file: HistoryFile | undefined;
  #openedAt = 0;
  #recorded = 0;
  #catchingUp = false;

  constructor(options: OpenStoreOptions) {
    this.#options = options;
    this.#limits = options.limits ?? { ...storeLimits, mostTextBytes: options.mostTextBytes };
    this.#zone = createZone(options.timezone);
    this.#buffer = new SampleBuffer(this.#limits, options.log);
  }

  get health(): StoreHealth {
    const { waiting, dropped } = this.#buffer;
    const [fault] = this.#faults.values();
    return {
      ...{ problem: fault?.problem, recorded: this.#recorded, waiting: waiting.length, dropped },
      ...{ storageFault: fault?.storage, damagedFile: this.#damagedFile },
    };
  }

  /** Whether there is enough to compact. */
  get compactionDue(): boolean {
    return this.#compactionLoad() >= 1;
  }

  /** Whether there is twice as much. */
  get compactionLate(): boolean {
    return this.#compactionLoad() >= 2;
  }

  open({ now, mono }: Moment): void {
    this.#openedAt = mono;
    try {
      this.#closeFile();
      const file = openHistoryFile(this.#options.path, now);
      this.#file = file;
      if (file.setAside) this.#reportDamage(file.setAside);
      this.#buffer.reload(file.db);
      if (file.readOnly) this.#fault("open", file.readOnly);
      else this.#mended("open");
    } catch (error) {
      if (isDamage(error)) this.#replace(now);
      else this.#fault("open", error);
    }
  }

  record(rows: SampleRows): void {
    this.#buffer.record(rows);
  }

  /** Writes the waiting samples; false where they still wait. */
  flush(at: Moment): boolean {
    const buffer = this.#buffer;
    const samples = buffer.waiting.length;
    if (samples === 0) return true;
    const db = this.#writable(at);
    // Where compaction fails, written samples stay in memory. Above the limits writing stops too, and the waiting ones are bounded.
    const written = { samples: buffer.size - samples, textBytes: buffer.textBytes - buffer.waitingTextBytes };
    const { mostWaiting, mostTextBytes } = this.#limits;
    if (!db || written.samples > mostWaiting || written.textBytes > mostTextBytes) return false;
    try {
      append(db, buffer.waiting);
      buffer.markWritten();
      this.#recorded += samples;
      this.#mended("write");
      return true;
    } catch (error) {
      this.#failed("write", error, at);
      return false;
    }
  }

  /** Sorts the written samples into the table `samples`, and keeps the file below its size. */
  *compact(at: Moment): Generator<void> {
    const buffer = this.#buffer;
    const released = (samples: number, bytes: number): void => buffer.release(samples, bytes);
    yield* this.#maintain(at, function* compactAll(db, retention) {
      yield* compact(db, buffer.series.all(), released);
      yield* retainBySize(retention);
    });
  }

  /** Once an hour of running. */
  *retain(at: Moment, devices: readonly string[] | undefined): Generator<void> {
    const store = this;
    yield* this.#maintain(at, function* retainAll(_db, retention) {
      store.#logCatchingUp(yield* retainByAge({ ...retention, devices }));
      yield* retainBySize({ ...retention, devices });
    });
  }

  /** Throws HubError `unavailable` where the file cannot be read. */
  query(query: HistoryQuery, at: Moment): HistoryPage {
    if (!this.#file) this.#writable(at);
    const file = this.#file;
    if (!file) throw new HubError("unavailable", this.#faults.get("open")?.problem ?? "the history is not open");
    try {
      return answerQuery(query, { db: file.db, series: this.#buffer.series, zone: this.#zone, now: at.now });
    } catch (error) {
      if (error instanceof HubError) throw error;
      if (isDamage(error)) this.#replace(at.now);
      throw new HubError("unavailable", `the history cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Writes the waiting samples and closes the file, without a log beside it. */
  close(at: Moment): void {
    this.flush(at);
    if (this.#file?.readOnly) this.#file.db.close();
    else if (this.#file) closeDatabase(this.#file.db);
    this.#file = undefined;
  }

  #closeFile(): void {
    this.#file?.db.close();
    this.#file = undefined;
  }

  /** Sets a damaged file aside and starts a new one with all samples in memory. */
  #replace(now: number): void {
    const { path } = this.#options;
    this.#buffer.markUnwritten();
    try {
      this.#closeFile();
      this.#reportDamage(setAside(path, now));
      this.#file = openHistoryFile(path, now);
      this.#buffer.reload(this.#file.db);
      this.#mended("open");
    } catch (error) {
      this.#fault("open", error);
    }
  }

  #reportDamage(keptAs: string): void {
    this.#damagedFile = keptAs;
    this.#options.log.error("the history was damaged; it was set aside and a new one begun", { kept_as: keptAs });
  }

  #fault(work: Work, error: unknown): void {
    const why = isStorageFault(error) ? "the disk is full or cannot be written" : messageOf(error);
    const newer = error instanceof HubError && error.code === "config";
    const mend = newer ? "" : `; free some space, or let the hub write ${this.#options.path}`;
    const problem = `the history cannot be recorded: ${why}${mend}`;
    if (!this.#faults.has(work)) this.#options.log.error(problem);
    this.#faults.set(work, { problem, storage: work === "open" ? undefined : storageFaultOf(error) });
  }

  #mended(work: Work): void {
    if (this.#faults.delete(work) && this.#faults.size === 0) this.#options.log.info("the history is recorded again");
  }

  #failed(work: Work, error: unknown, { now }: Moment): void {
    if (isDamage(error)) this.#replace(now);
    else this.#fault(work, error);
  }

  /** The database where it can be written; otherwise reopened once a minute. */
  #writable(at: Moment): Database | undefined {
    if ((!this.#file || this.#file.readOnly) && at.mono - this.#openedAt >= REOPEN_MS) this.open(at);
    return this.#file && !this.#file.readOnly ? this.#file.db : undefined;
  }

  *#maintain(
    at: Moment,
    steps: (db: Database, retention: Parameters<typeof retainBySize>[0]) => Generator<void>,
  ): Generator<void> {
    const db = this.#writable(at);
    if (!db) return;
    const { retentionDays, maxBytes } = this.#options;
    const retention = { db, buffer: this.#buffer, now: at.now, retentionDays, maxBytes, devices: undefined };
    try {
      yield* steps(db, retention);
      this.#mended("compact");
    } catch (error) {
      // Between two steps the file may have been replaced; then the work is obsolete.
      if (this.#file?.db === db) this.#failed("compact", error, at);
    }
  }

  /** Written samples that are not compacted, as a multiple of the amount at which compaction is due. */
  #compactionLoad(): number {
    const { waiting, size, textBytes, waitingTextBytes } = this.#buffer;
    const samples = (size - waiting.length) / this.#limits.compactAt;
    // Due at a quarter of the limit: as many again may come before it is done.
    return Math.max(samples, (4 * (textBytes - waitingTextBytes)) / this.#limits.mostTextBytes);
  }

  #logCatchingUp(heldBack: boolean): void {
    if (heldBack && !this.#catchingUp)
      this.#options.log.info(
        "the clock leapt, the hub was off for days, or fewer days are kept than before: each hour a day of old samples is removed",
      );
    this.#catchingUp = heldBack;
  }
}

/** Appends what arrived, in one transaction. A series gets its row with its first sample. */
function append(db: Database, waiting: readonly Arrival[]): void {
  const insertSeries = db.query<{ id: number }, [string, string]>(
    "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
  );
  const insert = db.query("INSERT INTO recent (series_id, at, n, value, type) VALUES (?, ?, ?, ?, ?)");
  const begun: Series[] = [];
  try {
    db.transaction(() => {
      for (const { series, sample } of waiting) {
        if (series.id === 0) {
          series.id = insertSeries.get(series.deviceId, series.attribute)?.id ?? 0;
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
