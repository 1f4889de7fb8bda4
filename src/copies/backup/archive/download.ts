// An archive as the body of a response. The client pulls it: the hub waits for a slow one, and nothing piles up in memory.
import { rm } from "node:fs/promises";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type Clock, isoSeconds, type Timer } from "../../../kit/time/clock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { recordBackup } from "../last-backup.ts";
import { placesIn, timeInName } from "../places.ts";
import { startTask } from "../worker-task.ts";
import type { Manifest } from "./manifest.ts";

export interface Download {
  /** `hub-backup-<UTC>.zip` */
  readonly name: string;
  readonly manifest: Omit<Manifest, "entries">;
  readonly stream: ReadableStream<Uint8Array>;
  /** Ends it at any time. */
  end(): Promise<void>;
}

export interface DownloadOptions {
  home: Home;
  hubVersion: string;
  clock: Clock;
  log: Log;
  worker: string | URL;
  /** Released at the end. */
  lock: Disposable;
  /** Called at the end, whether the archive was read completely or not. */
  onEnd: () => void;
}

/** A client that reads nothing for so long is gone, even if the connection is still open. */
const STALLED_MS = 10 * 60_000;

/** Resolves when the snapshots are taken. Throws HubError: `storage`, `too_large`. */
export async function openDownload(options: DownloadOptions): Promise<Download> {
  const { home, hubVersion, clock, log, worker, lock } = options;
  const now = clock.now();
  const task = startTask(worker, { kind: "archive", root: home.root, hubVersion, now });
  let stallTimer: Timer | undefined;
  let reader: ReadableStreamDefaultController | undefined;
  let ending: Promise<void> | undefined;

  function end(): Promise<void> {
    ending ??= finish();
    return ending;
  }
  async function finish(): Promise<void> {
    stallTimer?.[Symbol.dispose]();
    await task[Symbol.asyncDispose]();
    // Asynchronous, because files may be large and everybody waits for this thread.
    await rm(placesIn(home).backupWork, { recursive: true, force: true });
    lock[Symbol.dispose]();
    options.onEnd();
  }
  /** Watches the client before its first read and between two. */
  function watchForStall(): void {
    if (ending !== undefined) return;
    stallTimer?.[Symbol.dispose]();
    stallTimer = clock.after("backup-stalled", STALLED_MS, () => {
      log.warn("a backup was cancelled: its client read nothing for a long time", { secs: STALLED_MS / 1000 });
      reader?.error(new Error("the client read nothing for too long"));
      background(log, "ending a backup", end());
    });
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        reader = controller;
      },
      async pull(controller) {
        stallTimer?.[Symbol.dispose]();
        try {
          const next = await task.next();
          if (next instanceof Uint8Array) {
            controller.enqueue(next);
            watchForStall();
            return;
          }
          recordBackup(home, isoSeconds(now));
          await end();
          controller.close();
        } catch (error) {
          // The response has begun: cutting it short is the only way left to show that it is not complete.
          if (ending === undefined) log.error("a backup failed while it was sent", { error: String(error) });
          await end();
          controller.error(error);
        }
      },
      async cancel() {
        log.info("a backup was cancelled by its client");
        await end();
      },
    },
    { highWaterMark: 0 },
  );

  try {
    const { manifest, skipped } = await task.result;
    for (const what of skipped) log.warn("not in the backup", { what });
    watchForStall();
    return { name: `hub-backup-${timeInName(now)}.zip`, manifest, stream, end };
  } catch (error) {
    await end();
    throw error;
  }
}
