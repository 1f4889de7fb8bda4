// The history as the hub sees it: hears every change, answers queries, tells how it is. All work on the file is done by a
// worker of its own, so that nothing here waits for the disk.
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
import { type Link, startLink } from "./link.ts";
import type { HistoryPage, HistoryQuery, StoreHealth } from "./messages.ts";
import { createRecorder } from "./recorder.ts";

const HOUR_MS = 3_600_000;
const CLOSE_MS = 5000;
/** So many are written at once in any case: they fill their pages, and waiting would spare nothing. */
const FLUSH_SAMPLES = 5000;

const NOTHING_STORED: StoreHealth = {
  ...{ problem: undefined, recorded: 0, waiting: 0, dropped: 0, storageFault: undefined, damagedFile: undefined },
};

export interface HistoryHealth {
  recording: boolean;
  /** What keeps it from recording, and the mend. */
  problem: string | undefined;
  /** Written to the file since the start. */
  samplesRecorded: number;
  /** What could not be kept. */
  samplesDropped: number;
  /** Where the file was moved that was found damaged last, by any worker since the start. */
  damagedFile: string | undefined;
}

export interface History extends AsyncDisposable {
  /** The house's local time. */
  readonly zone: Zone;
  /** Sees everything recorded before. Throws HubError `invalid` or `unavailable`. */
  query(query: HistoryQuery): Promise<HistoryPage>;
  /** Resolves when everything recorded before is in the file, or was tried to be. */
  flush(): Promise<void>;
  /** As last heard. */
  health(): HistoryHealth;
}

export interface HistoryOptions {
  /** `data/history.db`. */
  path: string;
  config: HistorySection;
  /** Seconds between writes; a power cut loses at most these. */
  flushSecs: number;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  feed: Pick<EventFeed, "on">;
  /** IANA name. */
  timezone: string;
  /** Whether what has waited so long may be written now; always, unless told otherwise. */
  mayWrite?: (waitedMs: number) => boolean;
  /** See worker-source.ts. */
  worker: string | URL;
  limits?: Limits;
  /** The disk refused a write. */
  onStorageFault?: (fault: StorageFault) => void;
  /** Ids of the devices there are: of others, nothing is kept beyond its time. */
  devices?: () => Iterable<string>;
}

/** Returns at once; the file is opened by the worker. */
export function startHistory(options: HistoryOptions): History {
  const { config, clock, log, feed, mayWrite = () => true } = options;
  const zone = createZone(options.timezone);
  if (!config.enabled)
    return offHistory(options.timezone, "no history is kept: [history] enabled is false in hub.toml");
  let stored = NOTHING_STORED;
  // Of workers that died.
  let before = { recorded: 0, dropped: 0 };
  let flushedAt = 0;
  let waitingSince: number | undefined;
  let damagedFile: string | undefined;

  const link: Link = startLink({
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
    hear(message) {
      if (message.kind === "taken") recorder.taken(message.samples);
      else {
        stored = message.health;
        damagedFile = stored.damagedFile ?? damagedFile;
        if (stored.storageFault !== undefined) options.onStorageFault?.(stored.storageFault);
        // What a flush left behind is tried again.
        if (stored.waiting > 0) waitingSince ??= clock.mono();
      }
    },
    died() {
      recorder.lost();
      before = { recorded: before.recorded + stored.recorded, dropped: before.dropped + stored.dropped };
      stored = NOTHING_STORED;
    },
  });
  const recorder = createRecorder({
    clock,
    log,
    isExcluded: createExclude(config.exclude),
    mostTextBytes: config.max_waiting_mb * 1_048_576,
    ...(options.limits && { limits: options.limits }),
    post(rows, samples) {
      if (!link.post({ kind: "record", rows: JSON.stringify(rows), samples })) recorder.lost();
      waitingSince ??= clock.mono();
      if (recorder.handedOver - flushedAt >= FLUSH_SAMPLES) flush();
    },
  });
  const moment = () => ({ now: clock.now(), mono: clock.mono() });

  function flush(): void {
    waitingSince = undefined;
    flushedAt = recorder.handedOver;
    link.post({ kind: "flush", at: moment() });
  }

  const parts = [
    feed.on("device_state_changed", "history", ({ event }) => recorder.record(event)),
    clock.every("history-flush", options.flushSecs * 1000, function flushIfDue() {
      recorder.handOver();
      if (waitingSince !== undefined && mayWrite(clock.mono() - waitingSince)) flush();
    }),
    clock.every("history-retention", HOUR_MS, function retain() {
      const devices = options.devices && [...options.devices()];
      link.post({ kind: "retain", at: moment(), devices });
    }),
    recorder,
  ];

  return {
    zone,
    query(query) {
      recorder.handOver();
      return link.query(query);
    },
    async flush() {
      recorder.handOver();
      flush();
      // Messages are handled in order: an answer says that the writing before it is over.
      await link.query({ deviceId: "", from: 0, to: 1, limit: 1, aggregate: "last", initial: false, format: "csv" });
    },
    health() {
      const problem = link.problem ?? stored.problem;
      return {
        recording: problem === undefined,
        problem,
        samplesRecorded: before.recorded + stored.recorded,
        samplesDropped: before.dropped + stored.dropped + recorder.dropped,
        damagedFile,
      };
    },
    async [Symbol.asyncDispose]() {
      recorder.handOver();
      for (const part of parts) part[Symbol.dispose]();
      if (!(await within(clock, CLOSE_MS, "history-close", link.close())))
        log.error("the history did not close in time; what it had not written is lost");
      link.end();
    },
  };
}

/** Keeps nothing, and answers the reason. */
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
