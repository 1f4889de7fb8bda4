// Backups made by the running hub: downloads over REST, and scheduled ones. One at a time.
import { basename, join } from "node:path";
import { removeIfPossible } from "../../kit/files/atomic-file.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { type Clock, isoSeconds } from "../../kit/time/clock.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { Home } from "../../server/home/paths.ts";
import { type Download, openDownload } from "./archive/download.ts";
import type { SavedArchive } from "./archive/save-archive.ts";
import { lockBackups, removeOrphans } from "./backup-lock.ts";
import type { BackupSection } from "./config.ts";
import type { Schemas } from "./database-copies.ts";
import { recordBackup } from "./last-backup.ts";
import { placesIn, timeInName } from "./places.ts";
import { listScheduledBackups, removeOldBackups, type ScheduledBackup } from "./scheduled-backups.ts";
import { type RunningTask, startTask } from "./worker-task.ts";

export interface Backups extends AsyncDisposable {
  /** Makes one as the schedule does, and returns its name. Throws HubError as `download` does. */
  make(): Promise<string>;
  /** Throws HubError: `in_use`, `storage`, `too_large`. */
  download(): Promise<Download>;
  /** The scheduled ones, newest first. */
  list(): Promise<ScheduledBackup[]>;
  /** Why the last scheduled one failed, until one succeeds; or else what it had to leave out. */
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
  /** See `backupWorker`. */
  worker: string | URL;
  /** Throws HubError `conflict` where a database is not the hub's own any more. */
  assertOwn?: () => void;
  /** Writes what is still in memory to the disk. A failure is logged, and the rest is backed up all the same. */
  flush: () => Promise<void>;
  emit: (event: HubEvent) => void;
  /** Called when there is a new one in the folder. */
  onMade?: () => void;
  /** Sends to a channel; may reject. */
  notify: (channel: string, message: string) => Promise<void>;
  /** From `[backup] schedule`. */
  schedule: Schedule | undefined;
  scheduler: {
    add(id: string, schedule: Schedule, task: { catchUpSecs?: number; onDue(at: number): void }): Disposable;
  };
}

// A backup missed because the machine was off is made later, within this time.
const CATCH_UP_SECS = 12 * 3600;
const SCHEDULE_ID = "backup";

/** Removes what killed backups have left behind. */
export function startBackups(options: BackupsOptions): Backups {
  const { home, config, hubVersion, schemas, clock, log, worker } = options;
  const directory = home.resolve(config.directory);
  let download: Download | undefined;
  let task: RunningTask<SavedArchive> | undefined;
  let failure: string | undefined;
  let incomplete: string | undefined;
  let ended = false;
  removeOrphans(home, directory);

  async function flush(): Promise<void> {
    try {
      await options.flush();
    } catch (error) {
      log.warn("what is still in memory is missing from the backup", { error: messageOf(error) });
    }
  }

  async function save(): Promise<string> {
    options.assertOwn?.();
    const now = clock.now();
    const { passphrase } = config;
    const target = join(directory, `hub-backup-${timeInName(now)}.zip${passphrase === undefined ? "" : ".age"}`);
    using _lock = lockBackups(home);
    await flush();
    await using running = startTask(worker, {
      kind: "save",
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
    incomplete = describeSkipped(skipped);
    const removed = removeOldBackups(directory, config.keep, { made: basename(target), now });
    recordBackup(home, isoSeconds(now));
    log.info("a backup was made and read back", { file: target, bytes, ...counts, removed: removed.length });
    options.onMade?.();
    return basename(target);
  }

  async function runScheduled(): Promise<void> {
    try {
      await save();
      failure = undefined;
    } catch (error) {
      if (!ended) await reportFailure(messageOf(error));
    } finally {
      task = undefined;
    }
  }

  async function reportFailure(reason: string): Promise<void> {
    failure = `the last scheduled backup failed: ${reason}`;
    log.warn("a scheduled backup failed", { reason });
    options.emit({ type: "backup_failed", severity: "warning", reason, directory });
    if (config.notify_channel === undefined) return;
    try {
      await options.notify(config.notify_channel, `The scheduled backup failed: ${reason}`);
    } catch (error) {
      log.warn("the notification about the failed backup could not be sent", {
        channel: config.notify_channel,
        error: messageOf(error),
      });
    }
  }

  const scheduled =
    options.schedule &&
    options.scheduler.add(SCHEDULE_ID, options.schedule, {
      catchUpSecs: CATCH_UP_SECS,
      onDue: () => background(log, "scheduled backup", runScheduled()),
    });

  return {
    async download() {
      if (ended) throw new HubError("unavailable", "the hub is stopping");
      options.assertOwn?.();
      const lock = lockBackups(home);
      try {
        await flush();
        const onEnd = (): void => {
          download = undefined;
        };
        const opened = await openDownload({ home, hubVersion, clock, log, worker, lock, onEnd });
        download = opened;
        if (ended) await opened.end();
        return opened;
      } catch (error) {
        lock[Symbol.dispose]();
        throw error;
      }
    },
    async make() {
      if (ended) throw new HubError("unavailable", "the hub is stopping");
      try {
        const name = await save();
        failure = undefined;
        return name;
      } finally {
        task = undefined;
      }
    },
    list: () => listScheduledBackups(directory),
    problem: () => failure ?? incomplete,
    async [Symbol.asyncDispose]() {
      ended = true;
      scheduled?.[Symbol.dispose]();
      await download?.end();
      await task?.[Symbol.asyncDispose]();
      removeIfPossible(placesIn(home).backupWork);
    },
  };
}

function describeSkipped([first, ...more]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return `the last scheduled backup is not complete: ${first}${more.length > 0 ? ` (and ${more.length} more, see the log)` : ""}`;
}
