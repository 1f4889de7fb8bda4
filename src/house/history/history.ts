// The history as the rest of the hub uses it: records every change, answers queries, reports its health. A worker does all work on
// the file, so that nothing here waits for the disk.
import { statSync } from "node:fs";
import type { StorageFault } from "../../kit/files/storage-fault.ts";
import { within } from "../../kit/lifecycle/lifecycle.ts";
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { createZone, type Zone } from "../../kit/time/zone.ts";
import type { CheckpointMark } from "../../server/db/checkpoint-mark.ts";
import type { Exchanged } from "../../server/db/own-file.ts";
import type { Reading } from "../../server/db/readings.ts";
import type { EventFeed } from "../../server/events/feed.ts";
import { createExclude, type HistorySection } from "./config.ts";
import { type Change, createRecorder } from "./recorder.ts";
import { rowsOf } from "./replay.ts";
import type { MergedSeries } from "./store/merge.ts";
import { type NameAt, underPresentNames } from "./store/rename.ts";
import { WorkerClient } from "./worker-client.ts";
import type {
  ForgottenSeries,
  HistoryPage,
  HistoryQuery,
  KeptSpan,
  RenamedSeries,
  SamplesPage,
  SamplesQuery,
  StoreHealth,
} from "./worker-protocol.ts";

const HOUR_MS = 3_600_000;
const CLOSE_MS = 5000;
const LOOK_MS = 2000;
/** So many samples are always written at once: they fill whole pages, so waiting longer would save no writes. */
const FLUSH_SAMPLES = 5000;

const NOTHING_STORED: StoreHealth = {
  ...{ problem: undefined, recorded: 0, waiting: 0, dropped: 0, storageFault: undefined, damagedFile: undefined },
  ...{ checkpointed: undefined, exchanged: undefined },
};

export interface HistoryHealth {
  recording: boolean;
  /** Why it does not record, and what to do. */
  problem: string | undefined;
  /** Written to the file or its journal since the start. */
  samplesRecorded: number;
  /** Samples that were lost. */
  samplesDropped: number;
  /** Where the file was moved that was found damaged last, by any worker since the start. */
  damagedFile: string | undefined;
  /** Another file came into its place while the hub ran. */
  exchanged: Exchanged | undefined;
}

export interface History extends AsyncDisposable {
  /** Records what was left out when it changed. */
  record(change: Change, at: number): void;
  /** The house's local time. */
  readonly zone: Zone;
  /** Includes everything recorded before the call. Throws HubError `invalid` or `unavailable`. */
  query(query: HistoryQuery): Promise<HistoryPage>;
  /** What was recorded of all devices, with everything recorded before the call. Throws HubError `unavailable`. */
  samples(query: SamplesQuery): Promise<SamplesPage>;
  /** Throws HubError `unavailable`. */
  kept(): Promise<KeptSpan>;
  /**
   * Takes what another machine recorded for this house, unless it is there: how many samples were not. On the disk when it resolves.
   * Throws HubError `invalid` or `unavailable`.
   */
  merge(series: MergedSeries): Promise<number>;
  /** Resolves once the worker has tried to write everything recorded before the call. */
  flush(): Promise<void>;
  /** As the worker last reported it. */
  health(): HistoryHealth;
  /** Asks the worker to give back memory that it does not need now. */
  release(): void;
}

export interface HistoryOptions {
  /** `data/history.db`. */
  path: string;
  config: HistorySection;
  /** Seconds between writes; a power cut loses no more than these. */
  flushSecs: number;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  feed: Pick<EventFeed, "on">;
  /** IANA name; the machine's own zone where undefined. */
  timezone: string | undefined;
  /** Keeps samples until they are written; without one, they are written every `flushSecs`. */
  journal?: SampleJournal | undefined;
  /** Which attributes of a list of changed ones are recorded now; all, where absent. */
  admitted?: (changed: readonly string[]) => readonly string[];
  /** Whether samples that have waited so long may be written now; always, where absent. */
  mayWrite?: (waitedMs: number) => boolean;
  /** See `historyWorker`. */
  worker: string | URL;
  limits?: Limits;
  /** Settings of a device and how it fares: not recorded unless [history] include says so. */
  isMinor?: (deviceId: string, attribute: string) => boolean;
  /** A person wants nothing of the device recorded: neither does [history] include bring it back. */
  isHidden?: (deviceId: string) => boolean;
  /** The disk refused a write. */
  onStorageFault?: (fault: StorageFault) => void;
  /** Which attributes have another name since when. */
  renamed?: RenamedNames;
  /** Attributes that are passwords by now: what was recorded of them before is removed at the start, and each hour. */
  passwords?: () => Iterable<ForgottenSeries>;
  /** Ids of the existing devices: of others even the last sample is removed after `retention_days`. */
  devices?: () => Iterable<string>;
}

export interface RenamedNames {
  list(): Iterable<RenamedSeries>;
  nameAt: NameAt;
  onAdded(name: string, listener: (one: RenamedSeries) => void): Disposable;
}

/** The journal of readings, as the history needs it. */
export interface SampleJournal {
  readonly id: string;
  enlist(
    name: string,
    target: { through: number; checkpoint(mark: CheckpointMark): void; written(): void },
  ): { checkpointed(segment: number): void; checkpointNow(): void; again(): void } & Disposable;
  /** Everything that a target has not checkpointed yet, oldest first. */
  journalTail(): { segment: number; readings: Reading[] }[];
}

/** Returns at once; the file is opened by the worker. */
export function startHistory(options: HistoryOptions): History {
  const {
    config,
    clock,
    log,
    feed,
    journal,
    mayWrite = () => true,
    admitted = (all) => all,
    isHidden = () => false,
  } = options;
  const zone = createZone(options.timezone);
  if (!config.enabled)
    return disabledHistory(zone, () => {
      throw new HubError("unavailable", "no history is kept: [history] enabled is false in hub.toml");
    });
  const nameAt: NameAt = options.renamed?.nameAt ?? ((_, attribute) => attribute);
  let stored = NOTHING_STORED;
  // The counts of workers that died.
  let before = { recorded: 0, dropped: 0 };
  let flushedAt = 0;
  let waitingSince: number | undefined;
  let damagedFile: string | undefined;
  let seen: string | undefined;
  /** Samples that are in the journal or in the file. */
  let kept = 0;
  /** What the worker was last ordered to write, and how many samples that makes since the start. */
  let handedOver: { segment: number; samples: number } | undefined;

  const worker: WorkerClient = new WorkerClient({
    source: options.worker,
    store: {
      path: options.path,
      timezone: options.timezone,
      retentionDays: config.retention_days,
      maxBytes: config.max_size_mb * 1_000_000,
      maxTextBytes: config.max_waiting_mb * 1_048_576,
    },
    clock,
    log,
    random: options.random,
    onReport(report) {
      if (report.kind === "taken") recorder.acknowledge(report.samples);
      else {
        stored = report.health;
        if (stored.checkpointed !== undefined) {
          checkpointing?.checkpointed(stored.checkpointed);
          if (stored.checkpointed === handedOver?.segment) kept = Math.max(kept, handedOver.samples);
        }
        // What a damaged file had not compacted is in the worker's memory only.
        if (stored.problem !== undefined || (stored.damagedFile ?? damagedFile) !== damagedFile) checkpointing?.again();
        damagedFile = stored.damagedFile ?? damagedFile;
        if (stored.storageFault !== undefined) options.onStorageFault?.(stored.storageFault);
        // Samples that a flush could not write are tried again.
        if (stored.waiting > 0) waitingSince ??= clock.mono();
      }
    },
    onDeath() {
      recorder.dropInFlight();
      before = { recorded: before.recorded + stored.recorded, dropped: before.dropped + stored.dropped };
      stored = NOTHING_STORED;
    },
    onStart() {
      rename([...(options.renamed?.list() ?? [])]);
      replay();
      forget();
    },
  });
  const isListed = createExclude(config, options.isMinor);
  const isExcluded = (id: string, attribute: string): boolean => isHidden(id) || isListed(id, attribute);
  const recorder = createRecorder({
    clock,
    log,
    ...{ isExcluded, nameAt },
    journaled: journal !== undefined,
    maxTextBytes: config.max_waiting_mb * 1_048_576,
    ...(options.limits && { limits: options.limits }),
    send(rows, samples) {
      if (!worker.send({ kind: "record", rows: JSON.stringify(rows), samples })) recorder.dropInFlight();
      waitingSince ??= clock.mono();
      if (recorder.sent - flushedAt >= FLUSH_SAMPLES) flush();
    },
  });
  const checkpointing = journal?.enlist("history", {
    through: 0,
    checkpoint(mark) {
      recorder.flush();
      handedOver = { segment: mark.segment, samples: recorder.sent };
      write(mark);
    },
    written() {
      recorder.flush();
      kept = recorder.sent;
    },
  });
  const moment = () => ({ now: clock.now(), mono: clock.mono() });

  function flush(): void {
    if (checkpointing) checkpointing.checkpointNow();
    else write(undefined);
  }

  function write(mark: CheckpointMark | undefined): void {
    waitingSince = undefined;
    flushedAt = recorder.sent;
    worker.send({ kind: "flush", at: moment(), ...(mark && { mark }) });
  }

  /** It is done with the next write or question. */
  function rename(renamed: RenamedSeries[]): void {
    if (renamed.length > 0) worker.send({ kind: "rename", renamed });
  }

  /** As `rename`. */
  function forget(): void {
    const forgotten = [...(options.passwords?.() ?? [])];
    if (forgotten.length > 0) worker.send({ kind: "forget", at: moment(), forgotten });
  }

  /** What the worker before this one, or the hub before this one, took with it. */
  function replay(): void {
    if (!journal) return;
    recorder.discard();
    for (const { segment, readings } of journal.journalTail()) {
      const rows = rowsOf(readings, isExcluded, nameAt);
      worker.send({ kind: "replay", rows: JSON.stringify(rows), mark: { id: journal.id, segment } });
      checkpointing?.again();
    }
  }

  worker.start();
  const disposables = [
    feed.on("device_state_changed", "history", ({ event: { device_id, changed, current }, at }) =>
      recorder.record({ device_id, current, changed: admitted(changed) }, at),
    ),
    clock.every("history-flush", options.flushSecs * 1000, function flushIfDue() {
      recorder.flush();
      if (!checkpointing && waitingSince !== undefined && mayWrite(clock.mono() - waitingSince)) flush();
    }),
    clock.every("history-file", LOOK_MS, function lookIfChanged() {
      // The worker sleeps while nothing happens.
      const stat = statSync(options.path, { throwIfNoEntry: false });
      const found = stat && `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
      if (found !== seen) worker.send({ kind: "look", at: moment() });
      seen = found;
    }),
    clock.every("history-retention", HOUR_MS, function retain() {
      const devices = options.devices && [...options.devices()];
      forget();
      worker.send({ kind: "retain", at: moment(), devices });
    }),
    recorder,
    ...(options.renamed
      ? [
          options.renamed.onAdded("history", (one) => {
            recorder.flush();
            rename([one]);
          }),
        ]
      : []),
  ];

  return {
    zone,
    record: recorder.record,
    query(query) {
      recorder.flush();
      return worker.query(query);
    },
    samples(query) {
      recorder.flush();
      return worker.samples(query);
    },
    kept: () => worker.kept(),
    async merge(series) {
      recorder.flush();
      return (await worker.merge(JSON.stringify(underPresentNames(series, nameAt)))).added;
    },
    async flush() {
      recorder.flush();
      flush();
      // Messages are handled in order: once this is answered, the flush is done.
      await worker.query({ deviceId: "", from: 0, to: 1, limit: 1, aggregate: "last", initial: false, format: "csv" });
    },
    health() {
      const problem = worker.problem ?? stored.problem;
      return {
        recording: problem === undefined,
        problem,
        samplesRecorded: journal ? kept : before.recorded + stored.recorded,
        samplesDropped: before.dropped + stored.dropped + recorder.dropped,
        damagedFile,
        exchanged: stored.exchanged,
      };
    },
    release: () => void worker.send({ kind: "release" }),
    async [Symbol.asyncDispose]() {
      recorder.flush();
      checkpointing?.checkpointNow();
      for (const disposable of disposables) disposable[Symbol.dispose]();
      if (!(await within(clock, CLOSE_MS, "history-close", worker.close())))
        log.error("the history did not close in time; samples that were not written are lost");
      else checkpointing?.[Symbol.dispose]();
      worker.terminate();
    },
  };
}

/** Records nothing, and refuses every query. */
export function disabledHistory(zone: Zone, refuseNow: () => never): History {
  const refuse = async (): Promise<never> => refuseNow();
  return {
    zone,
    record() {},
    query: refuse,
    samples: refuse,
    kept: refuse,
    merge: refuse,
    async flush() {},
    release() {},
    health: () => ({
      recording: false,
      problem: undefined,
      samplesRecorded: 0,
      samplesDropped: 0,
      damagedFile: undefined,
      exchanged: undefined,
    }),
    async [Symbol.asyncDispose]() {},
  };
}
