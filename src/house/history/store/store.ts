// The history in the worker: takes samples, writes them, and maintains its file through damage and full disks. Samples that are
// not in the file wait in memory. Knows nothing of threads; long work is a generator that yields between short steps.
import type { Database } from "bun:sqlite";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf, RESTART_THE_HUB } from "../../../kit/schema/errors.ts";
import { createZone, type Zone } from "../../../kit/time/zone.ts";
import { type CheckpointMark, checkpointOf } from "../../../server/db/checkpoint-mark.ts";
import { isDamage, setAside } from "../../../server/db/open.ts";
import { type Exchanged, type OwnFile, ownFile } from "../../../server/db/own-file.ts";
import { answerQuery } from "../query/query.ts";
import { createSpanReader } from "../query/span-reader.ts";
import { completedDays, rollUp } from "../query/summary-scan.ts";
import type {
  ForgottenSeries,
  HistoryPage,
  HistoryQuery,
  KeptSpan,
  Moment,
  RenamedSeries,
  SampleRows,
  SamplesPage,
  SamplesQuery,
  StoreHealth,
  StoreOptions,
} from "../worker-protocol.ts";
import { append } from "./append.ts";
import { compact } from "./compaction.ts";
import { type HistoryFile, openHistoryFile } from "./history-file.ts";
import { type MergedSeries, mergeSamples } from "./merge.ts";
import { forgetSeries, renameSeries } from "./rename.ts";
import { createCatchUpNotice, keptSpan, retainByAge, retainBySize } from "./retention.ts";
import { keepRollupsIfWritable, type Rollup } from "./rollups.ts";
import { SampleBuffer } from "./sample-buffer.ts";
import { createStoreFaults, type StoreFaults, type Work } from "./store-faults.ts";
import { type StoreLimits, storeLimits } from "./store-limits.ts";
import { createUnsent } from "./unsent.ts";

const REOPEN_MS = 60_000;

export interface OpenStoreOptions extends StoreOptions {
  log: Log;
  limits?: StoreLimits;
}

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
  readonly #spans = createSpanReader();
  readonly #unsent = createUnsent();
  readonly #noteCatchingUp: (heldBack: boolean) => void;
  readonly #faults: StoreFaults;
  #damagedFile: string | undefined;
  #file: HistoryFile | undefined;
  /** Of a file that can be written, also after another one came into its place. */
  #own: OwnFile | undefined;
  #exchanged: Exchanged | undefined;
  #openedAt = 0;
  #now = 0;
  #recorded = 0;
  /** Goes into the file with the samples that wait. */
  #mark: CheckpointMark | undefined;
  #checkpointed: number | undefined;
  #renamed: RenamedSeries[] = [];
  #forgotten: ForgottenSeries[] = [];

  constructor(options: OpenStoreOptions) {
    this.#options = options;
    this.#limits = options.limits ?? { ...storeLimits, maxTextBytes: options.maxTextBytes };
    this.#zone = createZone(options.timezone);
    this.#buffer = new SampleBuffer(this.#limits, options.log);
    this.#noteCatchingUp = createCatchUpNotice(options.log);
    this.#faults = createStoreFaults(options);
  }

  get health(): StoreHealth {
    const { waiting, dropped } = this.#buffer;
    const fault = this.#faults.first();
    return {
      ...{ problem: fault?.problem, recorded: this.#recorded, waiting: waiting.length, dropped },
      ...{ storageFault: fault?.storage, damagedFile: this.#damagedFile, checkpointed: this.#checkpointed },
      exchanged: this.#exchanged,
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
      const file = this.#openFile(now);
      if (file.setAside) this.#reportDamage(file.setAside);
      this.#buffer.reload(file.db);
      if (file.readOnly) this.#faults.note("open", file.readOnly);
      else this.#faults.mended("open");
    } catch (error) {
      if (isDamage(error)) this.#replace(now);
      else this.#faults.note("open", error);
    }
  }

  record(rows: SampleRows): void {
    this.#buffer.record(rows);
  }

  /** Takes samples that the journal kept, unless they are in the file. */
  replay(rows: SampleRows, { id, segment }: CheckpointMark): void {
    if (!this.#file || checkpointOf(this.#file.db, id) < segment) this.record(rows);
  }

  /**
   * Writes the waiting samples; false where they still wait. With a mark of the journal (the one of this call, or of an
   * earlier one that failed) it is noted beside them, and both are synced.
   */
  flush(at: Moment, mark = this.#mark): boolean {
    this.#mark = mark;
    const buffer = this.#buffer;
    const samples = buffer.waiting.length;
    if (samples === 0 && (!mark || mark.segment === this.#checkpointed)) return true;
    const db = this.#writable(at);
    // Where compaction fails, written samples stay in memory. Above the limits writing stops too, and the waiting ones are bounded.
    const written = { samples: buffer.size - samples, textBytes: buffer.textBytes - buffer.waitingTextBytes };
    const { maxWaiting, maxTextBytes } = this.#limits;
    if (!db || written.samples > maxWaiting || written.textBytes > maxTextBytes) return false;
    try {
      append(db, buffer.waiting, mark);
      buffer.markWritten();
      this.#checkpointed = mark?.segment;
      this.#recorded += samples;
      this.#faults.mended("write");
      return true;
    } catch (error) {
      this.#failed("write", error, at);
      return false;
    }
  }

  /** Takes what another machine recorded, unless it is there: how many were not. On the disk when it returns. Throws HubError. */
  merge(all: MergedSeries, at: Moment): number {
    const db = this.#writable(at);
    if (!db) throw new HubError("unavailable", this.#faults.notOpen());
    try {
      const added = mergeSamples(db, this.#buffer.series, all);
      this.#recorded += added;
      return added;
    } catch (error) {
      if (error instanceof HubError) throw error;
      this.#failed("write", error, at);
      throw new HubError("unavailable", `the samples cannot be written: ${messageOf(error)}`, { cause: error });
    }
  }

  /** What was recorded before goes on under other names. Where the file cannot be written, it is done later. */
  rename(renamed: readonly RenamedSeries[]): void {
    this.#renamed.push(...renamed);
  }

  /** What was recorded of it is removed. Where the file cannot be written, it is done later. */
  forget(forgotten: readonly ForgottenSeries[]): void {
    this.#forgotten = [...forgotten];
  }

  get renameDue(): boolean {
    return this.#renamed.length > 0 || this.#forgotten.length > 0;
  }

  /** Not while anything else of the long work is under way. */
  renameAll(at: Moment): void {
    const db = this.renameDue && this.#writable(at);
    if (!db) return;
    try {
      renameSeries(db, this.#buffer, this.#renamed);
      this.#renamed = [];
      forgetSeries(db, this.#buffer, this.#forgotten);
      this.#forgotten = [];
      this.#faults.mended("rename");
    } catch (error) {
      this.#failed("rename", error, at);
    }
  }

  /** Sorts the written samples into the table `samples`, and keeps the file below its size. */
  *compact(at: Moment): Generator<void> {
    const buffer = this.#buffer;
    const released = (samples: number, bytes: number): void => buffer.release(samples, bytes);
    yield* this.#maintain(at, function* compactAll(db, retention) {
      const completed = completedDays(buffer.series.all());
      yield* compact(db, buffer.series.all(), released);
      yield* rollUp(db, completed);
      yield* retainBySize(retention);
    });
  }

  /** Once an hour of running. */
  *retain(at: Moment, devices: readonly string[] | undefined): Generator<void> {
    const store = this;
    yield* this.#maintain(at, function* retainAll(_db, retention) {
      store.#noteCatchingUp(yield* retainByAge({ ...retention, devices }));
      yield* retainBySize({ ...retention, devices });
    });
  }

  /** Throws HubError `unavailable` where the file cannot be read. */
  query(query: HistoryQuery, at: Moment): HistoryPage {
    return this.#read(at, (file) => {
      const made: Rollup[] = [];
      const onRollup = (rollup: Rollup): void => void made.push(rollup);
      const source = { db: file.db, series: this.#buffer.series, zone: this.#zone, now: at.now, onRollup };
      const page = answerQuery(query, source);
      keepRollupsIfWritable(file, made, this.#options.log);
      return page;
    });
  }

  /** Throws as `query` does. */
  samples({ reader, isHead, ...query }: SamplesQuery, at: Moment): SamplesPage {
    if (isHead) this.#unsent.readUntil(reader, query.from);
    const page = this.#read(at, ({ db }) => this.#spans.read(query, { db, series: this.#buffer.series }));
    return { ...page, lost: this.#unsent.lost(reader) };
  }

  /** Throws as `query` does. */
  kept(at: Moment): KeptSpan {
    return this.#read(at, ({ db }) => keptSpan(db, [...this.#buffer.series.all()], at.now));
  }

  #read<T>(at: Moment, from: (file: HistoryFile) => T): T {
    if (!this.#file || this.look(at)) this.#writable(at);
    const file = this.#file;
    if (!file) throw new HubError("unavailable", this.#faults.notOpen());
    try {
      return from(file);
    } catch (error) {
      if (error instanceof HubError) throw error;
      if (isDamage(error)) this.#replace(at.now);
      throw new HubError("unavailable", `the history cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Empties SQLite's cache of pages. */
  release(): void {
    this.#file?.db.run("PRAGMA shrink_memory");
  }

  /** Writes the waiting samples and closes the file, without a log beside it. */
  close(at: Moment): void {
    this.flush(at);
    this.#closeFile();
  }

  /** Whether another file is in the place of the one that was opened: then that one is let go, and nothing is read or written any more. */
  look({ now }: Moment): boolean {
    this.#now = now;
    const found = this.#exchanged ?? this.#own?.exchanged();
    if (!found) return false;
    if (!this.#exchanged) {
      const { path } = this.#options;
      this.#exchanged = found;
      this.#faults.note(
        "open",
        new HubError("conflict", `${path} was exchanged while the hub ran: ${RESTART_THE_HUB}`),
      );
      this.#options.log.error("the history was exchanged while the hub ran: it is used from the next start on", {
        ...{ file: path, former_kept_as: found.keptAs },
      });
    }
    this.#closeFile();
    return true;
  }

  /** What has gathered in the log goes into the file. */
  checkpointIfDue(): void {
    try {
      this.#own?.checkpointIfDue();
    } catch {
      // It is tried again, and a disk that takes nothing is noticed by what is written next.
    }
  }

  #openFile(now: number): HistoryFile {
    const { path } = this.#options;
    const file = openHistoryFile(path, now);
    this.#file = file;
    this.#now = now;
    if (!file.readOnly) this.#own = ownFile(path, () => this.#now, [file.db]);
    return file;
  }

  #closeFile(): void {
    if (this.#file?.readOnly) this.#file.db.close();
    this.#file = undefined;
    // While the new one is still being copied, the former stays open.
    if (this.#own?.close()) this.#own = undefined;
  }

  /** Sets a damaged file aside and starts a new one with all samples in memory. */
  #replace(now: number): void {
    const { path } = this.#options;
    // What reads like damage may be the pages of another file.
    if (this.look({ now, mono: this.#openedAt })) return;
    this.#buffer.markUnwritten();
    try {
      this.#closeFile();
      this.#reportDamage(setAside(path, now));
      this.#buffer.reload(this.#openFile(now).db);
      this.#faults.mended("open");
    } catch (error) {
      this.#faults.note("open", error);
    }
  }

  #reportDamage(keptAs: string): void {
    this.#damagedFile = keptAs;
    this.#options.log.error("the history was damaged; it was set aside and a new one begun", { kept_as: keptAs });
  }

  #failed(work: Work, error: unknown, { now }: Moment): void {
    if (isDamage(error)) this.#replace(now);
    else this.#faults.note(work, error);
  }

  /** The database where it can be written; otherwise reopened once a minute. */
  #writable(at: Moment): Database | undefined {
    if (this.look(at)) return undefined;
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
    const retention = {
      db,
      buffer: this.#buffer,
      now: at.now,
      retentionDays,
      maxBytes,
      devices: undefined,
      unsent: this.#unsent,
    };
    try {
      yield* steps(db, retention);
      this.#faults.mended("compact");
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
    return Math.max(samples, (4 * (textBytes - waitingTextBytes)) / this.#limits.maxTextBytes);
  }
}
