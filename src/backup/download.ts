// An archive as the body of an answer: pulled by the client, so that a slow one is waited for and nothing piles up.
import { rm } from "node:fs/promises";
import { type Clock, isoSeconds, type Timer } from "../core/clock.ts";
import { background } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import type { Home } from "../home/paths.ts";
import { startTask } from "./link.ts";
import type { Manifest } from "./manifest.ts";
import { placesIn, timeInName } from "./places.ts";
import { rememberBackup } from "./store.ts";

export interface Download {
  /** `hub-backup-<UTC>.zip` */
  readonly name: string;
  readonly manifest: Omit<Manifest, "entries">;
  readonly stream: ReadableStream<Uint8Array>;
  /** Ends it, wherever it is. */
  end(): Promise<void>;
}

export interface DownloadOptions {
  home: Home;
  hubVersion: string;
  clock: Clock;
  log: Log;
  worker: string | URL;
  /** Given back when it is over. */
  turn: Disposable;
  /** Told when it is over, read to its end or not. */
  ended: () => void;
}

/** So long a client may take nothing: then it is gone, though nobody said so. */
const STALLED_MS = 10 * 60_000;

/** Resolves when the snapshots are taken. Throws HubError: `storage`, `too_large`. */
export async function openDownload(options: DownloadOptions): Promise<Download> {
  const { home, hubVersion, clock, log, worker, turn } = options;
  const now = clock.now();
  const task = startTask(worker, { kind: "archive", root: home.root, hubVersion, now });
  let stall: Timer | undefined;
  let reader: ReadableStreamDefaultController | undefined;
  let over: Promise<void> | undefined;

  function end(): Promise<void> {
    over ??= finish();
    return over;
  }
  async function finish(): Promise<void> {
    stall?.[Symbol.dispose]();
    await task[Symbol.asyncDispose]();
    // Files of any size: not on the thread that everybody waits for.
    await rm(placesIn(home).backupWork, { recursive: true, force: true });
    turn[Symbol.dispose]();
    options.ended();
  }
  /** Before the first pull, and between two, the client has its time. */
  function watch(): void {
    if (over !== undefined) return;
    stall?.[Symbol.dispose]();
    stall = clock.after("backup-stalled", STALLED_MS, () => {
      log.warn("a backup was ended: its reader took nothing for a long time", { secs: STALLED_MS / 1000 });
      reader?.error(new Error("the reader took nothing for too long"));
      background(log, "ending a backup", end());
    });
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        reader = controller;
      },
      async pull(controller) {
        stall?.[Symbol.dispose]();
        try {
          const next = await task.next();
          if (next instanceof Uint8Array) {
            controller.enqueue(next);
            watch();
            return;
          }
          rememberBackup(home, isoSeconds(now));
          await end();
          controller.close();
        } catch (error) {
          // The answer has begun: cutting it short is the only way left to say that it is not whole.
          if (over === undefined) log.error("a backup failed while it was sent", { error: String(error) });
          await end();
          controller.error(error);
        }
      },
      async cancel() {
        log.info("a backup was given up by its reader");
        await end();
      },
    },
    { highWaterMark: 0 },
  );

  try {
    const { manifest, skipped } = await task.result;
    for (const what of skipped) log.warn("not in the backup", { what });
    watch();
    return { name: `hub-backup-${timeInName(now)}.zip`, manifest, stream, end };
  } catch (error) {
    await end();
    throw error;
  }
}
