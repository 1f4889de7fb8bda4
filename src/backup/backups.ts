// Backups as the hub makes them: for whoever asks over REST, and by themselves at their times. One at a time.
import { basename, join } from "node:path";
import { removeIfPossible } from "../core/atomic-file.ts";
import { type Clock, isoSeconds } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import { background } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { Home } from "../home/paths.ts";
import type { BackupSection } from "./config.ts";
import { type Download, openDownload } from "./download.ts";
import { type RunningTask, startTask } from "./link.ts";
import { placesIn, timeInName } from "./places.ts";
import { listShelf, type ShelvedBackup, trimShelf } from "./shelf.ts";
import type { Schemas } from "./staged-databases.ts";
import { readLastBackup, rememberBackup, type Stored } from "./store.ts";
import { sweepLeftovers, takeTurn } from "./turn.ts";

export interface Backups extends AsyncDisposable {
  /** Throws HubError: `in_use`, `storage`, `too_large`. */
  download(): Promise<Download>;
  /** The scheduled ones, newest first. */
  list(): Promise<ShelvedBackup[]>;
  /** UTC; of whatever kind. */
  last(): string | null;
  /** Why the last scheduled one failed, until one succeeds; else what of the home it could not save. */
  problem(): string | undefined;
}

export interface Schedule {
  /** The first moment strictly after, in epoch ms. */
  next(after: number): number | undefined;
}

export interface BackupsOptions {
  home: Home;
  config: BackupSection;
  hubVersion: string;
  schemas: Schemas;
  clock: Clock;
  log: Log;
  /** See worker-source.ts. */
  worker: string | URL;
  /** Puts on the disk what waits in memory; what cannot be is told in the log and does not keep the rest from being saved. */
  settle: () => Promise<void>;
  emit: (event: HubEvent) => void;
  /** Sends to a channel; may reject. */
  notify: (channel: string, message: string) => Promise<void>;
  /** Of `[backup] schedule`, and what calls at its moments. */
  schedule: Schedule | undefined;
  scheduler: {
    add(id: string, schedule: Schedule, task: { catchUpSecs?: number; onDue(at: number): void }): Disposable;
  };
}

// A night missed because the machine was off is made up for within this.
const CATCH_UP_SECS = 12 * 3600;
const SCHEDULE_ID = "backup";

/** Clears away what killed backups left behind. */
export function startBackups(options: BackupsOptions): Backups {
  const { home, config, hubVersion, schemas, clock, log, worker } = options;
  const directory = home.resolve(config.directory);
  let download: Download | undefined;
  let task: RunningTask<Stored> | undefined;
  let problem: string | undefined;
  let left: string | undefined;
  let ended = false;
  sweepLeftovers(home);

  async function settle(): Promise<void> {
    try {
      await options.settle();
    } catch (error) {
      log.warn("a backup is made without what waits in memory", { error: messageOf(error) });
    }
  }

  async function store(): Promise<void> {
    const now = clock.now();
    const { passphrase } = config;
    const target = join(directory, `hub-backup-${timeInName(now)}.zip${passphrase === undefined ? "" : ".age"}`);
    using _turn = takeTurn(home);
    await settle();
    await using running = startTask(worker, {
      kind: "store",
      root: home.root,
      hubVersion,
      now,
      target,
      schemas,
      ...(passphrase === undefined ? {} : { passphrase }),
    });
    task = running;
    const { bytes, counts, skipped } = await running.result;
    for (const what of skipped) log.warn("not in the backup", { what });
    left = leftOut(skipped);
    const removed = trimShelf(directory, config.keep, { made: basename(target), now });
    rememberBackup(home, isoSeconds(now));
    log.info("a backup was made and read back", { file: target, bytes, ...counts, removed: removed.length });
  }

  async function onSchedule(): Promise<void> {
    try {
      await store();
      problem = undefined;
    } catch (error) {
      if (!ended) await tellFailure(messageOf(error));
    } finally {
      task = undefined;
    }
  }

  async function tellFailure(reason: string): Promise<void> {
    problem = `the last scheduled backup failed: ${reason}`;
    log.warn("a scheduled backup failed", { reason });
    options.emit({ type: "backup_failed", severity: "warning", reason, directory });
    if (config.notify_channel === undefined) return;
    try {
      await options.notify(config.notify_channel, `The scheduled backup failed: ${reason}`);
    } catch (error) {
      log.warn("nobody could be told of the failed backup", {
        channel: config.notify_channel,
        error: messageOf(error),
      });
    }
  }

  const scheduled =
    options.schedule &&
    options.scheduler.add(SCHEDULE_ID, options.schedule, {
      catchUpSecs: CATCH_UP_SECS,
      onDue: () => background(log, "scheduled backup", onSchedule()),
    });

  return {
    async download() {
      if (ended) throw new HubError("unavailable", "the hub is stopping");
      const turn = takeTurn(home);
      try {
        await settle();
        const opened = await openDownload({
          home,
          hubVersion,
          clock,
          log,
          worker,
          turn,
          ended: () => (download = undefined),
        });
        download = opened;
        if (ended) await opened.end();
        return opened;
      } catch (error) {
        turn[Symbol.dispose]();
        throw error;
      }
    },
    list: () => listShelf(directory),
    last: () => readLastBackup(home),
    problem: () => problem ?? left,
    async [Symbol.asyncDispose]() {
      ended = true;
      scheduled?.[Symbol.dispose]();
      await download?.end();
      await task?.[Symbol.asyncDispose]();
      removeIfPossible(placesIn(home).backupWork);
    },
  };
}

function leftOut([first, ...more]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return `the last scheduled backup is not whole: ${first}${more.length > 0 ? ` (and ${more.length} more, see the log)` : ""}`;
}
