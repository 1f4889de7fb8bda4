// The history as the rest of the hub uses it: records every change, answers queries, reports its health. A worker does all work on
// the file, so that nothing here waits for the disk.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import { within } from "../core/lifecycle.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { StorageFault } from "../core/storage-fault.ts";
import { createZone, type Zone } from "../core/zone.ts";
import type { EventFeed } from "../events/feed.ts";
import { createExclude, type HistorySection } from "./config.ts";
import { createRecorder } from "./recorder.ts";
import { WorkerClient } from "./worker-client.ts";
import type { HistoryPage, HistoryQuery, StoreHealth } from "./worker-protocol.ts";

const HOUR_MS = 3_600_000;
const CLOSE_MS = 5000;
/** So many samples are always written at once: they fill whole pages, so waiting longer would save no writes. */
const FLUSH_SAMPLES = 5000;

const NOTHING_STORED: StoreHealth = {
  ...{ problem: undefined, recorded: 0, waiting: 0, dropped: 0, storageFault: undefined, damagedFile: undefined },
};

export interface HistoryHealth {
  recording: boolean;
  /** Why it does not record, and what to do. */
  problem: string | undefined;
  /** Written to the file since the start. */
  samplesRecorded: number;
  /** Samples that were lost. */
  samplesDropped: number;
  /** Where the file was moved that was found damaged last, by any worker since the start. */
  damagedFile: string | undefined;
}

export interface History extends AsyncDisposable {
  /** The house's local time. */
  readonly zone: Zone;
  /** Includes everything recorded before the call. Throws HubError `invalid` or `unavailable`. */
  query(query: HistoryQuery): Promise<HistoryPage>;
  /** Resolves once the worker has tried to write everything recorded before the call. */
  flush(): Promise<void>;
  /** As the worker last reported it. */
  health(): HistoryHealth;
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
  /** IANA name. */
  timezone: string;
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
  /** Ids of the existing devices: of others even the last sample is removed after `retention_days`. */
  devices?: () => Iterable<string>;
}

/** Returns at once; the file is opened by the worker. */
export function startHistory(options: HistoryOptions): History {
  const { config, clock, log, feed, mayWrite = () => true, isHidden = () => false } = options;
  const zone = createZone(options.timezone);
  if (!config.enabled)
    return offHistory(options.timezone, "no history is kept: [history] enabled is false in hub.toml");
  let stored = NOTHING_STORED;
  // The counts of workers that died.
  let before = { recorded: 0, dropped: 0 };
  let flushedAt = 0;
  let waitingSince: number | undefined;
  let damagedFile: string | undefined;

  const worker: WorkerClient = new WorkerClient({
    source: options.worker,
    store: {
      path: options.path,
      timezone: options.timezone,
      retentionDays: config.retention_days,
      maxBytes: config.max_size_mb * 1_000_000,
      mostTextBytes: config.max_waiting_mb * 1_048_576,
    },
    clock,
    log,
    random: options.random,
    onReport(report) {
      if (report.kind === "taken") recorder.acknowledge(report.samples);
      else {
        stored = report.health;
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
  });
  const isExcluded = createExclude(config, options.isMinor);
  const recorder = createRecorder({
    clock,
    log,
    isExcluded: (id, attribute) => isHidden(id) || isExcluded(id, attribute),
    mostTextBytes: config.max_waiting_mb * 1_048_576,
    ...(options.limits && { limits: options.limits }),
    post(rows, samples) {
      if (!worker.post({ kind: "record", rows: JSON.stringify(rows), samples })) recorder.dropInFlight();
      waitingSince ??= clock.mono();
      if (recorder.posted - flushedAt >= FLUSH_SAMPLES) flush();
    },
  });
  const moment = () => ({ now: clock.now(), mono: clock.mono() });

  function flush(): void {
    waitingSince = undefined;
    flushedAt = recorder.posted;
    worker.post({ kind: "flush", at: moment() });
  }

  worker.start();
  const disposables = [
    feed.on("device_state_changed", "history", ({ event }) => recorder.record(event)),
    clock.every("history-flush", options.flushSecs * 1000, function flushIfDue() {
      recorder.flush();
      if (waitingSince !== undefined && mayWrite(clock.mono() - waitingSince)) flush();
    }),
    clock.every("history-retention", HOUR_MS, function retain() {
      const devices = options.devices && [...options.devices()];
      worker.post({ kind: "retain", at: moment(), devices });
    }),
    recorder,
  ];

  return {
    zone,
    query(query) {
      recorder.flush();
      return worker.query(query);
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
        samplesRecorded: before.recorded + stored.recorded,
        samplesDropped: before.dropped + stored.dropped + recorder.dropped,
        damagedFile,
      };
    },
    async [Symbol.asyncDispose]() {
      recorder.flush();
      for (const disposable of disposables) disposable[Symbol.dispose]();
      if (!(await within(clock, CLOSE_MS, "history-close", worker.close())))
        log.error("the history did not close in time; samples that were not written are lost");
      worker.terminate();
    },
  };
}

/** Records nothing, and answers every query with the reason. */
export function offHistory(timezone: string, reason: string): History {
  return {
    zone: createZone(timezone),
    query: () => Promise.reject(new HubError("unavailable", reason)),
    async flush() {},
    health: () => ({
      recording: false,
      problem: undefined,
      samplesRecorded: 0,
      samplesDropped: 0,
      damagedFile: undefined,
    }),
    async [Symbol.asyncDispose]() {},
  };
}
